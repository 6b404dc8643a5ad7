"""Tables as HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape


def render_table(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> str:
    """Render a table whose first column holds names and whose other columns hold numbers.

    >>> render_table(["", "F1"], [["PER", "93.48"]], "rule conlleval")[:48]
    '<table><caption>rule conlleval</caption><thead><'
    """
    cells = "".join(f"<th>{escape(text)}</th>" for text in head)
    lines = [_render_row(row) for row in rows]
    body = f"<thead><tr>{cells}</tr></thead><tbody>{''.join(lines)}</tbody>"
    return f"<table><caption>{escape(caption)}</caption>{body}</table>"


def _render_row(row: Sequence[str]) -> str:
    name, *numbers = row
    cells = "".join(f'<td style="text-align: right">{escape(text)}</td>' for text in numbers)
    return f"<tr><th>{escape(name)}</th>{cells}</tr>"
