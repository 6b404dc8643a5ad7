"""From the shell and back: exit codes, and every failure as one line on stderr.

0: done. 1: a bug in tagloom. 2: an error that the user can fix. 130: Ctrl-C.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Sequence
from io import TextIOWrapper
from typing import Any, cast

import typer
from typer.main import get_command

from tagloom.cli.app import build_app
from tagloom.cli.console import log
from tagloom.cluster.connection import HERE
from tagloom.errors import TagloomError, is_out_of_memory

DONE, BUG, USER_ERROR, INTERRUPTED = 0, 1, 2, 130
NO_MEMORY = "not enough memory; free some, or use smaller data or fewer threads"

# Newer typer brings its own copy of click: the class of all usage errors is reached through one that both export.
UsageError: type[Exception] = typer.BadParameter.__bases__[0]


def main() -> int:
    """Entry point of the shell command ``tagloom``."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `tagloom ... | head` ends as quietly as `cat ... | head`
    _replace_closed_streams()
    signal.signal(signal.SIGTERM, _interrupt)  # ends a training as Ctrl-C does: the best model so far is saved
    if isinstance(sys.stdout, TextIOWrapper):
        # Data is UTF-8 whatever the locale; file names may hold any bytes.
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
    return run(sys.argv[1:])


def _replace_closed_streams() -> None:
    """Put something in the place of standard streams that are closed, so that no file of ours gets their numbers.

    Reading from a closed stdin or writing to a closed stdout fails as it does in other programs. Messages for a closed
    stderr are dropped; the exit code still tells what happened.
    """
    modes = {"stdin": (os.O_WRONLY, "r"), "stdout": (os.O_RDONLY, "w"), "stderr": (os.O_WRONLY, "w")}
    for number, (name, (access, mode)) in enumerate(modes.items()):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, access)
            if descriptor != number:
                os.dup2(descriptor, number)
            setattr(sys, name, open(number, mode, encoding="utf-8", errors="surrogateescape", closefd=False))  # noqa: SIM115


def _interrupt(_: int, __: object) -> None:
    raise KeyboardInterrupt


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code.

    Systems that were registered before have their options on the command line.
    """
    debug, rest = _take_debug(arguments)
    rest = _complete_ray(rest)
    try:
        code = get_command(build_app(rest)).main(args=rest, prog_name="tagloom", standalone_mode=False)
        sys.stdout.flush()
        return code or DONE
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if debug:
            traceback.print_exc()
        return _report(error)


def _take_debug(arguments: Sequence[str]) -> tuple[bool, list[str]]:
    """Tell whether ``--debug`` stands anywhere among the options, and return the other arguments."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    options = [argument for argument in arguments[:end] if argument != "--debug"]
    return len(options) < end, [*options, *arguments[end:]]


def _complete_ray(arguments: Sequence[str]) -> list[str]:
    """Give ``--ray`` its address where it stands without one."""
    following = [*arguments, "--"][1:]
    return [
        f"--ray={HERE}" if argument == "--ray" and after.startswith("-") else argument
        for argument, after in zip(arguments, following, strict=True)
    ]


def _report(error: Exception) -> int:
    """Say in one line what went wrong."""
    message = _user_message(error)
    if message is None:
        log(f"tagloom: bug: {_one_line(repr(error))}; run again with --debug to see where")
        return BUG
    log(f"tagloom: error: {_one_line(message)}")
    return USER_ERROR


def _user_message(error: Exception) -> str | None:
    """Return the message for an error that the user can fix; None for a bug."""
    if isinstance(error, UsageError):
        return _usage_message(cast(Any, error))
    if isinstance(error, TagloomError):
        return str(error)
    if is_out_of_memory(error):
        return NO_MEMORY
    if isinstance(error, OSError):
        _abandon_output()
        where = f"{error.filename}: " if error.filename else "cannot write output: "
        return where + (error.strerror or str(error)).lower()
    return None


def _usage_message(error: Any) -> str:
    text = str(error.format_message()).rstrip(".")
    command = error.ctx.command_path if error.ctx else "tagloom"
    return f"{text[:1].lower()}{text[1:]}; see {command} --help"


def _abandon_output() -> None:
    """Drop what stdout could not take, so that closing it at exit does not fail once more."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


_LONGEST_LINE = 2000  # characters of a message


def _one_line(text: str) -> str:
    line = " ".join(text.split("\n")) if "\n" in text else text
    return line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}..."
