"""Search for the first learning rate, by one pass over a sample per rate (he-wang-2012, section 3.1)."""

from __future__ import annotations

from typing import Any

import numpy as np

import tagloom._core as _core
from tagloom.learners.history import get_search
from tagloom.learners.learner import Learner
from tagloom.learners.online import OnlineTraining, shuffle_order
from tagloom.structures.chain import NO_CONSTRAINTS

_SAMPLE = 1000  # examples
_FIRST, _FACTOR = 0.1, 2.0
_LEAST, _MOST = 1e-5, 1e4


def search_rate(
    learner: Learner, numbers: dict[str, Any], data: _core.ChainData, count: int, seed: int, threads: int
) -> float:
    """Double or halve the rate as long as the regularized objective of a sample falls; return the best rate."""
    order = shuffle_order(count, seed, 0)[:_SAMPLE]
    chain, sample = data.sample(order)
    trial = _Trial(learner, numbers, chain, sample, len(order), count, threads)
    best, objective = _FIRST, trial.objective(_FIRST)
    for factor in (_FACTOR, 1 / _FACTOR):
        rate = best * factor
        while _LEAST <= rate <= _MOST and (found := trial.objective(rate)) < objective:
            best, objective, rate = rate, found, rate * factor
    return best


class _Trial:
    """Training passes over the sample with different rates."""

    def __init__(
        self, learner: Learner, numbers: dict[str, Any], chain: _core.Chain, sample: _core.ChainData,
        examples: int, total: int, threads: int,
    ) -> None:  # fmt: skip
        self.learner, self.numbers, self.chain, self.sample = learner, numbers, chain, sample
        self.examples, self.total, self.threads = examples, total, threads

    def objective(self, rate: float) -> float:
        """The regularized objective of the sample after one pass with a rate."""
        numbers = {**self.numbers, "rate": rate}
        search = get_search(self.learner, numbers) if self.learner.is_locally_normalised else None
        training = OnlineTraining(
            self.learner, numbers, self.chain, self.sample, self.examples, total=self.total, search=search
        )
        training.run(np.arange(self.examples, dtype=np.int64))
        weights = training.state.mean()
        if search is None:
            found = self.sample.log_probabilities(weights, self.threads)
        else:
            found = self.sample.history_log_probabilities(weights, search.core(), NO_CONSTRAINTS, self.threads)
        loss = -found.sum()
        share = self.examples / self.total
        penalty = numbers.get("c1", 0.0) * np.abs(weights).sum(dtype=np.float64)
        penalty += numbers.get("c2", 0.0) * np.square(weights, dtype=np.float64).sum()
        value = float(loss + share * penalty)
        return value if np.isfinite(value) else float("inf")
