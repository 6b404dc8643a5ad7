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
from tagloom.learners.learner import Learner, learner_named
from tagloom.learners.margin import NO_WEIGHTS, Documents, MarginTraining, Weights, folds_of, trained
from tagloom.learners.online import Pass, Tensors

_MOST_STRINGS = 1_000_000  # distinct ones that functions return
NO_FLAGS: NDArray[np.uint8] = np.zeros(0, np.uint8)


@dataclass(frozen=True)
class Candidates:
    """Candidates of some documents: where each document's and each candidate's labels begin, labels, scores."""

    first: IntArray  # [D + 1]
    begins: IntArray  # [C + 1]
    labels: NDArray[np.int32]
    scores: NDArray[np.float64]

    def of(self, document: int) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
        """Lengths, labels and scores of the candidates of one document."""
        first, last = self.first[document : document + 2]
        begin, end = self.begins[first], self.begins[last]
        return np.diff(self.begins[first : last + 1]), self.labels[begin:end], self.scores[first:last]


def cross_validated(
    first: MarginTraining, numbers: dict[str, Any], *, seed: int, epochs: int, threads: int
) -> tuple[Weights, _core.CandidateLists]:
    """The weights of a first model trained on everything, and the candidates of models trained without them."""
    count = first.documents.count
    parts = folds_of(count, numbers["folds"], seed)
    everything = np.arange(count, dtype=np.int64)
    jobs = [everything, *(np.setdiff1d(everything, part) for part in parts)]
    with ThreadPoolExecutor(max(1, min(threads, len(jobs)))) as pool:
        weights = list(pool.map(lambda only: trained(_limited(first, only), seed, epochs), jobs))
    data = first.documents.data
    found = [Candidates(*data.nbest(each, NO_FLAGS, numbers["n"], threads)) for each in weights[1:]]
    scores = [data.gold_scores(each, threads) for each in weights[1:]]
    fold = np.empty(count, np.int64)
    for number, part in enumerate(parts):
        fold[part] = number
    return weights[0], _joined(data, found, scores, fold, scale=max(numbers["C"], 1.0))


def _limited(first: MarginTraining, only: IntArray) -> MarginTraining:
    return MarginTraining(first.learner, first.numbers, first.chain, first.documents, only=only)


def _joined(
    data: _core.ChainData, found: list[Candidates], gold: list[NDArray[np.float64]], fold: IntArray, scale: float
) -> _core.CandidateLists:
    """The candidates of every document by the model of its fold; scores relative to gold's, in units of the margin."""
    parts = [found[number].of(document) for document, number in enumerate(fold.tolist())]
    scores = [(part[2] - gold[number][d]) / scale for d, (part, number) in enumerate(zip(parts, fold.tolist()))]
    counts = [len(part[2]) for part in parts]
    return _core.CandidateLists(
        data,
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        np.concatenate([[0], np.cumsum(np.concatenate([part[0] for part in parts]))]).astype(np.int64),
        np.concatenate([part[1] for part in parts]),
        np.concatenate(scores),
        np.zeros(len(fold)),
    )


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
    """Weights of non-local features in the units of the first model's score, whose own weight becomes one.

    A first model whose score has no weight yet counts as nothing beside the features.
    """
    if len(nonlocal_) <= row:
        return NO_WEIGHTS
    own = max(float(nonlocal_[row]), 1e-6)
    others: Weights = np.trim_zeros(nonlocal_[:row], "b") * np.float32(scale / own)
    return others


def _score_row(documents: Documents) -> int:
    """A row that no feature has: the first after the native ones where there are no functions, else a far one."""
    native = 0 if documents.features is None else documents.features.native_rows
    return native if documents.rows is None else native + _MOST_STRINGS


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
        self.state = RerankingState(first, self.second, score_row if scores else None, 1 / max(numbers["C"], 1.0))

    def start(self, weights: Weights) -> None:
        raise ConfigError("re-ranking finds its candidates by models of its own: it has no start model")

    def restore(self, tensors: Tensors) -> None:
        self.state.restore(tensors)

    def passes(self, seed: int, done: int = 0) -> Iterator[Pass]:
        """The first models learn before the first pass, and again before a training goes on: lists are not kept."""
        settings = {"seed": self.seed, "epochs": self.epochs, "threads": self.threads}
        self.state.first, self.second.lists = cross_validated(self.basis, self.numbers, **settings)
        for each in self.second.passes(seed, done):
            yield replace(each, state=self.state)
