"""Re-ranking (kazama-torisawa-2007, section 6.3): a second model chooses among the candidates of a first one.

The first models that find the candidates of the training documents have not seen them: they are cross-validated.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus.corpus import IntArray
from tagloom.errors import ConfigError
from tagloom.features.documents import MOST_STRINGS
from tagloom.learners.learner import Learner, learner_named
from tagloom.learners.margin import Documents, MarginTraining, Weights, folds_of, trained
from tagloom.learners.online import Pass, Tensors
from tagloom.structures.candidates import CandidateLists, best_candidates, joined_lists, labels_of

_LEAST_WEIGHT = 1e-3  # of the first model's score, in its own units; it begins at one
NO_FLAGS: NDArray[np.uint8] = np.zeros(0, np.uint8)


@dataclass(frozen=True)
class FirstModels:
    """The weights of a first model trained on everything, and the candidates of models that have not seen them."""

    weights: Weights
    candidates: CandidateLists
    gold_scores: NDArray[np.float64]  # [D] by the same models

    def lists(self, data: _core.ChainData, scale: float) -> _core.CandidateLists:
        """For the core: scores relative to gold's, in units in which a step of one changes their weight little."""
        found = self.candidates
        scores = (found.scores - np.repeat(self.gold_scores, np.diff(found.first))) / scale
        none = np.zeros(len(self.gold_scores))
        return _core.CandidateLists(data, found.first, found.begins, found.labels, scores, none)

    def with_oracle(self, data: _core.ChainData, gold: NDArray[np.int32]) -> tuple[FirstModels, _core.ChainData]:
        """The same with the candidate nearest to gold in its place, which is seldom among them (Collins 2002).

        Gold scores below all candidates where the first model errs; learned from it, that model's score would count
        against a labelling. Of candidates with as many tokens in error the one with the highest score is taken.
        """
        found = self.candidates
        lengths = np.diff(found.begins)[found.first[:-1]]
        best = best_candidates(found, gold, np.concatenate([[0], np.cumsum(lengths)]))
        return replace(self, gold_scores=found.scores[best]), data.relabelled(labels_of(found, best))


def cross_validated(
    first: MarginTraining, numbers: dict[str, Any], *, seed: int, epochs: int, threads: int
) -> FirstModels:
    """First models trained by the margin perceptron, on all documents and on all but one part of them."""
    count, data = first.documents.count, first.documents.data
    parts = folds_of(count, numbers["folds"], seed)
    everything = np.arange(count, dtype=np.int64)
    jobs = [everything, *(np.setdiff1d(everything, part) for part in parts)]
    with ThreadPoolExecutor(max(1, min(threads, len(jobs)))) as pool:
        weights = list(pool.map(lambda only: trained(_limited(first, only), seed, epochs), jobs))
    fold = np.empty(count, np.int64)
    for number, part in enumerate(parts):
        fold[part] = number
    candidates = joined_lists(
        [CandidateLists(*data.nbest(each, NO_FLAGS, numbers["n"], threads)) for each in weights[1:]], fold
    )
    gold = np.stack([data.gold_scores(each, threads) for each in weights[1:]])
    return FirstModels(weights[0], candidates, gold[fold, np.arange(count)])


def _limited(first: MarginTraining, only: IntArray) -> MarginTraining:
    return MarginTraining(first.learner, first.numbers, first.chain, first.documents, only=only)


class RerankingState:
    """The first model's weights before those of the second."""

    def __init__(self, first: Weights, second: MarginTraining, score_row: int | None, scale: float) -> None:
        self.first, self.second = first, second
        self.score_row, self.scale = score_row, scale  # of the first model's score, if that is a feature

    def mean(self) -> Weights:
        """First weights; of re-ranking 2 those of the second model; non-local ones."""
        core = self.second.state.core
        nonlocal_ = core.nonlocal_mean()
        if self.score_row is None:
            return np.concatenate([self.first, core.mean(), nonlocal_])
        return np.concatenate([self.first, _beside_scores(nonlocal_, self.score_row, self.scale)])

    take_mean = mean

    def to_tensors(self) -> Tensors:
        return {**self.second.state.to_tensors(), "first": self.first}

    def restore(self, tensors: Tensors) -> None:
        if tensors["first"].shape != self.first.shape:
            raise ValueError("arrays do not fit the learner")
        self.first = tensors["first"]
        self.second.state.restore({name: array for name, array in tensors.items() if name != "first"})


def _beside_scores(nonlocal_: Weights, row: int, scale: float) -> Weights:
    """Weights of non-local features in the units of the first model's score, whose own weight becomes one."""
    own = max(float(nonlocal_[row]) / scale, _LEAST_WEIGHT)
    others: Weights = np.trim_zeros(nonlocal_[:row], "b") / np.float32(own)
    return others


def _score_row(documents: Documents) -> int:
    """A row that no feature has: the first after the native ones where there are no functions, else a far one."""
    native = 0 if documents.features is None else documents.features.native_rows
    return native if documents.rows is None else native + MOST_STRINGS


class RerankingTraining:
    """Algorithm 4.1 over the candidates of first models."""

    def __init__(
        self,
        learner: Learner,
        numbers: dict[str, Any],
        chain: _core.Chain,
        documents: Documents,
        *,
        seed: int,
        epochs: int,
        threads: int,
    ) -> None:
        if documents.count < 2:
            raise ConfigError(
                f"learner {learner.name!r}: expected two documents or more, so that first models can label what they "
                f"have not seen, got {documents.count}"
            )
        self.numbers, self.seed, self.epochs, self.threads = numbers, seed, epochs, threads
        local = replace(documents, features=None, rows=None)
        basis = learner_named("margin-perceptron").averaged(learner.averaging)
        self.basis = MarginTraining(basis, numbers, chain, local)
        scores = learner.opponent == "reranked-score"
        score_row = _score_row(documents)
        self.second = MarginTraining(learner, numbers, chain, documents, threads=threads, score_row=score_row)
        first = np.zeros(chain.size, np.float32)
        self.scale = max(numbers["C"], 1.0)
        self.state = RerankingState(first, self.second, score_row if scores else None, self.scale)

    def start(self, weights: Weights) -> None:
        raise ConfigError("re-ranking finds its candidates by models of its own: it has no start model")

    def restore(self, tensors: Tensors) -> None:
        self.state.restore(tensors)

    def passes(self, seed: int, done: int = 0) -> Iterator[Pass]:
        """The first models learn before the first pass, and again before a training goes on: lists are not kept."""
        settings = {"seed": self.seed, "epochs": self.epochs, "threads": self.threads}
        models = cross_validated(self.basis, self.numbers, **settings)
        self.state.first = models.weights
        if self.state.score_row is not None:
            models = self._begin_with_scores(models, is_new=done == 0)
        self.second.lists = models.lists(self.second.documents.data, self.scale)
        for each in self.second.passes(seed, done):
            yield replace(each, state=self.state)

    def _begin_with_scores(self, models: FirstModels, *, is_new: bool) -> FirstModels:
        """Re-ranking 1 begins with the first model's own order and learns from the best candidates."""
        documents, row = self.second.documents, self.state.score_row
        assert row is not None
        models, data = models.with_oracle(documents.data, documents.gold)
        self.second.documents = replace(documents, data=data)
        if is_new:
            scores = np.zeros(row + 1, np.float32)
            scores[row] = self.scale
            self.second.start(np.concatenate([np.zeros(len(models.weights), np.float32), scores]))
        return models
