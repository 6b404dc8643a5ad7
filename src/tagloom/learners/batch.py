"""Batch training of CRFs and MaxEnt taggers: L-BFGS with L2, OWL-QN with the elastic net; a pass is an iteration."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.errors import ConfigError
from tagloom.learners.blocks import Blocks
from tagloom.learners.lbfgs import Point, Vector, first_point, resume
from tagloom.learners.learner import Learner
from tagloom.learners.objective import SummedObjective
from tagloom.learners.online import Pass, Tensors
from tagloom.learners.warm_up import warm_up
from tagloom.schema import Array, Layout, Misfit, Text, limits

_PERIOD = 10  # iterations over which the fall of the objective is measured, if no setting says so
_CONVERGED = 1e-5  # training ends when the objective has fallen by less than this fraction of itself in a period
_LEAST_CURVATURE = 1e-3  # along variables that hardly matter, whose steps would be huge otherwise
# Before the objective has settled to this degree, development scores say nothing: on sparse entities F1 is 0.00 for the
# first 5 to 20 iterations, and on large corpora it rises in steps with flat stretches between them.
_SETTLED = 0.01


@dataclass
class Descent:
    """The latest values of an objective, and the iteration in which they had settled for the first time."""

    values: list[float] = field(default_factory=list)  # the latest last
    settled: int = 0  # 0: not yet
    period: int = _PERIOD
    tolerance: float = _CONVERGED

    def add(self, epoch: int, value: float) -> None:
        """Take down the value after an iteration."""
        self.values = [*self.values[-self.period :], value]
        if self.settled == 0 and self._falls_by_less_than(_SETTLED):
            self.settled = epoch

    @property
    def has_converged(self) -> bool:
        """Whether the objective hardly falls any more."""
        return self._falls_by_less_than(self.tolerance)

    def _falls_by_less_than(self, part: float) -> bool:
        values = self.values
        return len(values) > self.period and values[-self.period - 1] - values[-1] < part * abs(values[-1])

    def to_array(self) -> Vector:
        """The numbers that a checkpoint keeps."""
        return np.array([self.settled, *self.values])

    def restore(self, numbers: Vector) -> None:
        """The inverse of ``to_array``."""
        settled, *self.values = numbers.tolist()
        if not (settled.is_integer() and 0 <= settled <= limits.MOST_PASSES):
            raise Misfit("tensor descent", "the number of a pass first", settled)
        self.settled = int(settled)


_FARTHEST = 1e100  # absolute value of variables: sums of their products stay finite
_DESCENT = Array("descent", "F64", "", "Pass in which the objective had settled, and its last values.")


class ScalingState:
    """The variables, and how the objective has fallen: the state of a batch learner."""

    def __init__(self, objective: SummedObjective) -> None:
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
        """Continue from what ``to_tensors`` gave; raises ValueError if the arrays do not fit the objective."""
        Layout((self._describe_vector("x", "Variables."), _DESCENT)).check_all(tensors)
        self.x = tensors["x"].copy()
        self.descent.restore(tensors["descent"])

    def _describe_vector(self, name: str, text: str, low: float = -_FARTHEST, *, is_needed: bool = True) -> Array:
        return Array(name, "F64", str(self.objective.size), text, low, _FARTHEST, is_needed=is_needed)


class BatchState(ScalingState):
    """Where the optimizer stands; ``x`` is where it starts."""

    point: Point | None = None

    def mean(self) -> NDArray[np.float32]:
        """The weights at this point; batch learners do not average."""
        assert self.point is not None
        return self.objective.weights(self.point.x)

    take_mean = mean

    def to_tensors(self) -> Tensors:
        """The arrays from which training continues."""
        assert self.point is not None
        point = self.point
        pairs = {f"steps.{i}": step for i, step in enumerate(point.steps)}
        pairs |= {f"changes.{i}": change for i, change in enumerate(point.changes)}
        numbers = {"value": np.array([point.value]), "descent": self.descent.to_array()}
        scale = {} if point.scale is None else {"scale": point.scale}
        return {"x": point.x, "gradient": point.gradient, **numbers, **pairs, **scale}

    def restore(self, tensors: Tensors) -> None:
        """Continue from what ``to_tensors`` gave; raises ValueError if the arrays do not fit the objective."""
        count = min(sum(name.startswith("steps.") for name in tensors), limits.MOST_STEPS)
        self._describe(count).check_all(tensors)
        vectors = {name: array.copy() for name, array in tensors.items() if name not in ("value", "descent")}
        steps, changes = ([vectors[f"{kind}.{i}"] for i in range(count)] for kind in ("steps", "changes"))
        value = float(tensors["value"][0])
        self.descent.restore(tensors["descent"])
        for number, (step, change) in enumerate(zip(steps, changes, strict=True)):
            if not _core.dot(step, change) > 0:
                raise Misfit(f"tensor steps.{number}", "a step along which the gradient rises", Text("another one"))
        self.point = Point(vectors["x"], value, vectors["gradient"], steps, changes, vectors.get("scale"))

    def _describe(self, count: int) -> Layout:
        """Describe the arrays of a state that remembers ``count`` steps."""
        pairs = [
            self._describe_vector(f"{name}.{number}", text)
            for number in range(count)
            for name, text in (("steps", "A step that is remembered."), ("changes", "How the gradient changed in it."))
        ]
        return Layout(
            (
                self._describe_vector("x", "Variables."),
                self._describe_vector("gradient", "Gradient of the smooth part of the objective."),
                self._describe_vector("scale", "Inverse curvature, if it is known.", 1 / _FARTHEST, is_needed=False),
                Array("value", "F64", "1", "Value of the objective.", -_FARTHEST, _FARTHEST),
                _DESCENT,
                *pairs,
            )
        )


StateT = TypeVar("StateT", bound=ScalingState)


class _Training(Generic[StateT]):
    """What the batch learners share."""

    def __init__(
        self, learner: Learner, numbers: dict[str, Any], chain: _core.Chain, blocks: Blocks, threads: int,
        state: type[StateT], objective: type[SummedObjective] = SummedObjective,
    ) -> None:  # fmt: skip
        self.count, self.threads = blocks.count, threads
        self.objective = objective(learner, numbers, chain, blocks)
        self.state = state(self.objective)

    def start(self, weights: NDArray[np.float32]) -> None:
        """Begin from these weights instead of zeros; weights of features that do not occur in the data stay."""
        self.objective.start(weights)
        self.state.x = self.objective.variables(weights)

    def restore(self, tensors: Tensors) -> None:
        """Continue from what ``state.to_tensors()`` gave."""
        self.state.restore(tensors)


class BatchTraining(_Training[BatchState]):
    """Iterations of a batch learner, until the objective has converged or the caller stops."""

    def __init__(
        self, learner: Learner, numbers: dict[str, Any], chain: _core.Chain, blocks: Blocks, threads: int,
        objective: type[SummedObjective] = SummedObjective,
    ) -> None:  # fmt: skip
        super().__init__(learner, numbers, chain, blocks, threads, BatchState, objective)
        self.chain, self.blocks, self.sgd_passes = chain, blocks, numbers.get("sgd_passes", 0)
        self.l1, self.l2 = numbers.get("c1", 0.0), numbers["c2"]
        self.memory = numbers["memories"]
        self.state.descent = Descent(period=numbers["period"], tolerance=numbers["tolerance"])
        self.errors, self.loss = 0, 0.0

    def passes(self, seed: int, done: int = 0) -> Iterator[Pass]:
        """Run the iterations from ``done + 1`` on; the seed matters only to passes of SGD before the first one."""
        state, epoch = self.state, done
        if state.point is None:
            state.point = self._find_start(seed)
        descent = state.descent
        points = (
            iter(()) if descent.has_converged else resume(self._smooth, state.point, l1=self.l1, memory=self.memory)
        )
        for epoch, point in enumerate(points, done + 1):
            descent.add(epoch, point.value)
            yield Pass(epoch, self.count, self.errors, self.loss, state, descent.has_converged, descent.settled)
            if descent.has_converged:
                return
        self._smooth(state.point.x, np.empty_like(state.point.x))  # no step goes down: a pass that moves nothing
        yield Pass(epoch + 1, 0, self.errors, self.loss, state, True, descent.settled)

    def _find_start(self, seed: int) -> Point:
        """Build the first point: zeros, the weights to begin from, or what passes of SGD found, with its curvature."""
        if self.sgd_passes == 0:
            return first_point(self._smooth, self.state.x, l1=self.l1)
        if not self.state.x.any():
            self.state.x = warm_up(
                self.objective, self.chain, self.blocks,
                c2=self.l2, passes=self.sgd_passes, seed=seed, threads=self.threads,
            )  # fmt: skip
        point = first_point(self._smooth, self.state.x, l1=self.l1)
        curvature = self.objective.curvature(self.state.x, self.threads) + 2 * self.l2
        point.scale = 1 / np.maximum(curvature, _LEAST_CURVATURE)
        return point

    def _smooth(self, x: Vector, gradient: Vector) -> float:
        """The sum of -log P plus c2 |w|^2, and its gradient."""
        self.loss, self.errors = self.objective.evaluate(x, gradient, self.threads)
        _core.add_scaled(gradient, 2 * self.l2, x)
        return float(self.loss + self.l2 * _core.dot(x, x))


_LEAST = 1e-12  # least expectation, as a fraction of what was observed; rounding can make it zero or negative


class ScalingTraining(_Training[ScalingState]):
    """Iterations of generalised iterative scaling, until the loss has converged or the caller stops."""

    def __init__(
        self, learner: Learner, numbers: dict[str, Any], chain: _core.Chain, blocks: Blocks, threads: int,
        objective: type[SummedObjective] = SummedObjective,
    ) -> None:  # fmt: skip
        super().__init__(learner, numbers, chain, blocks, threads, ScalingState, objective)
        if self.objective.has_negative_values:
            raise ConfigError(
                f"learner {learner.name!r}: expected feature values of 0 or more, got negative ones; "
                "choose learner maxent or maxent-sgd"
            )

    def passes(self, seed: int, done: int = 0) -> Iterator[Pass]:
        """Run the iterations from ``done + 1`` on; the seed does not matter."""
        state, gradient = self.state, np.empty(self.objective.size)
        observed = self.objective.observed(self.threads)
        constant = self.objective.largest_sum(observed, self.threads)
        for epoch in itertools.count(done + 1):
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
