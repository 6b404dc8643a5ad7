"""The tag dictionary (Ratnaparkhi 1996): a frequent word takes only labels that it was seen with in training."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus import Column
from tagloom.corpus.corpus import CodeArray, IntArray

HashArray = NDArray[np.uint64]
BitArray = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class TagDictionary:
    """Hashes of words, and one row of bits per word: the labels it may take. Other words may take any label."""

    words: HashArray  # [W] ascending
    bits: BitArray  # [W][bytes of L], the lowest bit first
    labels: int  # L

    def __repr__(self) -> str:
        return f"TagDictionary({len(self):,} words, {self.labels} labels)"

    def __post_init__(self) -> None:
        for array, kind in ((self.words, np.uint64), (self.bits, np.uint8)):
            if array.ndim != 1 or array.dtype != kind:
                raise ValueError("the tag dictionary has the wrong type or shape")
        if (self.words[1:] <= self.words[:-1]).any():
            raise ValueError("the words of the tag dictionary are not in order")
        _ = self._native  # checks the bits

    @cached_property
    def _native(self) -> _core.TagDictionary:
        return _core.TagDictionary(self.words, self.bits, self.labels)

    @classmethod
    def count(cls, words: Column, gold: CodeArray, labels: int, least: int) -> TagDictionary:
        """Count the labels of the words that occur ``least`` times or more."""
        frequent = np.bincount(words.codes, minlength=len(words.strings)) >= least
        rows, tokens = np.cumsum(frequent) - 1, frequent[words.codes]
        seen = np.zeros((int(frequent.sum()), labels), np.bool_)
        seen[rows[words.codes[tokens]], gold[tokens]] = True
        return cls._of(words.strings.hashes()[frequent], seen)

    @classmethod
    def _of(cls, words: HashArray, seen: NDArray[np.bool_]) -> TagDictionary:
        words, first = np.unique(words, return_index=True)
        bits = np.packbits(seen[first], axis=1, bitorder="little").ravel()
        return cls(words, bits, seen.shape[1])

    def __len__(self) -> int:
        return len(self.words)

    def seen(self, labels: int | None = None) -> NDArray[np.bool_]:
        """[W][L] which labels the words may take; padded to ``labels`` labels, if given."""
        rows = self.bits.reshape(len(self), (self.labels + 7) // 8)
        flags = np.unpackbits(rows, axis=1, bitorder="little", count=self.labels).view(np.bool_)
        return np.pad(flags, ((0, 0), (0, (labels or self.labels) - self.labels)))

    def take(self, kept: NDArray[np.bool_]) -> TagDictionary:
        """Keep some of the words."""
        return self._of(self.words[kept], self.seen()[kept])

    def joined(self, other: TagDictionary) -> TagDictionary:
        """Merge two dictionaries: the words and labels of both; ``other`` may have more labels."""
        words = np.union1d(self.words, other.words)
        seen = np.zeros((len(words), other.labels), np.bool_)
        seen[np.searchsorted(words, self.words)] |= self.seen(other.labels)
        seen[np.searchsorted(words, other.words)] |= other.seen()
        return self._of(words, seen)

    def flags(
        self, chain: _core.Chain, words: tuple[_core.StringTable, CodeArray], sentences: IntArray, given: BitArray
    ) -> BitArray:
        """Compute the flags [N][L] of the labels that tokens may take.

        ``given`` are flags of the same shape that restrict the result, or an empty array. A token without any label
        left keeps the given flags, and so does a sentence without a legal label sequence.
        """
        return self._native.flags(chain, *words, sentences, given)
