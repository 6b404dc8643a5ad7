"""The objective of batch learners: the sum of -log P over all sentences, added up block by block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.learners.blocks import Blocks, count_gold
from tagloom.learners.history import get_search
from tagloom.learners.lbfgs import Vector
from tagloom.learners.learner import Learner
from tagloom.learners.settings import get_support_defaults


def build_objective(
    learner: Learner, numbers: dict[str, Any], data: _core.ChainData, counts: _core.GoldCounts | None = None
) -> _core.BatchObjective:
    """Build the sum over some sentences; counts of all data decide which weights exist if these are a part of it."""
    search = get_search(learner, numbers).core() if learner.is_locally_normalised else None
    chosen = {**get_support_defaults(learner), **numbers}
    all_labels, all_pairs = chosen["node_labels"] == "all", chosen["transition_pairs"] == "all"
    return _core.BatchObjective(data, all_labels, numbers["label_cutoff"], search, all_pairs, counts)


class SummedObjective:
    """A function of the weights that exist; one block of the data is open at a time."""

    def __init__(self, learner: Learner, numbers: dict[str, Any], chain: _core.Chain, blocks: Blocks) -> None:
        self._learner, self._numbers, self._chain, self._blocks = learner, numbers, chain, blocks
        self._counts = self._count() if len(blocks) > 1 else None
        self._first: NDArray[np.float32] | None = None
        self._open(0)

    def _count(self) -> _core.GoldCounts:
        is_backwards = self._learner.is_locally_normalised and get_search(self._learner, self._numbers).is_backwards
        return count_gold(self._chain, self._blocks, is_backwards=is_backwards)

    def _open(self, block: int) -> None:
        self._part: _core.BatchObjective | None = None  # gives its memory back before another one needs it
        self._part = build_objective(self._learner, self._numbers, self._blocks.cut(block), self._counts)
        if self._first is not None:
            self._part.start(self._first)
        self._block = block

    def _get_part(self) -> _core.BatchObjective:
        assert self._part is not None
        return self._part

    def _iterate_parts(self) -> Iterator[_core.BatchObjective]:
        for block in range(len(self._blocks)):
            if block != self._block:
                self._open(block)
            yield self._get_part()

    @property
    def size(self) -> int:
        """The number of variables."""
        return self._get_part().size

    @property
    def has_negative_values(self) -> bool:
        """Whether a feature has a negative value."""
        return any(part.has_negative_values for part in self._iterate_parts())

    def start(self, weights: NDArray[np.float32]) -> None:
        """Start from weights: those of features that occur become variables, the others stay fixed."""
        self._first = weights
        self._get_part().start(weights)

    def variables(self, weights: NDArray[np.float32]) -> Vector:
        """Select the variables among the weights of the chain."""
        return self._get_part().variables(weights)

    def weights(self, x: Vector) -> NDArray[np.float32]:
        """Lay the variables out as weights of the chain."""
        return self._get_part().weights(x)

    def evaluate(self, x: Vector, gradient: Vector, threads: int) -> tuple[float, int]:
        """Write the gradient, and return the loss and the number of wrong tokens."""
        losses, errors, other = 0.0, 0, None if len(self._blocks) == 1 else np.empty_like(gradient)
        for number, part in enumerate(self._iterate_parts()):
            target = gradient if number == 0 or other is None else other
            loss, wrong = part.evaluate(x, target, threads)
            losses, errors = losses + loss, errors + wrong
            if target is other:
                _core.add_scaled(gradient, 1.0, other)
        return losses, errors

    def curvature(self, x: Vector, threads: int) -> Vector:
        """Bound the second derivative along each variable at x, where the objective was evaluated last."""
        sums, unused = np.zeros(self.size), np.empty(self.size)
        for part in self._iterate_parts():
            if len(self._blocks) > 1:  # another block was evaluated since
                part.evaluate(x, unused, threads)
            sums += part.curvature(threads)
        return sums

    def observed(self, threads: int) -> Vector:
        """Count how often the feature of each variable occurs with the gold labels."""
        sums = np.zeros(self.size)
        for part in self._iterate_parts():
            sums += part.observed(threads)
        return sums

    def largest_sum(self, counts: Vector, threads: int) -> float:
        """Return C of iterative scaling: the largest sum, over tokens and labels, of values of counted variables."""
        return max(part.largest_sum(counts, threads) for part in self._iterate_parts())


def find_support(learner: Learner, numbers: dict[str, Any], chain: _core.Chain, blocks: Blocks) -> NDArray[np.float32]:
    """Mark the weights that exist by the settings of a learner: an array like the weights of the chain."""
    objective = SummedObjective(learner, numbers, chain, blocks)
    return objective.weights(np.ones(objective.size))
