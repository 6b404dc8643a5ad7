"""Margin perceptrons over documents, with non-local features or without (kazama-torisawa-2007)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus.corpus import IntArray
from tagloom.features import DocumentRows
from tagloom.learners.learner import Learner
from tagloom.learners.online import Pass, Tensors, in_stretches, shuffled_order

Weights = NDArray[np.float32]
STRETCH = 256  # documents
STEADY = 3  # passes in a row in which the error hardly changes (section 6.1)
BPM_EPOCH = 2**31  # orders of the passes of BPM initialization are none of the orders of training


@dataclass(frozen=True)
class Documents:
    """Sequences to learn from: encoded, with gold labels, and with the non-local features of their labellings."""

    data: _core.ChainData
    count: int
    gold: NDArray[np.int32]  # [N]
    features: _core.NonlocalFeatures | None = None
    rows: DocumentRows | None = None  # of the features of Python functions


class MarginState:
    """Weights of local features and, after them, those of non-local ones; and the errors of the last passes."""

    def __init__(self, core: _core.OnlineState, rows: DocumentRows | None) -> None:
        self.core, self.rows = core, rows
        self.errors: list[int] = []  # tokens, of the latest passes, the latest last

    def mean(self) -> Weights:
        return np.concatenate([self.core.mean(), self.core.nonlocal_mean()])

    take_mean = mean

    def to_tensors(self) -> Tensors:
        names = {} if self.rows is None else self.rows.to_tensors()
        return {**self.core.to_tensors(), **names, "errors": np.array(self.errors, np.int64)}

    def restore(self, tensors: Tensors) -> None:
        self.errors = tensors["errors"].tolist()
        if self.rows is not None:
            self.rows.restore(tensors)
        self.core.restore({name: array for name, array in tensors.items() if name != "errors"})


def is_steady(errors: Sequence[int], tolerance: float) -> bool:
    """The stopping rule of section 6.1: the relative change of the error stays below the tolerance."""
    last = errors[-STEADY - 1 :]
    if len(last) <= STEADY or tolerance == 0:
        return False
    return all(abs(b - a) < tolerance * max(a, 1) for a, b in itertools.pairwise(last))


def margin_settings(learner: Learner, numbers: dict[str, Any]) -> _core.MarginSettings:
    """n, C and the variants, for the core."""
    local = numbers.get("C_local")
    return _core.MarginSettings(
        candidates=numbers.get("n", 2),
        total_margin=numbers["C"],
        local_margin=numbers["C"] if local is None else local,
        mends_local=learner.opponent == "rescored-local",
        is_conservative=numbers.get("local_update") == "conservative",
        local_first=numbers.get("update_order") == "local-first",
    )


class MarginTraining:
    """Passes over documents until the error hardly changes or the caller stops."""

    def __init__(
        self,
        learner: Learner,
        numbers: dict[str, Any],
        chain: _core.Chain,
        documents: Documents,
        *,
        threads: int = 1,
        lists: _core.CandidateLists | None = None,
        only: IntArray | None = None,
    ) -> None:
        self.learner, self.numbers, self.chain = learner, numbers, chain
        self.documents, self.threads, self.lists = documents, threads, lists
        self.settings = margin_settings(learner, numbers)
        self.tolerance, self.bpm = numbers["tolerance"], numbers["bpm"]
        self.averaged = learner.averaging == "lazy"
        self.examples = np.arange(documents.count, dtype=np.int64) if only is None else only
        self.state = MarginState(_core.OnlineState(chain.size, self.averaged), documents.rows)
        self.first: tuple[Weights, Weights] | None = None

    def start(self, weights: Weights) -> None:
        """Begin from these weights, local ones before non-local ones, instead of zeros."""
        self.first = weights[: self.chain.size], weights[self.chain.size :]
        self._begin(self.state.core, *self.first)

    def restore(self, tensors: Tensors) -> None:
        """Go on from what ``state.to_tensors()`` gave."""
        self.state.restore(tensors)

    def passes(self, seed: int, done: int = 0) -> Iterator[Pass]:
        """Passes ``done + 1`` and so on."""
        if done == 0 and self.bpm:
            self._begin(self.state.core, *self._bayes_point(seed))
        epoch, state = done, self.state
        while True:
            epoch += 1
            updates, errors, loss = self._run(state.core, self._order(seed, epoch))
            state.errors = [*state.errors[-STEADY:], errors]
            yield Pass(epoch, updates, errors, loss, state, is_last=is_steady(state.errors, self.tolerance))

    def _order(self, seed: int, epoch: int) -> IntArray:
        order: IntArray = self.examples[shuffled_order(len(self.examples), seed, epoch)]
        return order

    def _run(self, core: _core.OnlineState, order: IntArray) -> tuple[int, int, float]:
        given = self.settings, self.documents.features, self.lists
        return in_stretches(lambda part: core.margin_epoch(self.documents.data, part, *given), order, STRETCH)

    def _begin(self, core: _core.OnlineState, local: Weights, nonlocal_: Weights) -> None:
        core.start(local)
        core.start_nonlocal(nonlocal_)

    def _bayes_point(self, seed: int) -> tuple[Weights, Weights]:
        """BPM initialization (section 4.3): the mean of the weights after one pass in each of several orders."""
        threads = (
            1 if self.documents.rows is not None else self.threads
        )  # Python functions number features as they come
        with ThreadPoolExecutor(max(1, min(threads, self.bpm))) as pool:
            runs = pool.map(lambda run: self._one_pass(seed, BPM_EPOCH + run), range(self.bpm))
            local, nonlocal_ = np.zeros(self.chain.size), np.zeros(0)
            for one in runs:  # in their order: the sum is the same for any number of threads
                local += one[0]
                nonlocal_ = _sum(nonlocal_, one[1])
        return (local / self.bpm).astype(np.float32), (nonlocal_ / self.bpm).astype(np.float32)

    def _one_pass(self, seed: int, epoch: int) -> tuple[Weights, Weights]:
        core = _core.OnlineState(self.chain.size, False)
        if self.first is not None:
            self._begin(core, *self.first)
        self._run(core, self._order(seed, epoch))
        return core.weights(), core.nonlocal_mean()


def _sum(a: NDArray[np.float64], b: Weights) -> NDArray[np.float64]:
    total = np.zeros(max(len(a), len(b)))
    total[: len(a)] += a
    total[: len(b)] += b
    return total


def trained(training: MarginTraining, seed: int, epochs: int) -> Weights:
    """The weights after ``epochs`` passes, or fewer if the error is steady or nothing moves."""
    for done in training.passes(seed):
        if done.epoch >= epochs or done.is_last or done.updates == 0:
            break
    return training.state.mean()


def folds_of(count: int, folds: int, seed: int) -> Sequence[IntArray]:
    """The examples in ``folds`` parts, at random."""
    return np.array_split(shuffled_order(count, seed, 0), min(folds, count))
