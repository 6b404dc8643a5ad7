"""The three kinds of user-facing error. Each message is one line: where, what was expected, what came, what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_LONGEST = 2000  # characters of a message


class TagloomError(Exception):
    """Something the user can fix; the command line prints it without a traceback and exits with 2."""

    def __init__(self, message: str) -> None:
        super().__init__(_to_line(message))


def _to_line(message: str) -> str:
    """Make one line that can be printed: what was given may have several lines, pages, or halves of characters."""
    line = " ".join(message.split("\n")).encode(errors="backslashreplace").decode()
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST // 2]} ... {line[-_LONGEST // 2 :]}"


class DataError(TagloomError):
    """A corpus or resource file that cannot be read as it stands."""


class ConfigError(TagloomError):
    """An option, name or combination that is not legal."""


class ModelFileError(TagloomError):
    """A model file that is damaged, foreign, or from a newer version."""


#: What Python says, beside MemoryError, where memory ends: at an import, by the system, at the start of a thread, and
#: where the interpreter itself needs some, which leaves it without an exception to raise.
_OUT_OF_MEMORY = (
    "failed to map segment", "cannot allocate memory", "can't start new thread", "error return without exception set",
    "without setting an exception",
)  # fmt: skip


def is_out_of_memory(error: BaseException) -> bool:
    """Tell whether an error means that there is not enough memory.

    >>> is_out_of_memory(MemoryError()), is_out_of_memory(RuntimeError("can't start new thread"))
    (True, True)
    """
    if isinstance(error, (ImportError, RuntimeError, OSError, SystemError)):
        return any(sign in str(error).lower() for sign in _OUT_OF_MEMORY)
    return isinstance(error, MemoryError)


def show_value(value: object, width: int = 60) -> str:
    """Write a value for a message: at most ``width`` characters, whatever it is.

    >>> show_value(10**5000), show_value("a" * 100, 5)
    ('a whole number of 16610 bits', "'aaaa")
    """
    if isinstance(value, int) and value.bit_length() > 4 * width:
        return f"a whole number of {value.bit_length()} bits"  # Python refuses to write long ones
    try:
        return repr(value[:width] if isinstance(value, (str, bytes)) else value)[:width]
    except (ValueError, RecursionError):  # such a number inside, or lists nested without end
        return f"a {type(value).__name__}"


def unknown_name(kind: str, name: object, known: Iterable[str], most: int | None = None) -> ConfigError:
    """The error for a name nobody knows: the nearest known one, and the list, or so many of it."""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5) if isinstance(name, str) else []
    hint = f"; did you mean {near[0]!r}?" if near else ""
    left = 0 if most is None else max(0, len(names) - most)
    shown = f"{', '.join(names[: len(names) - left]) or 'none'}{f' and {left} more' if left else ''}"
    return ConfigError(f"unknown {kind} {show_value(name)}{hint} (known: {shown})")
