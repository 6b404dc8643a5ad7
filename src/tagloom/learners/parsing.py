"""Training of parsers: passes of a transition-based parser over trees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import tagloom._core as _core
from tagloom.corpus.corpus import IntArray
from tagloom.features.tensors import check_weights
from tagloom.learners.learner import Learner
from tagloom.learners.online import Pass, State, Tensors, run_in_stretches, shuffle_order

_STRETCH = 256  # sentences


@dataclass(frozen=True)
class ParserState:
    """What a parser has learned so far. Its weights come with their features, as arrays by name."""

    core: _core.ParserState

    def mean(self) -> Tensors:
        """The weights to tag with."""
        return self.core.frozen()

    take_mean = mean

    def to_tensors(self) -> Tensors:
        """Return the arrays from which training continues."""
        return self.core.to_tensors()

    def restore(self, tensors: Tensors) -> None:
        """Continue from what ``to_tensors`` returned.

        Raises:
            LookupError: An array is missing.
            ValueError: The arrays do not fit.
        """
        arrays = {name: tensors[name] for name in ("keys", "templates", "counts", "actions", "weights", "sums")}
        check_weights(arrays["weights"])
        self.core.restore(clock=float(tensors["numbers"][0]), **arrays)


class ParserTraining:
    """Passes over the sentences ``examples``, without end; the caller decides when to stop."""

    def __init__(
        self,
        learner: Learner,
        search: _core.SearchSettings,
        templates: _core.StateTemplates,
        relations: int,
        data: _core.TreeData,
        examples: IntArray,
    ) -> None:
        self.search, self.data, self.examples = search, data, examples
        self.state = ParserState(_core.ParserState(templates, relations, learner.averaging == "lazy"))

    def restore(self, tensors: Tensors) -> None:
        """Continue from what ``state.to_tensors()`` returned."""
        self.state.restore(tensors)

    def passes(self, seed: int, done: int = 0) -> Iterator[Pass]:
        """Run the passes from ``done + 1`` on."""
        epoch = done
        while True:
            epoch += 1
            order = self.examples[shuffle_order(len(self.examples), seed, epoch)]
            counts = run_in_stretches(lambda part: self.state.core.epoch(self.data, part, self.search), order, _STRETCH)
            yield Pass(epoch, *counts, cast(State, self.state))  # its weights are arrays by name
