"""Statistics of strings of characters in raw text (Sun & Xu 2011): accessor variety and mutual information.

The left accessor variety of a string is the number of different characters before it in the text, the right accessor
variety that of characters after it; the beginning or end of a line counts as one more character. Strings have 2 to 4
characters. The level of a variety is its binary logarithm, rounded down; a variety of 1 is not kept. The mutual
information of two neighbouring characters, log2 p(xy) / (p(x) p(y)), is also rounded down, and is kept for pairs that
occur at least twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tagloom._core import LevelTable, StringTable, ngram_keys
from tagloom.arguments import check_methods
from tagloom.corpus.streams import load_lines
from tagloom.errors import DataError
from tagloom.features.tensors import Tensors
from tagloom.schema import Array, Layout

SIZES = (2, 3, 4)  # characters of the strings that have an accessor variety
_POINT_BITS = 21  # bits of a code point
_BOUNDARY = ord("\n")
Hashes = NDArray[np.uint64]
Points = NDArray[np.int64]


@check_methods()
@dataclass(frozen=True)
class Statistics:
    """Levels of strings, by the hashes of their characters."""

    left: LevelTable
    right: LevelTable
    mutual: LevelTable
    names: ClassVar[tuple[str, ...]] = ()  # of lists, of which it has none
    layout: ClassVar[Layout] = Layout(
        tuple(
            Layout(
                (
                    Array("keys", "U64", "n", f"Keys of strings: {what}."),
                    Array("levels", "I32", "n", "Their levels.", low=-128, high=127),
                ),
                f"{name}_",
            )
            for name, what in (("left", "variety on the left"), ("right", "variety on the right"),
                               ("mutual", "mutual information of two characters"))
        )
    )  # fmt: skip

    def __repr__(self) -> str:
        return f"Statistics(left={len(self.left):,}, right={len(self.right):,}, mutual={len(self.mutual):,} strings)"

    @classmethod
    def read(cls, path: Path) -> Statistics:
        """Count the strings of a text file, or of all files of a folder; blanks are ignored."""
        files = sorted(file for file in path.iterdir() if file.is_file()) if path.is_dir() else [path]
        lines = [line for file in files for line in load_lines(file)]
        if not any(map(str.strip, lines)):
            raise DataError(f"{path}: no text found")
        return cls.count(lines)

    @classmethod
    def count(cls, lines: Iterable[str]) -> Statistics:
        """Count the strings of lines of text; blanks are ignored.

        >>> statistics = Statistics.count(["abc", "abd", "xab"])
        >>> len(statistics.left), len(statistics.right)
        (1, 1)
        """
        text = "\n".join(["", *("".join(line.split()) for line in lines), ""])
        points = np.frombuffer(text.encode("utf-32-le"), "<u4").astype(np.int64)
        hashes = _hashes(points)
        varieties = [_varieties(points, hashes, n) for n in SIZES]
        left, right = (_table(*map(np.concatenate, zip(*side))) for side in zip(*varieties))
        return cls(left, right, _table(*_mutual_information(points, hashes)))

    def to_tensors(self) -> Tensors:
        """Return the arrays that a model file holds."""
        tables = {"left": self.left, "right": self.right, "mutual": self.mutual}
        return {f"{name}_{key}": getattr(table, key)() for name, table in tables.items() for key in ("keys", "levels")}

    @classmethod
    def from_tensors(cls, tensors: Tensors, names: list[str]) -> Statistics:
        """Restore the statistics from what ``to_tensors`` returned."""
        tables = ("left", "right", "mutual")
        return cls(*(LevelTable(tensors[f"{name}_keys"], tensors[f"{name}_levels"]) for name in tables))


def _hashes(points: Points) -> Hashes:
    """The hash of every character, the same as that of a token with this character."""
    distinct, codes = np.unique(points, return_inverse=True)
    strings = StringTable()
    strings.intern_all([chr(point) for point in distinct])
    return strings.hashes()[codes]


def _table(keys: Hashes, levels: NDArray[np.int32]) -> LevelTable:
    return LevelTable(keys, np.clip(levels, -128, 127))


def _starts(points: Points, n: int) -> NDArray[np.intp]:
    """Where strings of n characters begin that do not cross the end of a line."""
    inside = points != _BOUNDARY
    whole = np.ones(max(len(points) - n + 1, 0), np.bool_)
    for i in range(n):
        whole &= inside[i : len(whole) + i]
    return np.flatnonzero(whole)


def _varieties(points: Points, hashes: Hashes, n: int) -> list[tuple[Hashes, NDArray[np.int32]]]:
    """Keys and levels of the left and the right variety of the strings of n characters."""
    starts = _starts(points, n)
    keys, numbers = np.unique(ngram_keys(hashes, n)[starts], return_inverse=True)
    sides = []
    for neighbours in (points[starts - 1], points[starts + n]):
        pairs = np.sort(numbers.astype(np.int64) << _POINT_BITS | neighbours)
        new = np.diff(pairs, prepend=-1) != 0
        variety = np.bincount(pairs[new] >> _POINT_BITS, minlength=len(keys))
        kept = variety > 1
        sides.append((keys[kept], _floor_log2(variety[kept])))
    return sides


def _mutual_information(points: Points, hashes: Hashes) -> tuple[Hashes, NDArray[np.int32]]:
    starts = _starts(points, 2)
    keys, first, pair_counts = np.unique(ngram_keys(hashes, 2)[starts], return_index=True, return_counts=True)
    distinct, codes, counts = np.unique(points, return_inverse=True, return_counts=True)
    singles = counts[codes]  # [points] number of occurrences of the character at each place
    total = float(counts[distinct != _BOUNDARY].sum())
    kept = pair_counts > 1
    at = starts[first[kept]]
    apart = singles[at].astype(np.float64) * singles[at + 1] * len(starts)
    return keys[kept], _floor_log2(pair_counts[kept] * total * total / apart)


def _floor_log2(values: NDArray[Any]) -> NDArray[np.int32]:
    """The binary logarithm, rounded down; exact, unlike np.log2 next to a power of two."""
    exponents: NDArray[np.int32] = np.frexp(values)[1].astype(np.int32) - 1
    return exponents
