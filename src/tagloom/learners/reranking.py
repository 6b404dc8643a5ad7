"""Re-ranking (kazama-torisawa-2007, section 6.3): a second model chooses among the candidates of a first model.

The candidates of training documents come from first models that were not trained on them, by cross-validation.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus.corpus import IntArray
from tagloom.errors import ConfigError
from tagloom.learners.learner import Learner, get_learner
from tagloom.learners.margin import Documents, MarginState, MarginTraining, Weights, split_folds, train_margin
from tagloom.learners.online import Pass, Tensors
from tagloom.learners.scored_lists import ScoreState, ScoreTraining
from tagloom.schema import Array, Layout
from tagloom.schema.limits import LARGEST_WEIGHT
from tagloom.structures.candidates import CandidateLists, join_lists

NO_FLAGS: NDArray[np.uint8] = np.zeros(0, np.uint8)


def cross_validate(
    first: MarginTraining, numbers: dict[str, Any], *, seed: int, epochs: int, threads: int
) -> tuple[Weights, CandidateLists]:
    """Train first models by the margin perceptron, on all documents and on all but one fold.

    Return the weights of the model of all documents, and the candidates that the others found for their folds.
    """
    count, data = first.documents.count, first.documents.data
    parts = split_folds(count, numbers["folds"], seed)
    everything = np.arange(count, dtype=np.int64)
    jobs = [everything, *(np.setdiff1d(everything, part) for part in parts)]

    def train_first(only: IntArray) -> Weights:
        training = MarginTraining(first.learner, first.numbers, first.chain, first.documents, only=only)
        return train_margin(training, seed, epochs)

    with ThreadPoolExecutor(max(1, min(threads, len(jobs)))) as pool:
        weights = list(pool.map(train_first, jobs))
    fold = np.empty(count, np.int64)
    for number, part in enumerate(parts):
        fold[part] = number
    found = [CandidateLists(*data.nbest(each, NO_FLAGS, numbers["n"], threads)) for each in weights[1:]]
    return weights[0], join_lists(found, fold)


class RerankingState:
    """The weights of the first model, followed by those of the second."""

    def __init__(self, first: Weights, second: MarginState | ScoreState) -> None:
        self.first, self.second = first, second

    def mean(self) -> Weights:
        """The weights of the first model, those of the second (re-ranking 2 only), and those of non-local features."""
        return np.concatenate([self.first, self.second.mean()])

    take_mean = mean

    def to_tensors(self) -> Tensors:
        """Return the arrays from which training continues."""
        return {**self.second.to_tensors(), "first": self.first}

    def restore(self, tensors: Tensors) -> None:
        """Continue from what ``to_tensors`` returned; raises ValueError if the arrays do not fit."""
        others = {name: array for name, array in tensors.items() if name != "first"}
        first = Array(
            "first", "F32", str(len(self.first)), "Weights of the first model.", -LARGEST_WEIGHT, LARGEST_WEIGHT
        )
        Layout((first,)).check_all(tensors, others=tuple(others))
        self.second.restore(others)
        self.first = tensors["first"]


class RerankingTraining:
    """A second model learns to choose among the candidates of first models."""

    def __init__(
        self, learner: Learner, numbers: dict[str, Any], chain: _core.Chain, documents: Documents, *,
        seed: int, epochs: int, threads: int,
    ) -> None:  # fmt: skip
        if documents.count < 2:
            raise ConfigError(
                f"learner {learner.name!r}: expected at least two documents for cross-validated candidates, "
                f"got {documents.count}"
            )
        self.numbers, self.seed, self.epochs, self.threads = numbers, seed, epochs, threads
        local = replace(documents, features=None, rows=None)
        basis = get_learner("margin-perceptron").with_averaging(learner.averaging)
        first = numbers["C"] if numbers["C_first"] is None else numbers["C_first"]
        self.basis = MarginTraining(basis, {**numbers, "C": first}, chain, local)
        self.second: MarginTraining | ScoreTraining
        if learner.opponent == "reranked-score":
            self.second = ScoreTraining(numbers, documents, averaged=learner.averaging == "lazy", threads=threads)
        else:
            self.second = MarginTraining(learner, numbers, chain, documents, threads=threads)
        self.state = RerankingState(np.zeros(chain.size, np.float32), self.second.state)

    def start(self, weights: Weights) -> None:
        """Refuse a start model."""
        raise ConfigError("re-ranking does not take a start model, because it trains the models that find candidates")

    def restore(self, tensors: Tensors) -> None:
        """Continue from what ``state.to_tensors()`` returned."""
        self.state.restore(tensors)

    def passes(self, seed: int, done: int = 0) -> Iterator[Pass]:
        """Run the passes from ``done + 1`` on. First models are trained again on resuming, as lists are not kept."""
        settings = {"seed": self.seed, "epochs": self.epochs, "threads": self.threads}
        self.state.first, found = cross_validate(self.basis, self.basis.numbers, **settings)
        if isinstance(self.second, ScoreTraining):  # re-ranking 1 has the first score as a feature
            passes = self.second.passes(found, seed, done)
        else:  # re-ranking 2 is Algorithm 4.1 on the candidates
            data = self.second.documents.data
            self.second.lists = _core.CandidateLists(data, found.first, found.begins, found.labels)
            passes = self.second.passes(seed, done)
        for each in passes:
            yield replace(each, state=self.state)
