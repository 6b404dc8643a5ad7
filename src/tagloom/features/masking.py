"""Masks of word dropout: which groups of attributes are missing at which token of which copy of the training data.

A group holds attributes that tell the same thing, such as which word it is. Every group of a token is masked by itself,
so that a model learns to lean on each group where the others are missing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tagloom.corpus.corpus import IntArray

#: The groups, by what the attributes tell: the word, its cluster, the lists that it is in, what a user's function says,
#: what stands around the word elsewhere in the document, and what a first stage predicts there.
WORDS, CLUSTERS, LISTS, FUNCTIONS, CONTEXT, STAGE = GROUPS = (
    "words", "clusters", "lists", "functions", "context", "stage"
)  # fmt: skip
MOST_COPIES = 100
_BITS = 16  # random bits per group
_PER_DRAW = 64 // _BITS  # groups
_DRAWS = -(-len(GROUPS) // _PER_DRAW)  # per token
_DOMAIN = 20  # keeps these random numbers apart from others of the same seed

MaskArray = NDArray[np.uint8]
Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True)
class Masking:
    """How training data is masked: in so many copies, each group of each token with some probability."""

    dropout: float = 0.0
    copies: int = 1
    seed: int = 1

    @property
    def is_off(self) -> bool:
        """Whether the data stays as it is."""
        return self.dropout == 0 and self.copies == 1

    def open(self) -> MaskStream:
        """Begin to draw masks, from the first token on."""
        seeds = [np.random.SeedSequence((self.seed, _DOMAIN, copy)) for copy in range(self.copies)]
        return MaskStream(self, tuple(map(np.random.PCG64, seeds)))


@dataclass(frozen=True)
class MaskStream:
    """Draws the masks of successive tokens; how they are parted into batches changes nothing."""

    masking: Masking
    generators: tuple[np.random.PCG64, ...] = field(repr=False)  # one per copy

    def draw(self, tokens: int) -> MaskArray | None:
        """Draw the masks of the next tokens: [copies][tokens] bits of groups, flattened; None if nothing is masked."""
        if self.masking.is_off or tokens == 0:
            return None
        return np.concatenate([self._draw_copy(each, tokens) for each in self.generators])

    def _draw_copy(self, generator: np.random.PCG64, tokens: int) -> MaskArray:
        drawn = np.asarray(generator.random_raw(tokens * _DRAWS), np.uint64).reshape(tokens, _DRAWS)
        threshold, lowest = round(self.masking.dropout * 2**_BITS), 2**_BITS - 1
        masks = np.zeros(tokens, np.uint8)
        for group in range(len(GROUPS)):
            draw, place = divmod(group, _PER_DRAW)
            bits = (drawn[:, draw] >> np.uint64(_BITS * place)) & np.uint64(lowest)
            masks |= (bits < threshold).astype(np.uint8) << group
        return masks


def repeat_offsets(offsets: IntArray, copies: int) -> IntArray:
    """Return the offsets of sequences when every sequence is followed by its copies.

    >>> repeat_offsets(np.array([0, 2, 3]), 2).tolist()
    [0, 2, 4, 5, 6]
    """
    if copies == 1:
        return offsets
    return np.concatenate([[0], np.cumsum(np.repeat(np.diff(offsets), copies))]).astype(np.int64)


def repeat_tokens(values: NDArray[Scalar], offsets: IntArray, copies: int) -> NDArray[Scalar]:
    """Return the values of tokens when every sequence is followed by its copies.

    >>> repeat_tokens(np.array([1, 2, 3]), np.array([0, 2, 3]), 2).tolist()
    [1, 2, 1, 2, 3, 3]
    """
    if copies == 1:
        return values
    after = repeat_offsets(offsets, copies)
    shift = np.repeat(np.repeat(offsets[:-1], copies) - after[:-1], np.diff(after))
    return np.ascontiguousarray(values[np.arange(after[-1]) + shift])
