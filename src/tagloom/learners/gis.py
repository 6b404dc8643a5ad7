"""Generalised iterative scaling (Darroch & Ratcliff 1972) of MaxEnt taggers; a pass is an iteration.

With C the largest sum of feature values of a token with a label, w += log(observed / expected) / C never lowers the
likelihood, and needs no correction feature (Curran & Clark 2003).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.errors import ConfigError
from tagloom.learners.batch import WINDOW, batch_objective, has_settled
from tagloom.learners.lbfgs import Vector
from tagloom.learners.learner import Learner
from tagloom.learners.online import Pass, Tensors

_LEAST = 1e-12  # part of what was observed: an expectation that rounding has made zero or less


class ScalingState:
    """The variables, and the latest values of the loss."""

    def __init__(self, objective: _core.BatchObjective) -> None:
        self.objective = objective
        self.x: Vector = np.zeros(objective.size)
        self.values: list[float] = []

    def mean(self) -> NDArray[np.float32]:
        return self.objective.weights(self.x)

    take_mean = mean

    def to_tensors(self) -> Tensors:
        return {"x": self.x, "numbers": np.array(self.values)}

    def restore(self, tensors: Tensors) -> None:
        if set(tensors) != {"x", "numbers"} or tensors["x"].shape != self.x.shape or tensors["numbers"].ndim != 1:
            raise ValueError("arrays do not fit the learner")
        self.x, self.values = tensors["x"].copy(), tensors["numbers"].tolist()


class ScalingTraining:
    """Iterations, until the loss has settled or the caller stops."""

    def __init__(
        self, learner: Learner, numbers: dict[str, Any], data: _core.ChainData, count: int, threads: int
    ) -> None:
        self.count, self.threads = count, threads
        self.objective = batch_objective(learner, numbers, data)
        if self.objective.has_negative_values:
            raise ConfigError(
                f"learner {learner.name!r}: expected feature values of 0 or more, got negative ones; "
                "take learner maxent or maxent-sgd"
            )
        self.state = ScalingState(self.objective)

    def start(self, weights: NDArray[np.float32]) -> None:
        """Begin from these weights instead of zeros; those of features that do not occur in the data stay."""
        self.objective.start(weights)
        self.state.x = self.objective.variables(weights)

    def restore(self, tensors: Tensors) -> None:
        """Go on from what ``state.to_tensors()`` gave."""
        self.state.restore(tensors)

    def passes(self, seed: int, done: int = 0) -> Iterator[Pass]:
        """Iterations ``done + 1`` and so on; the seed does not matter."""
        state, epoch, gradient = self.state, done, np.empty(self.objective.size)
        observed = self.objective.observed(self.threads)
        constant = self.objective.largest_sum(observed, self.threads)
        while True:
            epoch += 1
            loss, errors = self.objective.evaluate(state.x, gradient, self.threads)
            state.x = scaled(state.x, observed, observed + gradient, constant)
            state.values = [*state.values[-WINDOW:], loss]
            yield Pass(epoch, self.count, errors, loss, state, is_last=has_settled(state.values))


def scaled(x: Vector, observed: Vector, expected: Vector, constant: float) -> Vector:
    """One iteration; variables that were never observed stay: their weight would go to minus infinity."""
    seen = observed > 0
    ratio = observed[seen] / np.maximum(expected[seen], _LEAST * observed[seen])
    moved: Vector = x.copy()
    moved[seen] += np.log(ratio) / constant
    return moved
