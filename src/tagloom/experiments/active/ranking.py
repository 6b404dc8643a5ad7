"""The best sentences of a stream: no more are held than the budget can use."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from tagloom.experiments.active.keys import KeyArray

T = TypeVar("T")


@dataclass(frozen=True)
class Budget:
    """How much can be annotated: a number of sentences, a number of tokens, or both."""

    sentences: int | None = None
    tokens: int | None = None

    def multiply(self, factor: int) -> Budget:
        """Return a budget that is several times as large."""
        sentences, tokens = self.sentences, self.tokens
        return Budget(sentences and sentences * factor, tokens and tokens * factor)

    def is_used_up(self, sentences: int, tokens: int) -> bool:
        """Whether so many sentences with so many tokens leave no room for another one."""
        return (self.sentences is not None and sentences >= self.sentences) or self.is_exceeded(0, tokens)

    def is_exceeded(self, sentences: int, tokens: int) -> bool:
        """Whether so many sentences with so many tokens are too many."""
        too_many = self.sentences is not None and sentences > self.sentences
        return too_many or (self.tokens is not None and tokens > self.tokens)


@dataclass(frozen=True, order=True)
class Ranked(Generic[T]):
    """A sentence in the order of suggestions: the highest score first, ties by the random number of the sentence."""

    rank: tuple[float, int]
    key: int
    length: int = field(compare=False)
    content: T = field(compare=False)

    @property
    def score(self) -> float:
        """The score of the sentence."""
        return -self.rank[0]


@dataclass(frozen=True)
class Offer:
    """The sentences of one batch: arrays with one number per sentence."""

    scores: NDArray[np.float64]
    ties: KeyArray
    keys: KeyArray
    lengths: NDArray[np.int64]
    is_open: NDArray[np.bool_]  # whether the sentence can be suggested

    def list_in_order(self, longest: int | None) -> list[int]:
        """List the sentences that can be taken, the best first; those without tokens and those too long cannot."""
        usable = self.is_open & (self.lengths > 0)
        if longest is not None:
            usable &= self.lengths <= longest
        order = np.lexsort((self.ties, -self.scores))
        found: list[int] = order[usable[order]].tolist()
        return found


class Ranking(Generic[T]):
    """The best sentences so far, each once; a duplicate counts with its highest score.

    With a budget of tokens, sentences are taken in their order until the next one does not fit. The first one that
    does not fit is held, too, because those after it are not needed.
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._kept: list[Ranked[T]] = []  # in order
        self._by_key: dict[int, Ranked[T]] = {}
        self._tokens = 0

    def __len__(self) -> int:
        return len(self._kept)

    def add(self, offer: Offer, build: Callable[[int], T]) -> None:
        """Take what is good enough of a batch; ``build`` makes what is kept of a sentence."""
        for number in offer.list_in_order(self.budget.tokens):
            rank = -float(offer.scores[number]), int(offer.ties[number])
            if self._is_full and rank >= self._kept[-1].rank:
                break
            known = self._by_key.get(key := int(offer.keys[number]))
            if known is None:
                self._insert(Ranked(rank, key, int(offer.lengths[number]), build(number)))
            elif rank < known.rank:
                self._remove(known)
                self._insert(Ranked(rank, key, known.length, build(number)))

    def finish(self) -> list[Ranked[T]]:
        """List the sentences within the budget, the best first."""
        kept, tokens = list(self._kept), self._tokens
        while kept and self.budget.is_exceeded(len(kept), tokens):
            tokens -= kept.pop().length
        return kept

    @property
    def _is_full(self) -> bool:
        return bool(self._kept) and self.budget.is_used_up(len(self._kept), self._tokens)

    def _insert(self, entry: Ranked[T]) -> None:
        insort(self._kept, entry)
        self._by_key[entry.key] = entry
        self._tokens += entry.length
        while len(self._kept) > 1 and self._is_spare(self._kept[-1]):
            self._remove(self._kept[-1])

    def _is_spare(self, last: Ranked[T]) -> bool:
        """Whether the sentences before the last one use the budget up."""
        return self.budget.is_used_up(len(self._kept) - 1, self._tokens - last.length)

    def _remove(self, entry: Ranked[T]) -> None:
        del self._kept[bisect_left(self._kept, entry)]
        del self._by_key[entry.key]
        self._tokens -= entry.length
