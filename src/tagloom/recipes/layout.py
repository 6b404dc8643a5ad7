"""Tables of a paper: rows spread over two axes, ours and the paper's number in every cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tagloom.recipes.recipe import Row

_ABSENT = "–"


@dataclass(frozen=True)
class Layout:
    """One table of a paper: which field of a row names the line and which the column of its number."""

    table: str
    title: str
    line: str
    column: str
    corpus: str | None = None  # None: all that the table has

    def of(self, rows: Sequence[Row]) -> Grid | None:
        """The table of these rows; None where none of them belongs to it."""
        mine = [row for row in rows if row.table == self.table and self.corpus in (None, row.corpus)]
        if not mine:
            return None
        in_paper = {getattr(row, self.column) for row in mine if row.paper is not None}
        cells = {
            (getattr(row, self.line), column): _cell(row, with_paper=column in in_paper)
            for row in mine
            for column in [getattr(row, self.column)]
        }
        columns = list(dict.fromkeys(column for _, column in cells))
        lines = [
            [line, *(cells.get((line, column), "") for column in columns)]
            for line in dict.fromkeys(line for line, _ in cells)
        ]
        return Grid(self._heading(), [self.line, *columns], lines)

    def _heading(self) -> str:
        table = f"Table {self.table}" if self.table.isdecimal() else self.table  # a table the paper does not have
        where = "" if self.corpus is None else f"{self.corpus}, "
        return f"{table}: {where}{self.title}; ours (paper)"


@dataclass(frozen=True)
class Grid:
    """A table ready to be printed."""

    title: str
    headers: list[str]
    lines: list[list[str]]

    def to_markdown(self) -> str:
        aligned = ["---", *("---:" for _ in self.headers[1:])]
        return "\n".join(f"| {' | '.join(cells)} |" for cells in (self.headers, aligned, *self.lines))


def number(value: float | None) -> str:
    """Counts with thousands marked, percentages with two digits, fractions of one with four."""
    if value is None:
        return _ABSENT
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.4f}" if abs(value) < 1 else f"{value:.2f}"


def _cell(row: Row, *, with_paper: bool) -> str:
    """Ours, and the paper's where it has the column at all."""
    return f"{number(row.ours)} ({number(row.paper)})" if with_paper else number(row.ours)
