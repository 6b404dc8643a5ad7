"""History-based learners: lookahead (tsuruoka-2011, Figure 3) and beam search over tagging as a transition system."""

from __future__ import annotations

from typing import Any

import tagloom._core as _core
from tagloom.corpus.corpus import IntArray
from tagloom.learners.blocks import Blocks
from tagloom.learners.learner import Learner
from tagloom.learners.online import ChainTraining, Counts
from tagloom.structures.history import LEFT_TO_RIGHT, HistorySearch

_STRETCHES = {1: 256, 2: 16}  # history -> sentences; with two labels, a decision takes many times as long


def get_search(learner: Learner, numbers: dict[str, Any]) -> HistorySearch:
    """Build the search that belongs to the settings of a history-based learner."""
    order = numbers.get("direction", LEFT_TO_RIGHT), numbers["history"]
    return HistorySearch(numbers.get("depth"), numbers.get("beam"), *order, learner.is_locally_normalised)


class HistoryTraining(ChainTraining):
    """Passes of a history-based learner."""

    state: _core.OnlineState

    def __init__(self, learner: Learner, numbers: dict[str, Any], chain: _core.Chain, blocks: Blocks) -> None:
        super().__init__(chain, blocks)
        search = get_search(learner, numbers)
        self.settings = search.core(numbers.get("C", 0.0), max_violation=numbers.get("update") != "early")
        self.stretch = _STRETCHES[search.history]
        self.state = _core.OnlineState(chain.size, learner.averaging == "lazy")

    def _run(self, part: IntArray) -> Counts:
        return self.state.search_epoch(self.data, part, self.settings)
