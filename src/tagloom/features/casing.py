"""How often words are written in lower case, capitalised and in capitals in a text.

A name is written with a capital everywhere, another word only at the start of a sentence or in a headline. Three levels
are kept of every word, without regard to case: ln((l + 1) / (t + 1)) / 1.5 and ln((t + 1) / (u + 1)) / 1.5, rounded and
at most 4 in absolute value, where l, t and u count it in lower case, capitalised and in capitals; and half of
floor(log2 m), rounded down, where m is the largest of these counts. Words with the levels of an unknown word are not
kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tagloom._core import CASE_LEVELS, UNKNOWN_CASE, CaseCounter, CaseTable
from tagloom.arguments import check_methods
from tagloom.corpus.streams import load_lines
from tagloom.errors import DataError
from tagloom.features.tensors import Tensors
from tagloom.schema import Array, Layout

_STEP = 1.5  # natural logarithms per level of a ratio
_MOST = 4  # levels of a ratio in either direction
_FREQUENCIES = 16  # levels of a frequency


@check_methods()
@dataclass(frozen=True)
class Casing:
    """Levels of words, by the hash of the word in lower case."""

    table: CaseTable
    names: ClassVar[tuple[str, ...]] = ()  # of lists, of which it has none
    layout: ClassVar[Layout] = Layout(
        (
            Array("keys", "U64", "n", "Hashes of words in lower case.", increases=True),
            Array("levels", "U16", "n", "Levels of every word: 144 times the ratio of lower case and capitalised, plus "
                  "16 times that of capitalised and capitals, both from 0 to 8, plus the frequency from 0 to 15.",
                  below=str(CASE_LEVELS)),
        )
    )  # fmt: skip

    def __repr__(self) -> str:
        return f"Casing({len(self.table):,} words)"

    @classmethod
    def read(cls, path: Path) -> Casing:
        """Count the words of a text file, or of all files of a folder; blanks separate words."""
        files = sorted(file for file in path.iterdir() if file.is_file()) if path.is_dir() else [path]
        casing = cls.count(line for file in files for line in load_lines(file))
        if not len(casing.table):
            raise DataError(f"{path}: no text found")
        return casing

    @classmethod
    def count(cls, lines: Iterable[str]) -> Casing:
        """Count the words of lines of text.

        >>> Casing.count(["The dog and the cat and the bird.", "The end of the day"])
        Casing(2 words)
        """
        counter = CaseCounter()
        for line in lines:
            counter.add_text(line)
        return cls(_make_table(counter))

    @classmethod
    def of_words(cls, counts: Mapping[str, int]) -> Casing:
        """Build the levels of words that were counted as they are written."""
        counter = CaseCounter()
        for word, count in counts.items():
            counter.add_word(word, count)
        return cls(_make_table(counter))

    def to_tensors(self) -> Tensors:
        """Return the arrays that a model file holds."""
        return {"keys": self.table.keys(), "levels": self.table.levels()}

    @classmethod
    def from_tensors(cls, tensors: Tensors, names: list[str]) -> Casing:
        """Restore the levels from what ``to_tensors`` returned."""
        return cls(CaseTable(tensors["keys"], tensors["levels"]))


def _make_table(counter: CaseCounter) -> CaseTable:
    keys, lower, title, upper = counter.counts()
    levels = _level_ratio(lower, title) * (2 * _MOST + 1) + _level_ratio(title, upper)
    levels = levels * _FREQUENCIES + _level_frequency(np.maximum(np.maximum(lower, title), upper))
    kept = np.flatnonzero(levels != UNKNOWN_CASE)
    order = kept[np.argsort(keys[kept])]
    return CaseTable(keys[order], levels[order].astype(np.uint16))


def _level_ratio(more: NDArray[np.uint64], less: NDArray[np.uint64]) -> NDArray[np.int64]:
    ratios = np.rint(np.log((more + 1.0) / (less + 1.0)) / _STEP)
    return np.clip(ratios, -_MOST, _MOST).astype(np.int64) + _MOST


def _level_frequency(counts: NDArray[np.uint64]) -> NDArray[np.int64]:
    exponents = np.frexp(np.maximum(counts, 1).astype(np.float64))[1].astype(np.int64) - 1
    return np.minimum(exponents // 2, _FREQUENCIES - 1)
