"""Learning to recognise phrases: passes of recognition feedback over sentences (carreras-2003, section 3.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus.corpus import CodeArray, IntArray
from tagloom.learners.online import Pass, State, Tensors, in_stretches, shuffled_order
from tagloom.learners.voted import VECTORS, VotedVectors

FILTERS = 2  # h_B and h_I
_STRETCH = 128  # sentences


@dataclass(frozen=True)
class GoldPhrases:
    """The phrases of every sentence, in the order of the text; places are counted from its first word."""

    offsets: IntArray  # [S + 1]
    begins: IntArray
    ends: IntArray
    categories: CodeArray


@dataclass(frozen=True)
class PhraseState:
    """What the filters and scorers have learned so far. What a model keeps are the votes of both."""

    filters: _core.Perceptrons
    scorers: _core.Perceptrons

    def mean(self) -> Tensors:
        return {f"{name}.{key}": array for name, each in self._both().items()
                for key, array in VotedVectors.of(each).to_tensors().items()}  # fmt: skip

    take_mean = mean

    def to_tensors(self) -> Tensors:
        found: Tensors = {}
        for name, each in self._both().items():
            arrays: Sequence[NDArray[Any]] = each.vectors()
            found |= {f"{name}.{key}": array for key, array in zip(VECTORS, arrays, strict=True)}
        return found

    def restore(self, tensors: Tensors) -> None:
        for name, each in self._both().items():
            each.restore(*(tensors[f"{name}.{key}"] for key in VECTORS))

    def _both(self) -> dict[str, _core.Perceptrons]:
        return {"filters": self.filters, "scorers": self.scorers}


class PhraseTraining:
    """Endless passes over all sentences; the caller decides when to stop."""

    def __init__(
        self,
        data: _core.PhraseData,
        table: _core.FeatureTable,
        gold: GoldPhrases,
        *,
        word_features: int,
        categories: int,
        longest: int,
        degree: int,
        dual: bool,
    ) -> None:
        self.data, self.table, self.gold, self.longest = data, table, gold, longest
        self.state = PhraseState(
            _core.Perceptrons(word_features, FILTERS, degree, dual),
            _core.Perceptrons(len(table), categories, degree, dual),
        )

    def restore(self, tensors: Tensors) -> None:
        """Go on from what ``state.to_tensors()`` gave; raises ValueError on arrays that do not fit."""
        self.state.restore(tensors)

    def passes(self, seed: int, done: int = 0) -> Iterator[Pass]:
        epoch = done
        while True:
            epoch += 1
            order = shuffled_order(len(self.data), seed, epoch)
            yield Pass(epoch, *in_stretches(self._run, order, _STRETCH), cast(State, self.state))

    def _run(self, part: NDArray[np.int64]) -> tuple[int, int, float]:
        """Updates, phrases in error, and these as loss."""
        gold = self.gold
        updates, missed, wrong, _ = self.data.learn(
            self.table, self.state.filters, self.state.scorers, self.longest, part,
            gold.offsets, gold.begins, gold.ends, gold.categories,
        )  # fmt: skip
        return updates, missed + wrong, float(missed + wrong)
