"""Rankers: what chooses among candidates, once it has been learned (collins-2002, section 4).

A linear ranker adds up weights, F(x, a) = w_0 L(x) + sum_s w_s h_s(x). In a voted ranker, every vector of weights that
the perceptron had during training votes for its best candidate. ``tagloom.learners.ranking`` learns both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus.corpus import IntArray, ranges
from tagloom.features.tensors import Tensors
from tagloom.structures.candidates import to_offsets

Values = NDArray[np.float64]

#: How a ranker can be learned: method -> help.
METHODS = {
    "voted": "every vector of the perceptron votes (Figures 3 and 4)",
    "averaged": "the mean of the same vectors",
    "boosting": "one feature per round, by the exponential loss (Figure 2)",
    "margin": "the averaged perceptron that also moves where the best candidate wins by C or less",
}


@dataclass(frozen=True)
class CurvePoint:
    """The training of a ranker after some rounds (boosting) or passes (perceptrons)."""

    round: int
    loss: float  # ExpLoss; for perceptrons the number of lists whose winner was not the best candidate
    dev_score: float | None = None


@dataclass(frozen=True)
class LinearRanker:
    """The weights of the features, and the weight of the base score."""

    weights: NDArray[np.float64]  # [m]
    base: float  # w_0

    def __repr__(self) -> str:
        return f"LinearRanker({self.features:,} features, base weight {self.base:.4g})"

    @property
    def features(self) -> int:
        """The number of features."""
        return len(self.weights)

    def values(self, lists: _core.RankingLists, threads: int = 1) -> Values:
        """[C] F(x, a) of every candidate."""
        return lists.score(self.weights, self.base, threads)

    def winners(self, lists: _core.RankingLists, threads: int = 1) -> IntArray:
        """[S] the number of the chosen candidate in its list; -1 for empty lists."""
        return lists.winners(self.values(lists, threads))

    def mean_weights(self) -> tuple[NDArray[np.float64], float]:
        """The weights of the features and of the base score."""
        return self.weights, self.base

    def used(self) -> NDArray[np.bool_]:
        """[m] whether a feature has a weight other than zero."""
        return np.asarray(self.weights != 0)

    def only(self, rows: IntArray) -> LinearRanker:
        """Keep some of the features."""
        return LinearRanker(self.weights[rows], self.base)

    def to_tensors(self) -> Tensors:
        """Return the arrays that a model file holds."""
        return {"weights": self.weights, "base": np.array([self.base])}


@dataclass(frozen=True)
class VotedRanker:
    """All weight vectors of a training, as the changes from one to the next."""

    offsets: IntArray  # [m + 1] into the events
    events: NDArray[np.uint32]  # update << 1 | whether the weight fell
    base: NDArray[np.float64]  # [U + 1] weight of the base score after every update
    votes: IntArray  # [U + 1]

    def __repr__(self) -> str:
        return f"VotedRanker({self.features:,} features, {len(self.votes):,} vectors)"

    @property
    def features(self) -> int:
        """The number of features."""
        return len(self.offsets) - 1

    def values(self, lists: _core.RankingLists, threads: int = 1) -> Values:
        """[C] the votes of every candidate, as fractions of all votes."""
        votes = self._trajectory.vote(lists, only_winner=False, threads=threads)
        return votes / max(int(self.votes.sum()), 1)

    def winners(self, lists: _core.RankingLists, threads: int = 1) -> IntArray:
        """[S] the number of the chosen candidate in its list; -1 for empty lists."""
        return lists.winners(self._trajectory.vote(lists, only_winner=True, threads=threads))

    def mean_weights(self) -> tuple[NDArray[np.float64], float]:
        """The mean of the vectors, weighted by their votes: similar decisions, but readable."""
        votes = np.maximum(self.votes, 0).astype(np.float64)
        share = votes[::-1].cumsum()[::-1] / max(votes.sum(), 1.0)  # share of the votes from a vector on
        signs = 1.0 - 2.0 * (self.events & 1)
        owner = np.repeat(np.arange(self.features), np.diff(self.offsets))
        weights = np.bincount(owner, signs * share[self.events >> 1], minlength=self.features)
        return weights.astype(np.float64), float(votes @ self.base / max(votes.sum(), 1.0))

    def used(self) -> NDArray[np.bool_]:
        """[m] whether the weight of a feature has ever changed."""
        return np.diff(self.offsets) > 0

    def only(self, rows: IntArray) -> VotedRanker:
        """Keep some of the features."""
        lengths = np.diff(self.offsets)[rows]
        events = self.events[ranges(self.offsets[rows], lengths)]
        return VotedRanker(to_offsets(lengths), events, self.base, self.votes)

    def to_tensors(self) -> Tensors:
        """Return the arrays that a model file holds."""
        return {"offsets": self.offsets, "events": self.events, "base": self.base, "votes": self.votes}

    @cached_property
    def _trajectory(self) -> _core.Trajectory:
        return _core.Trajectory(self.offsets, self.events, self.base, self.votes)


Ranker = LinearRanker | VotedRanker


def restore_ranker(tensors: Mapping[str, NDArray[Any]]) -> Ranker:
    """Restore a ranker from what ``to_tensors`` returned; raises ValueError if an event is of no update."""
    if "weights" in tensors:
        return LinearRanker(tensors["weights"], float(tensors["base"][0]))
    voted = VotedRanker(tensors["offsets"], tensors["events"], tensors["base"], tensors["votes"])
    voted._trajectory  # noqa: B018 - checks the numbers
    return voted
