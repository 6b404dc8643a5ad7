"""Where output goes: data to stdout, log to stderr; JSON, tables and colours."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

# Tables that go to a file or pipe are as wide as their content.
_PIPE_WIDTH = 100_000


def log(*lines: str) -> None:
    """Tell the user something: one line each on stderr."""
    sys.stderr.write("".join(f"{line}\n" for line in lines))
    sys.stderr.flush()


def warning(text: str) -> str:
    return f"tagloom: warning: {text}"


def put(text: str) -> None:
    """Data for stdout, ended by a line break."""
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")


def put_json(value: object) -> None:
    put(json.dumps(value, ensure_ascii=False, indent=2))


def put_rich(*things: RenderableType) -> None:
    """Tables and styled text for stdout; colours on a terminal, or where FORCE_COLOR is set."""
    console = data_console()
    with console.capture() as captured:
        for thing in things:
            console.print(thing)
    put("\n".join(line.rstrip() for line in captured.get().splitlines()))


def data_console() -> Console:
    from rich.console import Console

    return Console(
        file=sys.stdout, width=None if sys.stdout.isatty() else _PIPE_WIDTH, highlight=False, markup=False, emoji=False
    )


def table(headers: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[str] = ()) -> RenderableType:
    """A table without lines; the columns named in ``right`` hold numbers."""
    from rich.table import Table
    from rich.text import Text

    made = Table(box=None, pad_edge=False, header_style="bold")
    for header in headers:
        made.add_column(header, justify="right" if header in right else "left", overflow="fold")
    for row in rows:
        made.add_row(*map(Text, row))  # texts of the data are no markup
    return made
