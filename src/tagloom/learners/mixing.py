"""Iterative parameter mixing: online learners on several cores (McDonald, Hall & Mann 2010, Figure 3).

The examples are divided into shards. Each shard trains its own copy of the weights, and several times per pass the
copies are mixed: the weights of every feature become the mean of the copies that examples have moved. The paper takes
the mean of all copies, once per pass, which shrinks what only one of them has learned, as for most rare features. The
more often copies are mixed, the fewer features have moved in several of them. The number of shards decides what is
learned; the number of threads that work on them does not.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus.corpus import IntArray
from tagloom.learners.blocks import shuffle_order
from tagloom.learners.online import ChainTraining, Counts, Pass, Tensors, add_counts


def draw_shards(examples: IntArray, count: int, seed: int) -> list[IntArray]:
    """Divide examples into shards of about equal size, drawn by the seed; they stay the same in all passes."""
    return np.array_split(examples[shuffle_order(len(examples), seed, 0)], count)


class MixedTraining:
    """Passes of several learners over their shards, which are mixed so many times per pass."""

    def __init__(self, learners: Sequence[ChainTraining], mixes: int, threads: int) -> None:
        self.learners, self.mixes, self.threads = learners, mixes, threads
        for learner in learners:
            learner.state.follow_moves(learner.chain)

    @property
    def state(self) -> _core.OnlineState:
        """The state of the first learner, which is that of all of them between passes."""
        return self.learners[0].state  # type: ignore[no-any-return]

    def start(self, weights: NDArray[np.float32]) -> None:
        """Begin from these weights instead of zeros."""
        for learner in self.learners:
            learner.start(weights)

    def restore(self, tensors: Tensors) -> None:
        """Continue from what ``state.to_tensors()`` returned; raises ValueError if the arrays do not fit."""
        for learner in self.learners:
            learner.restore(tensors)

    def passes(self, seed: int, done: int = 0) -> Iterator[Pass]:
        """Run the passes from ``done + 1`` on."""
        shards = draw_shards(self.learners[0].examples, len(self.learners), seed)
        for epoch in itertools.count(done + 1):
            orders = [np.array_split(shuffle_order(len(shard), seed, epoch), self.mixes) for shard in shards]
            parts = [self._run(shards, part) for part in zip(*orders, strict=True)]
            yield Pass(epoch, *add_counts(parts), self.state)

    def _run(self, shards: Sequence[IntArray], orders: Sequence[IntArray]) -> Counts:
        """Run a part of a pass, over examples of the shards in some orders, and mix.

        Ctrl-C ends it after the stretches in work, and what they have learned is mixed, too.
        """
        stop = threading.Event()
        examples = [shard[order] for shard, order in zip(shards, orders, strict=True)]
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                found = list(pool.map(lambda learner, order: learner.run(order, stop), self.learners, examples))
            except BaseException:
                stop.set()
                pool.shutdown()
                self._mix()
                raise
        self._mix()
        return add_counts(found)

    def _mix(self) -> None:
        _core.mix_states([learner.state for learner in self.learners], self.learners[0].chain, self.threads)
