"""Online training: passes over shuffled examples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus.corpus import IntArray
from tagloom.learners.learner import Learner

_STRETCH = 4096  # examples


@dataclass(frozen=True)
class Pass:
    """One pass over the examples, and access to the weights it left."""

    epoch: int  # from 1
    updates: int  # examples that moved the weights
    token_errors: int
    state: _core.OnlineState

    def weights(self) -> NDArray[np.float32]:
        """The weights to tag with: averaged, if the learner averages."""
        return self.state.mean()

    def take_weights(self) -> NDArray[np.float32]:
        """The same without a copy; ends the training."""
        return self.state.take_mean()


def shuffled_order(count: int, seed: int, epoch: int) -> IntArray:
    """The order of the examples in one pass, fixed by seed and pass: the order of so many random 64-bit numbers."""
    bits = np.random.PCG64(np.random.SeedSequence([seed, epoch])).random_raw(count)
    return np.argsort(bits, kind="stable").astype(np.int64)


def train_online(
    learner: Learner,
    chain: _core.Chain,
    data: _core.ChainData,
    count: int,
    seed: int,
    *,
    start: NDArray[np.float32] | None = None,
    resume: tuple[int, dict[str, NDArray[Any]]] | None = None,
) -> Iterator[Pass]:
    """Endless passes over ``count`` examples; the caller decides when to stop.

    ``start`` is the weights to begin with. ``resume`` is a pass and what ``state.to_tensors()`` gave after it: the
    passes that follow are those of the training it comes from.
    """
    state = _core.OnlineState(chain.size, learner.averaging == "lazy")
    if start is not None:
        state.start(start)
    if resume is not None:
        state.restore(resume[1])
    return _passes(learner, state, data, count, seed, 0 if resume is None else resume[0])


def _passes(
    learner: Learner, state: _core.OnlineState, data: _core.ChainData, count: int, seed: int, epoch: int
) -> Iterator[Pass]:
    while True:
        epoch += 1
        order = shuffled_order(count, seed, epoch)
        # The core does not look at signals: short stretches let Ctrl-C through.
        stretches = [order[i : i + _STRETCH] for i in range(0, count, _STRETCH)]
        reports = [state.epoch(data, stretch, learner.opponent, learner.step) for stretch in stretches]
        yield Pass(epoch, sum(u for u, _ in reports), sum(e for _, e in reports), state)
