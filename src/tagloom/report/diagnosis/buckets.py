"""Parts of the units by a number: lengths, frequencies, distances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagloom.corpus.schemes import BoolArray
from tagloom.evaluate import Counts
from tagloom.evaluate.counts import tally


@dataclass(frozen=True)
class Buckets:
    """Ranges of numbers: bucket b has those from ``firsts[b]`` to the one before the next."""

    firsts: tuple[int, ...]
    last: int | None = None  # largest number; None: the last bucket has no end

    @property
    def names(self) -> tuple[str, ...]:
        """What the buckets are called.

        >>> Buckets((0, 1, 2, 5)).names
        ('0', '1', '2–4', '5+')
        """
        ends = [*(first - 1 for first in self.firsts[1:]), self.last]
        return tuple(_name_range(first, end) for first, end in zip(self.firsts, ends))

    def number(self, values: NDArray[np.integer]) -> NDArray[np.int32]:
        """Number the bucket of every value: [N]."""
        return (np.searchsorted(self.firsts, values, side="right") - 1).astype(np.int32)


def _name_range(first: int, end: int | None) -> str:
    if end is None:
        return f"{first}+"
    return str(first) if first == end else f"{first}–{end}"


SPAN_LENGTHS = Buckets((1, 2, 3, 4, 5))
SENTENCE_LENGTHS = Buckets((1, 6, 11, 16, 21, 31, 41, 61))
FREQUENCIES = Buckets((0, 1, 2, 5, 20, 100))
ARC_LENGTHS = Buckets((1, 2, 3, 5, 8, 13))


@dataclass(frozen=True)
class Units:
    """Units of both sides, flat: the part that each belongs to, and its sentence."""

    gold: NDArray[np.int32]  # [G] parts
    gold_sentence: NDArray[np.integer]
    guess: NDArray[np.int32]  # [P]
    guess_sentence: NDArray[np.integer]
    right: BoolArray  # [G] gold units that were found

    def count(self, names: Sequence[str], sentences: int) -> Counts:
        """Count the units of every part in every sentence; parts without any are left out."""
        shape = (len(names), sentences)
        tables = [
            tally(self.gold[self.right], self.gold_sentence[self.right], shape),
            tally(self.guess, self.guess_sentence, shape),
            tally(self.gold, self.gold_sentence, shape),
        ]
        used = np.flatnonzero((tables[1].sum(axis=1) + tables[2].sum(axis=1)) > 0)
        return Counts(tuple(names[part] for part in used.tolist()), *(table[used] for table in tables))


def count_tokens_by(part: NDArray[np.int32], names: Sequence[str], right: BoolArray,
                    sentence: NDArray[np.integer], sentences: int) -> Counts:  # fmt: skip
    """Count tokens by part; every token has one value on both sides."""
    return Units(part, sentence, part, sentence, right).count(names, sentences)
