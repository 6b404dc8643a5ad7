"""Training of parsers: passes of a transition-based parser over trees."""

from __future__ import annotations

from dataclasses import dataclass

import tagloom._core as _core
from tagloom.corpus.corpus import IntArray
from tagloom.learners.learner import Learner
from tagloom.learners.online import Counts, ShuffledTraining, Tensors
from tagloom.schema import Array, Layout
from tagloom.schema.limits import LARGEST_WEIGHT


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
        """Continue from what ``to_tensors`` returned; raises ValueError if arrays do not fit."""
        arrays = {name: tensors[name] for name in ("keys", "templates", "counts", "actions", "weights", "sums")}
        self.core.restore(clock=float(tensors["numbers"][0]), **arrays)


_STATE = Layout(
    (
        Array("keys", "U64", "F", "Keys of the features."),
        Array("templates", "U8", "F", "Template of every feature."),
        Array("counts", "U16", "F", "Actions that every feature has weights for.", sums_to="E"),
        Array("actions", "U16", "E", "These actions, feature by feature."),
        Array("weights", "F32", "E", "Their weights.", -LARGEST_WEIGHT, LARGEST_WEIGHT),
        Array("sums", "F32", "E", "Their sums of the lazy average."),
        Array("numbers", "F64", "1", "Clock of the average.", 0, 2**53),
    )
)


class ParserTraining(ShuffledTraining):
    """Passes over the sentences ``examples``."""

    layout = _STATE
    stretch = 256
    state: ParserState

    def __init__(
        self, learner: Learner, search: _core.SearchSettings, templates: _core.StateTemplates, relations: int,
        data: _core.TreeData, examples: IntArray, *, is_hybrid: bool = False, exploration: int | None = None,
    ) -> None:  # fmt: skip
        self.search, self.data, self.examples, self.exploration = search, data, examples, exploration
        self.state = ParserState(_core.ParserState(templates, relations, learner.averaging == "lazy", is_hybrid))
        self._explores = False

    def run_pass(self, seed: int, epoch: int) -> Counts:
        """Run through all examples; after the first ``exploration`` passes, along the parser's own decisions."""
        self._explores = self.exploration is not None and epoch > self.exploration
        return super().run_pass(seed, epoch)

    def _run(self, part: IntArray) -> Counts:
        return self.state.core.epoch(self.data, part, self.search, self._explores)
