"""Online training: passes over shuffled examples."""

from __future__ import annotations

import itertools
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus.corpus import IntArray
from tagloom.learners.blocks import Blocks, count_gold, shuffle_order
from tagloom.learners.learner import Learner
from tagloom.schema import Array, Layout
from tagloom.schema.limits import LARGEST_WEIGHT
from tagloom.structures.history import HistorySearch

_MADF_BOUNDS = 0.001, 1.0  # a and b of he-wang-2012, section 2.4
_ADF_WINDOWS = 10  # windows per pass; Sun, Wang & Li 2012
_SHRINKINGS = 1  # L2 shrinks all weights this often per pass (Bordes et al. 2009)
_L1_DECAY = 0.85  # alpha of Tsuruoka, Tsujii & Ananiadou 2009
Tensors = dict[str, NDArray[Any]]


class State(Protocol):
    """What a learner keeps between passes."""

    def mean(self) -> NDArray[np.float32]:
        """The weights to tag with: averaged, if the learner averages."""

    def take_mean(self) -> NDArray[np.float32]:
        """Return the same weights without a copy; training cannot continue."""

    def to_tensors(self) -> Tensors:
        """Return the arrays from which training continues."""

    def restore(self, tensors: Tensors) -> None:
        """Continue from what ``to_tensors`` returned."""


@dataclass(frozen=True)
class Pass:
    """One pass over the examples, with access to the weights after it."""

    epoch: int  # counted from 1
    updates: int  # examples that moved the weights
    token_errors: int
    loss: float  # of the objective, summed over the examples, without regularizer
    state: State
    is_last: bool = False  # the learner has converged
    settled: int | None = None  # batch learners: the pass in which the objective had settled, 0 before; else None

    def __repr__(self) -> str:
        return f"Pass({self.epoch}, updates={self.updates}, token_errors={self.token_errors}, loss={self.loss:.6g})"

    @property
    def is_batch(self) -> bool:
        """Whether the pass is an iteration of a batch learner."""
        return self.settled is not None

    @property
    def patience_start(self) -> int:
        """The pass after which passes without a better development score count.

        Batch learners start from zero weights and predict little in their first iterations, so that only iterations
        after the objective has settled count. Every pass of an online learner counts.
        """
        return self.epoch if self.settled == 0 else self.settled or 0

    def weights(self) -> NDArray[np.float32]:
        """The weights to tag with: averaged, if the learner averages."""
        return self.state.mean()

    def take_weights(self) -> NDArray[np.float32]:
        """Return the same weights without a copy; training cannot continue."""
        return self.state.take_mean()


#: The number of examples that moved the weights, the number of tokens in error, and the loss.
Counts = tuple[int, int, float]


def run_in_stretches(
    run: Callable[[IntArray], Counts], order: IntArray, length: int, stop: threading.Event | None = None
) -> Counts:
    """Add up what ``run`` reports for short stretches, between which Ctrl-C works; the core does not handle signals.

    Ctrl-C reaches the main thread only: in another one, ``stop`` says that no further stretch is to be run.
    """
    starts = range(0, len(order), length)
    return add_counts([run(order[i : i + length]) for i in starts if stop is None or not stop.is_set()])


def add_counts(reports: Sequence[Counts]) -> Counts:
    """Add up what several parts of a pass have reported."""
    updates, errors, losses = zip(*reports, strict=True) if reports else ((), (), ())
    return sum(updates), sum(errors), sum(losses)


#: The arrays of an online learner in a checkpoint; the core knows which lengths fit its step.
ONLINE_STATE = Layout(
    (
        Array("weights", "F32", "", "Current weights.", -LARGEST_WEIGHT, LARGEST_WEIGHT),
        Array("sums", "F32", "", "Sums of the lazy average, if the learner averages.", is_needed=False),
        Array("penalties", "F32", "", "Cumulative penalty of every weight (`sgd-l1`).", is_needed=False),
        Array("variances", "F32", "", "Variance of every weight (`arow`).", is_needed=False),
        Layout(
            (
                Array("row_rates", "F32", "r", "Rate of every row (`adf`)."),
                Array("row_counts", "U32", "r", "Updates of every row in this window (`adf`)."),
            ),
            is_needed=False,
        ),
        Layout(
            (
                Array(
                    "nonlocal_weights", "F32", "n", "Weights of non-local features.", -LARGEST_WEIGHT, LARGEST_WEIGHT
                ),
                Array("nonlocal_sums", "F32", "n", "Their sums of the lazy average."),
            ),
            is_needed=False,
        ),
        Array("moves", "U8", "m", "How every row has moved on one of several learners (`mix`).", 0, 3, is_needed=False),
        Array("numbers", "F64", "3", "Clock of the average, examples seen, and total penalty.", low=0),
    )
)


class ShuffledTraining(ABC):
    """Passes over shuffled examples, without end; the caller decides when to stop."""

    layout: ClassVar[Layout] = ONLINE_STATE  # schema of the state
    stretch: int  # examples that run without a check for Ctrl-C
    examples: IntArray  # their numbers
    state: Any

    def start(self, weights: NDArray[np.float32]) -> None:
        """Begin from these weights instead of zeros."""
        self.state.start(weights)

    def restore(self, tensors: Tensors) -> None:
        """Continue from what ``state.to_tensors()`` returned; raises ValueError if the arrays do not fit."""
        self.layout.check_all(tensors)
        self.state.restore(tensors)

    def run(self, order: IntArray, stop: threading.Event | None = None) -> Counts:
        """Run through examples in this order, as far as ``stop`` allows."""
        return run_in_stretches(self._run, order, self.stretch, stop)

    def run_pass(self, seed: int, epoch: int) -> Counts:
        """Run through all examples."""
        return self.run(self.examples[shuffle_order(len(self.examples), seed, epoch)])

    @abstractmethod
    def _run(self, part: IntArray) -> Counts:
        """Run a stretch."""

    def passes(self, seed: int, done: int = 0) -> Iterator[Pass]:
        """Run the passes from ``done + 1`` on."""
        for epoch in itertools.count(done + 1):
            yield Pass(epoch, *self.run_pass(seed, epoch), self.state)


class ChainTraining(ShuffledTraining):
    """Passes over the sequences of a chain, block by block."""

    def __init__(self, chain: _core.Chain, blocks: Blocks) -> None:
        self.chain, self.blocks, self.examples = chain, blocks, np.arange(blocks.count)
        self.data, _ = blocks.open(0)  # the block in work

    def run_pass(self, seed: int, epoch: int) -> Counts:
        """Run through the blocks in a shuffled order."""
        return add_counts([self._run_block(*each) for each in self.blocks.visit(seed, epoch)])

    def _run_block(self, data: _core.ChainData, order: IntArray) -> Counts:
        self.data = data
        return self.run(order)


class OnlineTraining(ChainTraining):
    """Passes of an online learner."""

    stretch = 4096
    state: _core.OnlineState

    def __init__(
        self, learner: Learner, numbers: dict[str, Any], chain: _core.Chain, blocks: Blocks, *,
        costs: NDArray[np.float64] | None = None, total: int | None = None, search: HistorySearch | None = None,
        counts: _core.GoldCounts | None = None,
    ) -> None:  # fmt: skip
        super().__init__(chain, blocks)
        self.learner = learner
        self.settings = step_settings(learner, numbers, total or blocks.count)
        self.costs = np.zeros(0) if costs is None else costs
        self.search = (search or HistorySearch()).core()  # used by learners that are normalised locally
        self.state = _core.OnlineState(chain.size, learner.averaging == "lazy")
        if learner.step == "madf":
            self.state.set_frequency_rates(counts or count_gold(chain, blocks), *_MADF_BOUNDS)

    def restore(self, tensors: Tensors) -> None:
        """Continue from what ``state.to_tensors()`` returned; raises ValueError if the arrays do not fit."""
        super().restore(tensors)
        self._run(np.zeros(0, np.int64))  # checks what the step has stored, before the first example

    def _run(self, part: IntArray) -> Counts:
        given = self.learner.opponent, self.learner.step, self.settings, self.costs, self.search
        return self.state.epoch(self.data, part, *given)


def step_settings(learner: Learner, numbers: dict[str, Any], examples: int) -> _core.StepSettings:
    """Build the settings of the core; ``examples`` is the number of examples that the objective sums over."""
    rate, c2 = numbers.get("rate"), numbers.get("c2", 0.0)
    # The objective is a sum of losses plus c2 |w|^2: each example gets its share of the gradient of the regularizer.
    l2 = 2 * c2 / examples
    return _core.StepSettings(
        aggressiveness=numbers.get("C", 1.0),
        rate=0.1 if rate is None else rate,
        decay=_L1_DECAY if learner.step == "l1" else (l2 or 1 / examples),
        l1=numbers.get("c1", 0.0) / examples,
        l2=l2,
        examples=examples,
        period=max(1, examples // _SHRINKINGS),
        window=max(1, examples // _ADF_WINDOWS),
        **{name: numbers[name] for name in ("variance", "gamma", "cost_power") if name in numbers},
    )
