"""Generalised iterative scaling (Darroch & Ratcliff 1972) for MaxEnt taggers; a pass is an iteration.

Let C be the largest sum of feature values of a token with a label. Then w += log(observed / expected) / C never lowers
the likelihood, and no correction feature is needed (Curran & Clark 2003).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.errors import ConfigError
from tagloom.learners.batch import Descent, batch_objective
from tagloom.learners.lbfgs import Vector
from tagloom.learners.learner import Learner
from tagloom.learners.online import Pass, Tensors

_LEAST = 1e-12  # least expectation, as a fraction of what was observed; rounding can make it zero or negative


class ScalingState:
    """The variables, and how the loss has fallen."""

    def __init__(self, objective: _core.BatchObjective) -> None:
        self.objective = objective
        self.x: Vector = np.zeros(objective.size)
        self.descent = Descent()

    def mean(self) -> NDArray[np.float32]:
        """The weights; batch learners do not average."""
        return self.objective.weights(self.x)

    take_mean = mean

    def to_tensors(self) -> Tensors:
        """The arrays from which training continues."""
        return {"x": self.x, "descent": self.descent.to_array()}

    def restore(self, tensors: Tensors) -> None:
        """Continue from what ``to_tensors`` gave.

        Raises:
            ValueError: The arrays do not fit the objective.
        """
        if set(tensors) != {"x", "descent"} or tensors["x"].shape != self.x.shape or tensors["descent"].ndim != 1:
            raise ValueError("arrays do not fit the learner")
        self.x, self.descent = tensors["x"].copy(), Descent.from_array(tensors["descent"])


class ScalingTraining:
    """Iterations, until the loss has converged or the caller stops."""

    def __init__(
        self, learner: Learner, numbers: dict[str, Any], data: _core.ChainData, count: int, threads: int
    ) -> None:
        self.count, self.threads = count, threads
        self.objective = batch_objective(learner, numbers, data)
        if self.objective.has_negative_values:
            raise ConfigError(
                f"learner {learner.name!r}: expected feature values of 0 or more, got negative ones; "
                "choose learner maxent or maxent-sgd"
            )
        self.state = ScalingState(self.objective)

    def start(self, weights: NDArray[np.float32]) -> None:
        """Begin from these weights instead of zeros; weights of features that do not occur in the data stay."""
        self.objective.start(weights)
        self.state.x = self.objective.variables(weights)

    def restore(self, tensors: Tensors) -> None:
        """Continue from what ``state.to_tensors()`` gave."""
        self.state.restore(tensors)

    def passes(self, seed: int, done: int = 0) -> Iterator[Pass]:
        """Run the iterations from ``done + 1`` on; the seed does not matter."""
        state, epoch, gradient = self.state, done, np.empty(self.objective.size)
        observed = self.objective.observed(self.threads)
        constant = self.objective.largest_sum(observed, self.threads)
        while True:
            epoch += 1
            loss, errors = self.objective.evaluate(state.x, gradient, self.threads)
            state.x = scale(state.x, observed, observed + gradient, constant)
            state.descent.add(epoch, loss)
            descent = state.descent
            yield Pass(epoch, self.count, errors, loss, state, descent.has_converged, descent.settled)


def scale(x: Vector, observed: Vector, expected: Vector, constant: float) -> Vector:
    """Run one iteration; variables that were never observed stay, because their weight would go to minus infinity."""
    seen = observed > 0
    ratio = observed[seen] / np.maximum(expected[seen], _LEAST * observed[seen])
    moved: Vector = x.copy()
    moved[seen] += np.log(ratio) / constant
    return moved
