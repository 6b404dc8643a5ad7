"""Learning to parse: passes of a transition-based parser over trees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus.corpus import IntArray
from tagloom.features.tensors import check_weights
from tagloom.learners.learner import Learner
from tagloom.learners.online import Pass, State, Tensors, in_stretches, shuffled_order

_STRETCH = 256  # sentences


@dataclass(frozen=True)
class ParserState:
    """What a parser has learned so far. Its weights come with the features they belong to, as arrays by name."""

    core: _core.ParserState

    def mean(self) -> Tensors:
        return self.core.frozen()

    take_mean = mean

    def to_tensors(self) -> Tensors:
        return self.core.to_tensors()

    def restore(self, tensors: Tensors) -> None:
        arrays = {name: tensors[name] for name in ("keys", "templates", "counts", "actions", "weights", "sums")}
        check_weights(arrays["weights"])
        self.core.restore(clock=float(tensors["numbers"][0]), **arrays)


class ParserTraining:
    """Endless passes over the sentences ``examples``; the caller decides when to stop."""

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
        """Go on from what ``state.to_tensors()`` gave; raises ValueError on arrays that do not fit."""
        self.state.restore(tensors)

    def passes(self, seed: int, done: int = 0) -> Iterator[Pass]:
        epoch = done
        while True:
            epoch += 1
            order = self.examples[shuffled_order(len(self.examples), seed, epoch)]
            counts = in_stretches(lambda part: self.state.core.epoch(self.data, part, self.search), order, _STRETCH)
            yield Pass(epoch, *counts, cast(State, self.state))  # its weights are arrays by name
