"""Work once per distinct string: number the strings of a file, take the distinct ones apart, spread the result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tagloom._core import StringTable
from tagloom.corpus.corpus import CodeArray, Column


def distinct_strings(strings: Iterable[str]) -> tuple[list[str], CodeArray]:
    """The distinct strings in order of first appearance, and the number of each string among them."""
    table = StringTable()
    codes = table.intern_all(list(strings))
    return table.strings(), codes


def spread(strings: Sequence[str], codes: CodeArray) -> Column:
    """The column whose token t holds ``strings[codes[t]]``.

    >>> spread(["N", "V", "N"], distinct_strings(["dog", "barks", "dog", "cat"])[1]).texts()
    ['N', 'V', 'N', 'N']
    """
    column = Column.from_strings(strings)
    return Column(column.codes[codes], column.strings)
