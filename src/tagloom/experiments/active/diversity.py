"""Diverse suggestions: uncertain sentences that differ from those that were chosen before them.

Sentences are chosen one by one. The next one has the highest product of its uncertainty and its distance to the nearest
sentence that was chosen: one minus the cosine of their words, which are weighted by how rare they are among the
candidates. This is greedy k-center (Sener and Savarese 2018, algorithm 1), weighted by uncertainty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagloom.corpus.corpus import distinct_strings
from tagloom.experiments.active.ranking import Budget

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class WordVectors:
    """Sentences as sparse vectors of length one."""

    words: NDArray[np.int64]  # [Z] word of each entry
    weights: FloatArray  # [Z]
    sentences: NDArray[np.int64]  # [Z] sentence of each entry
    count: int  # of sentences
    size: int  # number of words

    @classmethod
    def build(cls, sentences: Sequence[Sequence[str]]) -> WordVectors:
        """Count the words of sentences, without regard to case, weighted by log(1 + S / sentences with the word)."""
        lengths = [len(words) for words in sentences]
        names, codes = distinct_strings(word.casefold() for words in sentences for word in words)
        size, owners = max(len(names), 1), np.repeat(np.arange(len(sentences)), lengths)
        pairs, counts = np.unique(owners * size + codes, return_counts=True)
        owner, word = np.divmod(pairs, size)
        weights = counts * np.log1p(len(sentences) / np.bincount(word, minlength=size)[word])
        norms = np.sqrt(np.bincount(owner, weights**2, minlength=len(sentences)))
        return cls(word, weights / norms[owner], owner, len(sentences), size)

    def compare(self, number: int) -> FloatArray:
        """Compute the cosine of one sentence and all sentences: [S]."""
        own = slice(*np.searchsorted(self.sentences, [number, number + 1]))
        row = np.zeros(self.size)
        row[self.words[own]] = self.weights[own]
        return np.asarray(np.bincount(self.sentences, self.weights * row[self.words], self.count), np.float64)


def choose_diverse(
    sentences: Sequence[Sequence[str]], uncertainties: Sequence[float], budget: Budget
) -> list[tuple[int, float]]:
    """Choose sentences within a budget; sentences that no longer fit into a budget of tokens are passed over.

    Args:
        sentences: The words of the candidates.
        uncertainties: How uncertain each candidate is, 0 or more. Of equal ones the first is preferred.
        budget: How much to choose.

    Returns:
        The numbers of the chosen candidates in the order of choice, and the product that each was chosen for.
    """
    vectors, lengths = WordVectors.build(sentences), np.array([len(words) for words in sentences], np.int64)
    uncertain, distances = np.array(uncertainties, np.float64), np.ones(len(sentences))
    is_open = np.ones(len(sentences), np.bool_)
    chosen: list[tuple[int, float]] = []
    tokens = 0
    while True:
        if budget.tokens is not None:
            is_open &= tokens + lengths <= budget.tokens
        if not is_open.any() or budget.is_exceeded(len(chosen) + 1, tokens):
            return chosen
        gains = np.where(is_open, uncertain * distances, -1.0)
        number = int(np.argmax(gains))
        chosen.append((number, float(gains[number])))
        tokens, is_open[number] = tokens + int(lengths[number]), False
        distances = np.minimum(distances, np.maximum(1 - vectors.compare(number), 0))
