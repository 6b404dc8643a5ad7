"""Tables of a paper: one field of a row names its line, another its column; a cell shows ours and the paper's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tagloom.recipes.recipe import Row


_LARGE = 10_000  # from here on, numbers have no digits after the point


@dataclass(frozen=True)
class Layout:
    """One table of a paper."""

    table: str
    title: str
    line: str = "system"  # the fields of a row that name its line and its column
    column: str = "metric"
    corpus: str | None = None  # None: all corpora that the table has

    def build(self, rows: Sequence[Row]) -> Grid | None:
        """Return the table of these rows, or None if none of them belongs to it."""
        mine = [row for row in rows if row.table == self.table and self.corpus in (None, row.corpus)]
        if not mine:
            return None
        in_paper = {getattr(row, self.column) for row in mine if row.paper is not None}
        cells = {
            (getattr(row, self.line), column): format_mean(row.ours, row.spread)
            + f" ({number(row.paper)})" * (column in in_paper)
            for row in mine
            for column in [getattr(row, self.column)]
        }
        columns = list(dict.fromkeys(column for _, column in cells))
        names = dict.fromkeys(line for line, _ in cells)
        lines = [[line, *(cells.get((line, column), "") for column in columns)] for line in names]
        table = f"Table {self.table}" if self.table.isdecimal() else self.table  # a table the paper does not have
        where = "" if self.corpus is None else f"{self.corpus}, "
        numbers = "; ours (paper)" if in_paper else ""
        return Grid(f"{table}: {where}{self.title}{numbers}", [self.line, *columns], lines)


@dataclass(frozen=True)
class Grid:
    """A table ready to print."""

    title: str
    headers: list[str]
    lines: list[list[str]]

    def to_markdown(self) -> str:
        """Return the table without its title; numbers are aligned to the right."""
        aligned = ["---", *("---:" for _ in self.headers[1:])]
        return "\n".join(f"| {' | '.join(cells)} |" for cells in (self.headers, aligned, *self.lines))


def number(value: float | None) -> str:
    """Format large numbers with thousands separators, percentages with two digits, and fractions of one with four.

    >>> [number(value) for value in (1234567, 80123.45, 93.456, 0.05, None)]
    ['1,234,567', '80,123', '93.46', '0.0500', '–']
    """
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:,}"
    if abs(value) >= _LARGE:
        return f"{value:,.0f}"
    return f"{value:.4f}" if abs(value) < 1 else f"{value:.2f}"


def format_mean(value: float, spread: float | None) -> str:
    """Format a number, with the spread of several seeds if there is one.

    >>> format_mean(93.456, None), format_mean(93.456, 0.123)
    ('93.46', '93.46 ± 0.12')
    """
    if spread is None:
        return number(value)
    return f"{number(value)} ± {spread:,.0f}" if abs(value) >= _LARGE else f"{number(value)} ± {spread:.2f}"
