"""History-based learners: lookahead (tsuruoka-2011, Figure 3) and beam search over tagging as a transition system."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus.corpus import IntArray
from tagloom.learners.learner import Learner
from tagloom.learners.online import Pass, Tensors, run_in_stretches, shuffle_order
from tagloom.structures.history import LEFT_TO_RIGHT, HistorySearch

_STRETCHES = {1: 256, 2: 16}  # history -> sentences; with two labels, a decision takes many times as long


def get_search(learner: Learner, numbers: dict[str, Any]) -> HistorySearch:
    """Build the search that belongs to the settings of a history-based learner."""
    order = numbers.get("direction", LEFT_TO_RIGHT), numbers["history"]
    return HistorySearch(numbers.get("depth"), numbers.get("beam"), *order, learner.is_locally_normalised)


class HistoryTraining:
    """Passes of a history-based learner, without end; the caller decides when to stop."""

    def __init__(
        self, learner: Learner, numbers: dict[str, Any], chain: _core.Chain, data: _core.ChainData, count: int
    ) -> None:
        is_early = numbers.get("update") == "early"
        search = get_search(learner, numbers)
        self.settings = search.core(numbers.get("C", 0.0), max_violation=not is_early)
        self.stretch = _STRETCHES[search.history]
        self.data, self.count = data, count
        self.state = _core.OnlineState(chain.size, learner.averaging == "lazy")

    def start(self, weights: NDArray[np.float32]) -> None:
        """Begin from these weights instead of zeros."""
        self.state.start(weights)

    def restore(self, tensors: Tensors) -> None:
        """Continue from what ``state.to_tensors()`` returned.

        Raises:
            ValueError: The arrays do not fit.
        """
        self.state.restore(tensors)

    def run(self, order: IntArray) -> tuple[int, int, float]:
        """Run one pass in this order.

        Returns:
            The number of decisions or sentences that moved the weights, the number of tokens in error, and the loss.
        """
        return run_in_stretches(
            lambda part: self.state.search_epoch(self.data, part, self.settings), order, self.stretch
        )

    def passes(self, seed: int, done: int = 0) -> Iterator[Pass]:
        """Run the passes from ``done + 1`` on."""
        epoch = done
        while True:
            epoch += 1
            yield Pass(epoch, *self.run(shuffle_order(self.count, seed, epoch)), self.state)
