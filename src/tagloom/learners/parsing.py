"""Training of parsers: passes of a transition-based parser over trees."""

from __future__ import annotations

from dataclasses import dataclass

import tagloom._core as _core
from tagloom.corpus.corpus import IntArray
from tagloom.features.tensors import check_weights
from tagloom.learners.learner import Learner
from tagloom.learners.online import Counts, ShuffledTraining, Tensors


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
        """Continue from what ``to_tensors`` returned; raises LookupError or ValueError if arrays do not fit."""
        arrays = {name: tensors[name] for name in ("keys", "templates", "counts", "actions", "weights", "sums")}
        check_weights(arrays["weights"])
        self.core.restore(clock=float(tensors["numbers"][0]), **arrays)


class ParserTraining(ShuffledTraining):
    """Passes over the sentences ``examples``."""

    stretch = 256
    state: ParserState

    def __init__(
        self, learner: Learner, search: _core.SearchSettings, templates: _core.StateTemplates, relations: int,
        data: _core.TreeData, examples: IntArray,
    ) -> None:  # fmt: skip
        self.search, self.data, self.examples = search, data, examples
        self.state = ParserState(_core.ParserState(templates, relations, learner.averaging == "lazy"))

    def _run(self, part: IntArray) -> Counts:
        return self.state.core.epoch(self.data, part, self.search)
