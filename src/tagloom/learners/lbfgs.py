"""The optimizers of batch training in NumPy: L-BFGS, and OWL-QN for objectives with an L1 term."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagloom._core import add_scaled, dot  # the order of sums in BLAS depends on the number of cores

Vector = NDArray[np.float64]
#: Takes x, writes the gradient, and returns the value, of the smooth part of the objective.
Objective = Callable[[Vector, Vector], float]

_ARMIJO = 1e-4
_TRIALS = 20


@dataclass
class Point:
    """The state of an optimizer: everything that the next iteration depends on."""

    x: Vector
    value: float  # of the whole objective
    gradient: Vector  # of the smooth part
    steps: list[Vector]  # s_k = x_{k+1} - x_k, the latest last
    changes: list[Vector]  # y_k = gradient_{k+1} - gradient_k
    scale: Vector | None = None  # inverse curvature along every coordinate, if it is known

    def __repr__(self) -> str:
        return f"Point(value={self.value:.6g}, {len(self.x):,} variables, {len(self.steps)} steps remembered)"


def minimise(objective: Objective, x: Vector, *, l1: float = 0.0, memory: int = 6) -> Iterator[Point]:
    """Minimise f(x) + l1 |x|_1; the iterator ends when no step makes it smaller (Andrew & Gao 2007)."""
    yield from resume(objective, first_point(objective, x, l1=l1), l1=l1, memory=memory)


def first_point(objective: Objective, x: Vector, *, l1: float = 0.0) -> Point:
    """Build the point from which minimising starts."""
    gradient = np.empty_like(x)
    value = objective(x, gradient) + l1 * float(np.abs(x).sum())
    return Point(x.copy(), value, gradient, [], [])


def resume(objective: Objective, point: Point, *, l1: float = 0.0, memory: int = 6) -> Iterator[Point]:
    """Continue after ``point``, which is changed in place."""
    while True:
        slope = steepest(point, l1)
        if not slope.any() or not _advance(objective, point, slope, l1, memory):
            return
        yield point


def steepest(point: Point, l1: float) -> Vector:
    """Compute the pseudo-gradient: the one-sided derivatives along which the objective falls fastest."""
    if l1 == 0:
        return point.gradient
    x, gradient = point.x, point.gradient
    at_zero = np.where(gradient + l1 < 0, gradient + l1, np.where(gradient - l1 > 0, gradient - l1, 0.0))
    return np.where(x == 0, at_zero, gradient + l1 * np.sign(x))


def _advance(objective: Objective, point: Point, slope: Vector, l1: float, memory: int) -> bool:
    direction = _two_loops(point, slope)
    if l1:
        direction[direction * slope >= 0] = 0.0  # the objective must fall along every coordinate
    if dot(direction, slope) >= 0:  # the remembered steps mislead: forget them
        point.steps.clear()
        point.changes.clear()
        direction = _descend(point, slope)
    orthant = np.where(point.x != 0, np.sign(point.x), -np.sign(slope)) if l1 else None
    size = 1.0 if point.steps or point.scale is not None else 1.0 / max(dot(slope, slope) ** 0.5, 1e-12)
    return _search(objective, point, slope, direction, size, l1, orthant, memory)


def _search(
    objective: Objective, point: Point, slope: Vector, direction: Vector, size: float, l1: float,
    orthant: Vector | None, memory: int,
) -> bool:  # fmt: skip
    """Halve the step until the objective falls enough; the new point is written into ``point``."""
    gradient = np.empty_like(point.x)
    for _ in range(_TRIALS):
        x = point.x.copy()
        add_scaled(x, size, direction)
        if orthant is not None:
            x[x * orthant < 0] = 0.0  # no coordinate crosses zero
        value = objective(x, gradient) + (l1 * float(np.abs(x).sum()) if l1 else 0.0)
        step = x - point.x
        if value <= point.value + _ARMIJO * dot(slope, step) and value < point.value:
            _remember(point, step, gradient - point.gradient, memory)
            point.x, point.value, point.gradient = x, value, gradient
            return True
        size *= 0.5
    return False


def _remember(point: Point, step: Vector, change: Vector, memory: int) -> None:
    if dot(step, change) > 1e-12 * dot(change, change):  # keeps the approximation positive definite
        point.steps.append(step)
        point.changes.append(change)
        del point.steps[:-memory], point.changes[:-memory]


def _descend(point: Point, slope: Vector) -> Vector:
    """The direction without remembered steps."""
    return -slope if point.scale is None else -slope * point.scale


def _two_loops(point: Point, slope: Vector) -> Vector:
    """-H slope, where H approximates the inverse Hessian by the last steps (Nocedal & Wright 2006, Algorithm 7.4)."""
    direction = -slope
    factors = []
    pairs = [(step, change, dot(step, change)) for step, change in zip(point.steps, point.changes, strict=True)]
    for step, change, curvature in reversed(pairs):
        factors.append(dot(step, direction) / curvature)
        add_scaled(direction, -factors[-1], change)
    if pairs:
        _, change, curvature = pairs[-1]
        direction *= curvature / dot(change, change if point.scale is None else point.scale * change)
    if point.scale is not None:
        direction *= point.scale
    for (step, change, curvature), factor in zip(pairs, reversed(factors), strict=True):
        add_scaled(direction, factor - dot(change, direction) / curvature, step)
    return direction
