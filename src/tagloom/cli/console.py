"""Output: data goes to stdout, messages to stderr; JSON, tables and colours."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import RenderableType

    from tagloom.systems.tables import Parts

# Tables that go to a file or pipe are as wide as their content.
_PIPE_WIDTH = 100_000


# Control characters of data would move the cursor or change the colours of the terminal.
_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(9), *range(11, 32), *range(127, 160))}


def hide_controls(text: str) -> str:
    r"""Write control characters other than line breaks and tabs as escapes.

    >>> print(hide_controls("a\x1b[31mb"))
    a\x1b[31mb
    """
    return text if text.isprintable() else text.translate(_CONTROLS)


def log(*lines: str) -> None:
    """Tell the user something: one line each on stderr."""
    sys.stderr.write("".join(f"{hide_controls(line)}\n" for line in lines))
    sys.stderr.flush()


def build_warning(text: str) -> str:
    """Build the line of a warning."""
    return f"tagloom: warning: {text}"


def log_files(files: Sequence[Path], note: str | None) -> None:
    """Tell which files of one folder were written, and why others were not."""
    log(f"wrote {', '.join(file.name for file in files)} in {files[0].parent}", *([note] if note else []))


def put(text: str) -> None:
    """Write data to stdout, ended by a line break."""
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")


def put_json(value: object) -> None:
    """Write a value to stdout as JSON."""
    put(json.dumps(value, ensure_ascii=False, indent=2))


def put_rich(*things: RenderableType) -> None:
    """Write tables and styled text to stdout; with colours on a terminal, or where FORCE_COLOR is set."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else _PIPE_WIDTH
    console = Console(file=sys.stdout, width=width, highlight=False, markup=False, emoji=False)
    with console.capture() as captured:
        for thing in things:
            console.print(thing)
    put("\n".join(line.rstrip() for line in captured.get().splitlines()))


def put_parts(parts: Parts) -> None:
    """Write tables and lines of text to stdout."""
    for part in parts:
        if isinstance(part, str):
            put(hide_controls(part))
        else:
            put_rich(build_table(part.headers, part.rows, right=part.right))


def build_table(headers: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[str] = ()) -> RenderableType:
    """Build a table without lines; the columns named in ``right`` are aligned to the right."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for header in headers:
        table.add_column(header, justify="right" if header in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(hide_controls(text)) for text in row))  # texts of the data are not markup
    return table
