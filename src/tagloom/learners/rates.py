"""Search for the first learning rate, by one pass over a sample per rate (he-wang-2012, section 3.1)."""

from __future__ import annotations

from typing import Any

import numpy as np

from tagloom.learners.blocks import Blocks, WholeData
from tagloom.learners.history import get_search
from tagloom.learners.learner import Learner
from tagloom.learners.online import OnlineTraining
from tagloom.structures.chain import NO_CONSTRAINTS

_SAMPLE = 1000  # examples
_FIRST, _FACTOR = 0.1, 2.0
_LEAST, _MOST = 1e-5, 1e4


def search_rate(learner: Learner, numbers: dict[str, Any], blocks: Blocks, seed: int, threads: int) -> float:
    """Double or halve the rate as long as the regularized objective of a sample falls; return the best rate."""
    chain, sample, size = blocks.take_sample(_SAMPLE, seed)
    drawn = WholeData(sample, size)
    search = get_search(learner, numbers) if learner.is_locally_normalised else None

    def compute_objective(rate: float) -> float:
        """Train one pass over the sample with a rate."""
        given = {**numbers, "rate": rate}
        training = OnlineTraining(learner, given, chain, drawn, total=blocks.count, search=search)
        training.run(np.arange(size, dtype=np.int64))
        weights = training.state.mean()
        if search is None:
            found = sample.log_probabilities(weights, threads)
        else:
            found = sample.history_log_probabilities(weights, search.core(), NO_CONSTRAINTS, threads)
        penalty = numbers.get("c1", 0.0) * np.abs(weights).sum(dtype=np.float64)
        penalty += numbers.get("c2", 0.0) * np.square(weights, dtype=np.float64).sum()
        value = float(-found.sum() + size / blocks.count * penalty)
        return value if np.isfinite(value) else float("inf")

    best, objective = _FIRST, compute_objective(_FIRST)
    for factor in (_FACTOR, 1 / _FACTOR):
        rate = best * factor
        while _LEAST <= rate <= _MOST and (found := compute_objective(rate)) < objective:
            best, objective, rate = rate, found, rate * factor
    return best
