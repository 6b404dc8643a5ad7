"""Training of phrase chunkers: passes of recognition feedback over sentences (carreras-2003, section 3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus.corpus import CodeArray, IntArray
from tagloom.learners.online import Counts, ShuffledTraining, Tensors
from tagloom.learners.voted import VECTORS, VotedVectors
from tagloom.schema import Array, Layout, Misfit, Text

FILTERS = 2  # h_B and h_I


@dataclass(frozen=True)
class GoldPhrases:
    """The phrases of every sentence, in the order of the text; places count from the first word of the sentence."""

    offsets: IntArray  # [S + 1] first phrase of every sentence
    begins: IntArray
    ends: IntArray
    categories: CodeArray

    def __repr__(self) -> str:
        return f"GoldPhrases({len(self.offsets) - 1:,} sentences, {len(self.begins):,} phrases)"


@dataclass(frozen=True)
class PhraseState:
    """What the filters and scorers have learned so far. A model keeps the votes of both."""

    filters: _core.Perceptrons
    scorers: _core.Perceptrons

    def mean(self) -> Tensors:
        """The votes of filters and scorers, as arrays by name."""
        return {f"{name}.{key}": array for name, each in self._both().items()
                for key, array in VotedVectors.of(each).to_tensors().items()}  # fmt: skip

    take_mean = mean

    def to_tensors(self) -> Tensors:
        """Return the arrays from which training continues."""
        found: Tensors = {}
        for name, each in self._both().items():
            arrays: Sequence[NDArray[Any]] = each.vectors()
            found |= {f"{name}.{key}": array for key, array in zip(VECTORS, arrays, strict=True)}
        return found

    def restore(self, tensors: Tensors) -> None:
        """Continue from what ``to_tensors`` returned; raises Misfit if its votes leave no room for those to come."""
        for name, each in self._both().items():
            decisions, functions = tensors[f"{name}.decisions"], tensors[f"{name}.functions"]
            votes = np.abs(decisions[functions] - tensors[f"{name}.when"]).sum(dtype=np.float64)
            if votes > _MOST_VOTES:
                raise Misfit(f"tensor {name}.when", f"at most {_MOST_VOTES:,} votes in all", Text("more"))
            each.restore(*(tensors[f"{name}.{key}"] for key in VECTORS))

    def _both(self) -> dict[str, _core.Perceptrons]:
        return {"filters": self.filters, "scorers": self.scorers}


#: Of a checkpoint: sums of votes stay exact in double precision, also with those of later passes.
_MOST_DECISIONS, _MOST_VOTES = 2**48, 2**52


def _describe_vectors(prefix: str, what: str) -> Layout:
    return Layout(
        (
            Array("decisions", "I64", "f", f"Decisions of {what} so far.", 0, _MOST_DECISIONS),
            Array("offsets", "I64", "v + 1", "First feature of every instance that was added.", cuts="r"),
            Array("rows", "U32", "r", "Features of the instances."),
            Array("functions", "U32", "v", "Function that each was added to.", below="f"),
            Array("signs", "I32", "v", "1 or -1.", -1, 1),
            Array("when", "I64", "v", "Decision at which each was added.", 0, _MOST_DECISIONS),
        ),
        prefix,
    )


class PhraseTraining(ShuffledTraining):
    """Passes over all sentences."""

    layout = Layout((_describe_vectors("filters.", "the filters"), _describe_vectors("scorers.", "the scorers")))
    stretch = 128

    def __init__(
        self, data: _core.PhraseData, table: _core.FeatureTable, gold: GoldPhrases, *,
        word_features: int, categories: int, longest: int, degree: int, dual: bool,
    ) -> None:  # fmt: skip
        self.data, self.table, self.gold, self.longest = data, table, gold, longest
        self.examples = np.arange(len(data))
        self.state = PhraseState(
            _core.Perceptrons(word_features, FILTERS, degree, dual),
            _core.Perceptrons(len(table), categories, degree, dual),
        )

    def _run(self, part: IntArray) -> Counts:
        """Run a stretch; return the updates, and the phrases in error twice, as number and as loss."""
        gold = self.gold
        updates, missed, wrong, _ = self.data.learn(
            self.table, self.state.filters, self.state.scorers, self.longest, part,
            gold.offsets, gold.begins, gold.ends, gold.categories,
        )  # fmt: skip
        return updates, missed + wrong, float(missed + wrong)
