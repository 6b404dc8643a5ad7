"""Re-ranking 1 (kazama-torisawa-2007, section 6.3): ranks candidates by the first score and non-local features.

This is a margin perceptron over fixed lists without local features, so that features are counted once. Gold is seldom
among the candidates and is replaced by the candidate nearest to it (collins-2002): where the first model is wrong, gold
scores below all candidates, and learning from it would turn the score of the first model against a labelling.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus.corpus import IntArray
from tagloom.errors import ModelFileError
from tagloom.features import DocumentRows
from tagloom.learners.blocks import shuffle_order
from tagloom.learners.margin import BPM_EPOCH, STRETCH, Documents, Weights, describe_documents, finish_pass
from tagloom.learners.online import Pass, Tensors, run_in_stretches
from tagloom.schema import Array, Layout
from tagloom.schema.limits import LARGEST_WEIGHT
from tagloom.structures.candidates import CandidateLists, find_best_candidates, labels_of

_LEAST_WEIGHT = 1e-3  # least weight of the first score, in its own units; it begins at one
#: Weights [m], moments [m], and [3] weight and moment of the first score and the number of lists seen.
Arrays = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]
_NAMES = ("ranking_weights", "ranking_moments", "ranking_numbers")
SCORE_STATE = Layout(
    (
        Array("ranking_weights", "F64", "m", "Weights of non-local features.", -LARGEST_WEIGHT, LARGEST_WEIGHT),
        Array("ranking_moments", "F64", "m", "Their moments of the average.", -1e37, 1e37),
        Array("ranking_numbers", "F64", "3", "Weight and moment of the first score, and lists seen.", -1e37, 1e37),
    )
)


@dataclass(frozen=True)
class ScoredLists:
    """Candidates with their features, the candidate nearest to gold, and the cost of the others."""

    lists: _core.RankingLists
    best: IntArray  # [D] number of the candidate nearest to gold in its list
    costs: IntArray  # [C] number of tokens that differ from that candidate

    def __repr__(self) -> str:
        return f"ScoredLists({len(self.best):,} lists, {len(self.costs):,} candidates)"

    @classmethod
    def of(cls, found: CandidateLists, documents: Documents, scale: float, threads: int) -> ScoredLists:
        """Build the lists. Scores are relative to the best candidate, divided by ``scale`` so that steps are small."""
        counts, lengths = np.diff(found.first), np.diff(found.begins)[found.first[:-1]]
        best = find_best_candidates(found, documents.gold, np.concatenate([[0], np.cumsum(lengths)]))
        nearest = np.repeat(best, counts)  # of every candidate
        wrong = np.concatenate([[0], np.cumsum(found.labels != labels_of(found, nearest))])
        scores = (found.scores - found.scores[nearest]) / scale
        lists = _count(found, scores, documents.features, threads)
        return cls(lists, best - found.first[:-1], np.diff(wrong[found.begins]).astype(np.int64))

    def perceptron(self, margin: float, arrays: Arrays) -> _core.RankingPerceptron:
        """Build a perceptron over the lists that continues from these arrays."""
        made = _core.RankingPerceptron(self.lists, self.best, 1.0, margin, self.costs)
        made.restore(*arrays)
        return made


def _count(
    found: CandidateLists, scores: NDArray[np.float64], features: _core.NonlocalFeatures | None, threads: int
) -> _core.RankingLists:
    offsets, rows, values = np.zeros(len(scores) + 1, np.int64), np.zeros(0, np.uint32), np.zeros(0, np.float32)
    most = 0
    if features is not None:
        offsets, rows, values = features.count_lists(found.first, found.begins, found.labels, threads)
        most = max(features.native_rows, int(rows.max(initial=0)) + 1)
    return _core.RankingLists(found.first, scores, offsets, rows, most, values)


class ScoreState:
    """The weights of the first score and of non-local features, and the errors of the last passes."""

    def __init__(self, scale: float, averaged: bool, rows: DocumentRows | None) -> None:
        self.scale, self.averaged, self.rows = scale, averaged, rows
        self.errors: list[int] = []  # tokens in error of the last passes, the latest last
        self.perceptron: _core.RankingPerceptron | None = None  # None before there are lists
        self._arrays: Arrays | None = None  # to continue from

    def arrays(self, features: int = 0) -> Arrays:
        """The current arrays, those that were restored, or those that keep the order of the first model."""
        if self.perceptron is not None:
            return self.perceptron.state()
        zeros = np.zeros(features)
        return self._arrays or (zeros, zeros, np.array([self.scale, 0.0, 0.0]))

    def mean(self) -> Weights:
        """The weights of non-local features, in units in which the weight of the first score is one."""
        weights, moments, (base, base_moment, seen) = self.arrays()
        if self.averaged:
            weights, base = weights - moments / max(seen, 1.0), base - base_moment / max(seen, 1.0)
        return rescale_weights(weights, base / self.scale)

    take_mean = mean

    def to_tensors(self) -> Tensors:
        """Return the arrays from which training continues."""
        names = {} if self.rows is None else self.rows.to_tensors()
        return {**dict(zip(_NAMES, self.arrays())), **names, "errors": np.array(self.errors, np.int64)}

    def restore(self, tensors: Tensors) -> None:
        """Continue from what ``to_tensors`` returned; raises ValueError if the arrays do not fit."""
        describe_documents(SCORE_STATE, self.rows).check_all(tensors)
        weights, moments, numbers = (tensors[name] for name in _NAMES)
        self.errors = tensors["errors"].tolist()
        if self.rows is not None:
            self.rows.restore(tensors)
        self.perceptron, self._arrays = None, (weights, moments, numbers)


def rescale_weights(weights: NDArray[np.float64], own: float) -> Weights:
    """Rescale weights so that the weight of the first score, ``own``, becomes one."""
    others: Weights = (np.trim_zeros(weights, "b") / max(own, _LEAST_WEIGHT)).astype(np.float32)
    return others


class ScoreTraining:
    """Passes over lists, until the error hardly changes or the caller stops."""

    def __init__(self, numbers: dict[str, Any], documents: Documents, *, averaged: bool, threads: int) -> None:
        self.documents, self.threads = documents, threads
        self.margin, self.tolerance, self.bpm = numbers["C"], numbers["tolerance"], numbers["bpm"]
        self.state = ScoreState(max(numbers["C"], 1.0), averaged, documents.rows)

    def passes(self, found: CandidateLists, seed: int, done: int = 0) -> Iterator[Pass]:
        """Run the passes from ``done + 1`` on over these candidates."""
        state = self.state
        data = ScoredLists.of(found, self.documents, state.scale, self.threads)
        first = state.arrays(data.lists.features)
        if done == 0 and self.bpm:
            first = self._bayes_point(data, first, seed)
        state.perceptron = self._continue(data, first, done)
        for epoch in itertools.count(done + 1):
            yield finish_pass(state, epoch, _run(state.perceptron, len(found), seed, epoch), self.tolerance)

    def _continue(self, data: ScoredLists, first: Arrays, done: int) -> _core.RankingPerceptron:
        """Build the perceptron; the lists that the arrays of a checkpoint must fit are known only here."""
        try:
            return data.perceptron(self.margin, first)
        except ValueError as error:
            if done == 0:
                raise
            text = f"the checkpoint does not fit the candidates: {error}; delete it to train from the start"
            raise ModelFileError(text) from None

    def _bayes_point(self, data: ScoredLists, first: Arrays, seed: int) -> Arrays:
        """BPM initialization (section 4.3): the mean of the weights after one pass in each of several orders."""

        def one_pass(number: int) -> tuple[NDArray[np.float64], float]:
            perceptron = data.perceptron(self.margin, first)
            _run(perceptron, len(data.lists), seed, BPM_EPOCH + number)
            return perceptron.weights()

        with ThreadPoolExecutor(max(1, min(self.threads, self.bpm))) as pool:
            runs = list(pool.map(one_pass, range(self.bpm)))  # in order, so that threads do not matter
        weights = np.sum([each for each, _ in runs], axis=0) / self.bpm
        return weights, np.zeros_like(weights), np.array([sum(base for _, base in runs) / self.bpm, 0.0, 0.0])


def _run(perceptron: _core.RankingPerceptron, count: int, seed: int, epoch: int) -> tuple[int, int, float]:
    return run_in_stretches(perceptron.run, shuffle_order(count, seed, epoch), STRETCH)
