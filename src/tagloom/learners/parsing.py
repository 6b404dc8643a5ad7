"""Training of parsers: passes of a transition-based parser over trees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus.corpus import IntArray
from tagloom.learners.learner import Learner
from tagloom.learners.online import Pass, State, Tensors, run_in_stretches, shuffled_order

_STRETCH = 256  # sentences
_LARGEST = 1e28  # largest weight for which sums over templates and the actions of a long sentence stay finite


def check_weights(weights: NDArray[np.float32]) -> None:
    """Check weights that were read from a file.

    Raises:
        ValueError: A weight is not finite, or so large that the search could not compare sums.
    """
    if not bool(np.all(np.abs(weights) <= _LARGEST)):
        raise ValueError("weights are not finite, or far too large")


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
            order = self.examples[shuffled_order(len(self.examples), seed, epoch)]
            counts = run_in_stretches(lambda part: self.state.core.epoch(self.data, part, self.search), order, _STRETCH)
            yield Pass(epoch, *counts, cast(State, self.state))  # its weights are arrays by name
