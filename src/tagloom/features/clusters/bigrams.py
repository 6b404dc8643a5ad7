"""Counts of words and of bigrams of a text that is read batch by batch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tagloom.corpus import Corpus
from tagloom.errors import DataError

_SETTLED = 1 << 22  # bigrams that are kept before they are counted together
Keys = NDArray[np.uint64]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Bigrams:
    """Bigrams of words that are numbered by falling frequency.

    Attributes:
        words: The words; words of equal frequency in the order of their characters.
        counts: How often each occurs.
        left: First word of every distinct bigram, [B]. ``len(words)`` stands for all words that are not among them,
            ``len(words) + 1`` for the boundary of sentences.
        right: Second word, [B].
        bigram_counts: How often every bigram occurs, [B].
    """

    words: list[str]
    counts: Counts
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    bigram_counts: Counts


@dataclass
class BigramCounter:
    """Takes corpora. A boundary stands between sentences, before the first, and after the last one."""

    numbers: dict[str, int] = field(default_factory=lambda: {"": 0})  # 0: the boundary
    tokens: int = 0
    _keys: list[Keys] = field(default_factory=list)
    _counts: list[Counts] = field(default_factory=list)
    _pending: int = 0

    def add(self, corpus: Corpus) -> None:
        """Count the bigrams of a corpus."""
        column = corpus.columns.get("form", corpus.columns[corpus.names[0]])
        if column.is_bag:
            raise DataError(f"{corpus.source}: expected words, found features; name a corpus with words")
        if not len(column.codes):
            return
        known = self.numbers
        numbers = np.array([known.setdefault(word, len(known)) for word in column.strings.strings()], np.uint64)
        bounds = np.unique(corpus.sentences)
        line = np.insert(numbers[column.codes], bounds, 0)
        keys, counts = np.unique(line[:-1] << np.uint64(32) | line[1:], return_counts=True)
        self._keys.append(keys)
        self._counts.append(counts)
        self._pending += len(keys)
        self.tokens += len(column.codes)
        if self._pending > max(_SETTLED, 2 * len(self._keys[0])):
            self._settle()

    def _settle(self) -> None:
        """Count equal bigrams of all batches together."""
        keys, counts = count_together(np.concatenate(self._keys), np.concatenate(self._counts))
        self._keys, self._counts, self._pending = [keys], [counts], len(keys)

    def finish(self, min_count: int, accepts: Iterable[bool]) -> Bigrams:
        """Number the accepted words that occur often enough; ``accepts`` has a value for every word but the first."""
        self._settle()
        keys, counts = self._keys[0], self._counts[0]
        first, second = (keys >> np.uint64(32)).astype(np.int64), (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)
        frequency = np.bincount(second, counts, len(self.numbers)).astype(np.int64)
        names = list(self.numbers)
        is_chosen = (frequency >= min_count) & np.array([False, *accepts])
        chosen = sorted(np.flatnonzero(is_chosen).tolist(), key=lambda number: (-frequency[number], names[number]))
        new = np.full(len(names), len(chosen), np.uint64)
        new[chosen] = np.arange(len(chosen))
        new[0] = len(chosen) + 1
        keys, counts = count_together(new[first] << np.uint64(32) | new[second], counts)
        left, right = (keys >> np.uint64(32)).astype(np.int32), (keys & np.uint64(0xFFFFFFFF)).astype(np.int32)
        return Bigrams([names[number] for number in chosen], frequency[chosen], left, right, counts)


def count_together(keys: Keys, counts: Counts) -> tuple[Keys, Counts]:
    """Add the counts of equal keys; keys are sorted."""
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    return keys[starts], np.add.reduceat(counts[order], starts)
