"""Batch training of a CRF or a MaxEnt tagger: L-BFGS with L2, OWL-QN with the elastic net; a pass is an iteration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.learners.history import search_of
from tagloom.learners.lbfgs import Point, Vector, first_point, resume
from tagloom.learners.learner import Learner
from tagloom.learners.online import Pass, Tensors

# Training ends when the objective has fallen by less than this part of itself in so many iterations.
_LEAST_GAIN, WINDOW = 1e-5, 10


def batch_objective(learner: Learner, numbers: dict[str, Any], data: _core.ChainData) -> _core.BatchObjective:
    """The sum of -log P over all sentences, as a function of the weights that exist."""
    search = search_of(learner, numbers).core() if learner.is_locally_normalised else None
    return _core.BatchObjective(data, numbers.get("node_labels", "seen") == "all", numbers["label_cutoff"], search)


class BatchState:
    """Where the optimizer stands, as a learner's state."""

    def __init__(self, objective: _core.BatchObjective) -> None:
        self.objective = objective
        self.point: Point | None = None
        self.values: list[float] = []  # of the objective, the latest last

    def mean(self) -> NDArray[np.float32]:
        assert self.point is not None
        return self.objective.weights(self.point.x)

    take_mean = mean

    def to_tensors(self) -> Tensors:
        assert self.point is not None
        point = self.point
        pairs = {f"steps.{i}": step for i, step in enumerate(point.steps)}
        pairs |= {f"changes.{i}": change for i, change in enumerate(point.changes)}
        numbers = np.array([point.value, *self.values])
        return {"x": point.x, "gradient": point.gradient, "numbers": numbers, **pairs}

    def restore(self, tensors: Tensors) -> None:
        count = sum(name.startswith("steps.") for name in tensors)
        vectors = {name: array for name, array in tensors.items() if name != "numbers"}
        if any(array.shape != (self.objective.size,) for array in vectors.values()):
            raise ValueError("arrays do not fit the learner")
        steps = [vectors[f"steps.{i}"].copy() for i in range(count)]
        changes = [vectors[f"changes.{i}"].copy() for i in range(count)]
        value, *self.values = tensors["numbers"].tolist()
        self.point = Point(vectors["x"].copy(), value, vectors["gradient"].copy(), steps, changes)

    @property
    def has_converged(self) -> bool:
        return has_settled(self.values)


def has_settled(values: list[float]) -> bool:
    """Whether the latest values of an objective hardly fall."""
    return len(values) > WINDOW and values[-WINDOW - 1] - values[-1] < _LEAST_GAIN * abs(values[-1])


class BatchTraining:
    """Iterations of a batch learner, until it has converged or the caller stops."""

    def __init__(
        self,
        learner: Learner,
        numbers: dict[str, Any],
        chain: _core.Chain,
        data: _core.ChainData,
        count: int,
        threads: int,
    ) -> None:
        self.count, self.threads = count, threads
        self.l1, self.l2 = numbers.get("c1", 0.0), numbers["c2"]
        self.objective = batch_objective(learner, numbers, data)
        self.state = BatchState(self.objective)
        self.errors, self.loss = 0, 0.0
        self.first: Vector = np.zeros(self.objective.size)

    def start(self, weights: NDArray[np.float32]) -> None:
        """Begin from these weights instead of zeros; those of features that do not occur in the data stay."""
        self.objective.start(weights)
        self.first = self.objective.variables(weights)

    def restore(self, tensors: Tensors) -> None:
        """Go on from what ``state.to_tensors()`` gave."""
        self.state.restore(tensors)

    def passes(self, seed: int, done: int = 0) -> Iterator[Pass]:
        """Iterations ``done + 1`` and so on; the seed does not matter."""
        state, epoch = self.state, done
        if state.point is None:
            state.point = first_point(self._smooth, self.first, l1=self.l1)
        points = iter(()) if state.has_converged else resume(self._smooth, state.point, l1=self.l1)
        for epoch, point in enumerate(points, done + 1):
            state.values = [*state.values[-WINDOW:], point.value]
            yield Pass(epoch, self.count, self.errors, self.loss, state, is_last=state.has_converged)
            if state.has_converged:
                return
        self._smooth(state.point.x, np.empty_like(state.point.x))  # no step goes down: a pass that moves nothing
        yield Pass(epoch + 1, 0, self.errors, self.loss, state, is_last=True)

    def _smooth(self, x: Vector, gradient: Vector) -> float:
        """The sum of -log P plus c2 |w|^2, and its gradient."""
        self.loss, self.errors = self.objective.evaluate(x, gradient, self.threads)
        _core.add_scaled(gradient, 2 * self.l2, x)
        return float(self.loss + self.l2 * _core.dot(x, x))
