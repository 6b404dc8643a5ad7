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


def unknown_name(kind: str, name: object, known: Iterable[str]) -> ConfigError:
    """The error for a name nobody knows: the nearest known one, and the list."""
    names = sorted(known)
    near = difflib.get_close_matches(str(name), names, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return ConfigError(f"unknown {kind} {name!r}{hint} (known: {', '.join(names) or 'none'})")
