"""Training on the workers of a cluster: each holds shards of the examples, and what they find is added up here.

Online learners mix their parameters exactly as ``mixing`` does in threads: same shards, same orders,
same arithmetic. Batch learners sum the gradients of a fixed number of shards in a fixed order: the sum is the same for
any number of workers, and that of one machine up to rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.cluster.shards import Shards, count_workers
from tagloom.corpus.corpus import IntArray
from tagloom.errors import ConfigError
from tagloom.learners.blocks import Blocks, WholeData
from tagloom.learners.lbfgs import Vector
from tagloom.learners.learner import Learner
from tagloom.learners.mixing import MixedTraining, draw_shards
from tagloom.learners.objective import SummedObjective, build_objective
from tagloom.learners.online import ChainTraining, Counts, Tensors, add_counts

#: Builds a learner of some examples.
Build = Callable[[Blocks], ChainTraining]

# -- online learners ---------------------------------------------------------------------------------------------------


@dataclass
class OnlineShard:
    """The examples of one shard, on a worker. A part of a pass brings the state that it begins with."""

    build: Build
    data: _core.ChainData
    size: int

    @cached_property
    def learner(self) -> ChainTraining:
        """The learner, built where it runs."""
        learner = self.build(WholeData(self.data, self.size))
        learner.state.follow_moves(learner.chain)
        return learner

    def run(self, state: Tensors, order: IntArray) -> tuple[Counts, Tensors]:
        """Run a part of a pass; return its counts and the state after it."""
        self.learner.restore(state)
        counts = self.learner.run(order)
        return counts, self.learner.state.to_tensors()


class RemoteMixing(MixedTraining):
    """Iterative parameter mixing whose shards are on the workers of a cluster."""

    def __init__(
        self, learners: Sequence[ChainTraining], mixes: int, threads: int, build: Build, data: _core.ChainData,
        seed: int,
    ) -> None:  # fmt: skip
        super().__init__(learners, mixes, threads)
        examples = learners[0].examples
        self._shards = Shards(
            [OnlineShard(build, data.select(shard), len(shard)) for shard in draw_shards(examples, len(learners), seed)]
        )

    def _run(self, shards: Sequence[IntArray], orders: Sequence[IntArray]) -> Counts:
        """Run a part of a pass; Ctrl-C leaves the state of the part before."""
        found = self._shards.call("run", self.state.to_tensors(), [(order,) for order in orders])
        for learner, (_, tensors) in zip(self.learners, found, strict=True):
            learner.restore(tensors)
        self._mix()
        return add_counts([counts for counts, _ in found])


def refuse_serial(learner: Learner) -> ConfigError:
    """Build the error for an online learner without shards."""
    return ConfigError(f"ray: {learner.name} learns from one example after the other; set mix=N to train N shards")


# -- batch learners ----------------------------------------------------------------------------------------------------

LEAVES = 16  # shards of a batch training, however many workers there are; a power of two
#: What shards add up: loss, errors and gradient, or an array beside two zeros.
Sum = tuple[float, int, Vector]
#: Sums by the leaves that they cover: (first, how many), where the number is a power of two that divides the first.
Sums = dict[tuple[int, int], Sum]


def add_pairs(sums: Sums) -> Sums:
    """Add sums of neighbours, as a tree: leaves 0 and 1, 2 and 3 ..., then pairs of pairs, as far as they are there.

    Every sum is the same whoever adds it up, because the tree decides what is added to what.
    """
    sums = dict(sums)
    size = 1
    while size < LEAVES:
        for first in range(0, LEAVES, 2 * size):
            if (first, size) in sums and (first + size, size) in sums:
                (loss, errors, vector), other = sums.pop((first, size)), sums.pop((first + size, size))
                sums[first, 2 * size] = loss + other[0], errors + other[1], vector + other[2]
        size *= 2
    return sums


@dataclass
class BatchShard:
    """Neighbouring leaves, on a worker."""

    build: Callable[[_core.ChainData], _core.BatchObjective]
    first: NDArray[np.float32] | None  # weights to start from
    leaves: dict[int, _core.ChainData]

    @cached_property
    def objectives(self) -> dict[int, _core.BatchObjective]:
        """The objectives of the leaves, built where they are evaluated."""
        found = {number: self.build(data) for number, data in self.leaves.items()}
        for objective in found.values():
            if self.first is not None:
                objective.start(self.first)
        return found

    def evaluate(self, x: Vector) -> Sums:
        """Evaluate all leaves at x, and add up what can be added here."""
        return add_pairs({(number, 1): _evaluate(each, x) for number, each in self.objectives.items()})

    def curvature(self, x: Vector) -> Sums:
        """Add up the curvatures of the leaves at x, where they are evaluated once more: a worker may be a new one."""
        self.evaluate(x)
        return add_pairs({(number, 1): (0.0, 0, each.curvature(1)) for number, each in self.objectives.items()})

    def observed(self, _: None) -> Sums:
        """Add up the counts of the leaves."""
        return add_pairs({(number, 1): (0.0, 0, each.observed(1)) for number, each in self.objectives.items()})


def _evaluate(objective: _core.BatchObjective, x: Vector) -> Sum:
    gradient = np.empty_like(x)
    loss, errors = objective.evaluate(np.ascontiguousarray(x), gradient, 1)
    return loss, errors, gradient


class ShardedObjective(SummedObjective):
    """An objective whose sums over sentences are computed on the workers of a cluster."""

    _shards: Shards | None = None

    def start(self, weights: NDArray[np.float32]) -> None:
        """Start from weights: those of features that occur become variables, the others stay fixed."""
        super().start(weights)
        self._shards = None

    def evaluate(self, x: Vector, gradient: Vector, threads: int) -> tuple[float, int]:
        """Write the gradient, and return the loss and the number of wrong tokens."""
        loss, errors, gradient[:] = self._add_up("evaluate", x)
        return loss, errors

    def curvature(self, x: Vector, threads: int) -> Vector:
        """Bound the second derivative along each variable at x."""
        return self._add_up("curvature", x)[2]

    def observed(self, threads: int) -> Vector:
        """Count how often the feature of each variable occurs with the gold labels."""
        return self._add_up("observed", None)[2]

    def _add_up(self, method: str, shared: Any) -> Sum:
        if self._shards is None:
            self._shards = self._ship()
        found: Sums = {}
        for sums in self._shards.call(method, shared):
            found |= sums
        ((_, total),) = add_pairs(found).items()
        return total

    def _ship(self) -> Shards:
        """Cut the sentences into leaves, in their order, and give every worker neighbouring ones."""
        data = self._blocks.open_all(self._learner.name)
        leaves = np.array_split(np.arange(self._blocks.count, dtype=np.int64), LEAVES)
        owned = np.array_split(np.arange(LEAVES), count_workers(LEAVES))
        build = partial(build_objective, self._learner, self._numbers, counts=self._count())
        return Shards(
            [
                BatchShard(build, self._first, {number: data.select(leaves[number]) for number in own.tolist()})
                for own in owned
            ]
        )
