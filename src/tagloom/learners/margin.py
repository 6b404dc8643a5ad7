"""Margin perceptrons over documents, with or without non-local features (kazama-torisawa-2007)."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus.corpus import IntArray
from tagloom.features import DocumentRows
from tagloom.learners.blocks import Blocks, WholeData, shuffle_order
from tagloom.learners.learner import Learner
from tagloom.learners.online import ONLINE_STATE, Counts, Pass, Tensors, add_counts, run_in_stretches
from tagloom.schema import Array, Layout, Misfit
from tagloom.schema.limits import LARGEST_COUNT

if TYPE_CHECKING:
    from tagloom.learners.scored_lists import ScoreState

Weights = NDArray[np.float32]
STRETCH = 256  # documents
STEADY = 3  # passes in a row in which the error hardly changes (section 6.1)
BPM_EPOCH = 2**31  # numbers of the passes of BPM initialization, so that their orders differ from those of training


@dataclass(frozen=True)
class Documents:
    """Encoded training sequences with gold labels, and the non-local features of their labellings."""

    data: _core.ChainData
    count: int
    gold: NDArray[np.int32]  # [N]
    features: _core.NonlocalFeatures | None = None
    rows: DocumentRows | None = None  # of the features of Python functions

    def __repr__(self) -> str:
        return f"Documents({self.count:,} documents, {len(self.gold):,} tokens)"


class MarginState:
    """The weights of local features, followed by those of non-local features, and the errors of the last passes."""

    def __init__(self, core: _core.OnlineState, documents: Documents) -> None:
        self.core, self.rows = core, documents.rows
        self.native_rows = 0 if documents.features is None else documents.features.native_rows
        self.errors: list[int] = []  # tokens in error of the last passes, the latest last

    def mean(self) -> Weights:
        """The weights to tag with."""
        return np.concatenate([self.core.mean(), self.core.nonlocal_mean()])

    take_mean = mean

    def to_tensors(self) -> Tensors:
        """Return the arrays from which training continues."""
        names = {} if self.rows is None else self.rows.to_tensors()
        return {**self.core.to_tensors(), **names, "errors": np.array(self.errors, np.int64)}

    def restore(self, tensors: Tensors) -> None:
        """Continue from what ``to_tensors`` returned; raises ValueError if the arrays do not fit."""
        describe_documents(ONLINE_STATE, self.rows).check_all(tensors)
        self.errors = tensors["errors"].tolist()
        if self.rows is not None:
            self.rows.restore(tensors)
        most = self.native_rows + (0 if self.rows is None else len(self.rows.names))
        if (found := len(tensors.get("nonlocal_weights", ()))) > most:
            raise Misfit("tensor nonlocal_weights", f"at most {most:,} weights", found)
        self.core.restore({name: array for name, array in tensors.items() if name != "errors"})


def describe_documents(own: Layout, rows: DocumentRows | None) -> Layout:
    """Describe the arrays of a learner of documents in a checkpoint: its own, the last errors, and strings."""
    errors = Array("errors", "I64", "", "Tokens in error of the last passes.", 0, LARGEST_COUNT)
    return Layout((own, errors, *(() if rows is None else (DocumentRows.layout,))))


def is_steady(errors: Sequence[float], tolerance: float) -> bool:
    """Whether the relative change of the error stays below the tolerance: the stopping rule of section 6.1."""
    last = errors[-STEADY - 1 :]
    if len(last) <= STEADY or tolerance == 0:
        return False
    return all(abs(b - a) < tolerance * max(a, 1) for a, b in itertools.pairwise(last))


def finish_pass(state: MarginState | ScoreState, epoch: int, counts: Counts, tolerance: float) -> Pass:
    """Take down the errors of a pass; it is the last one if they are steady."""
    state.errors = [*state.errors[-STEADY:], counts[1]]
    return Pass(epoch, *counts, state, is_last=is_steady(state.errors, tolerance))


def margin_settings(learner: Learner, numbers: dict[str, Any]) -> _core.MarginSettings:
    """Build the settings of the core."""
    local = numbers.get("C_local")
    return _core.MarginSettings(
        candidates=numbers.get("n", 2),
        total_margin=numbers["C"],
        local_margin=numbers["C"] if local is None else local,
        mends_local=learner.opponent == "rescored-local",
        is_conservative=numbers.get("local_update") == "conservative",
        local_first=numbers.get("update_order") == "local-first",
    )


def _run_part(core: _core.OnlineState, data: _core.ChainData, given: tuple[Any, ...], part: IntArray) -> Counts:
    return core.margin_epoch(data, part, *given)


class MarginTraining:
    """Passes over documents, until the error hardly changes or the caller stops."""

    def __init__(
        self, learner: Learner, numbers: dict[str, Any], chain: _core.Chain, documents: Documents, *,
        threads: int = 1, only: IntArray | None = None, blocks: Blocks | None = None,
    ) -> None:  # fmt: skip
        self.learner, self.numbers, self.chain = learner, numbers, chain
        self.documents, self.threads = documents, threads
        self.lists: _core.CandidateLists | None = None  # candidates of another model to choose from
        self.settings = margin_settings(learner, numbers)
        self.tolerance, self.bpm = numbers["tolerance"], numbers["bpm"]
        self.blocks, self.only = blocks or WholeData(documents.data, documents.count), only
        self.state = MarginState(_core.OnlineState(chain.size, learner.averaging == "lazy"), documents)
        self.first: tuple[Weights, Weights] | None = None

    def start(self, weights: Weights) -> None:
        """Begin from these weights instead of zeros; weights of non-local features come last."""
        self.first = weights[: self.chain.size], weights[self.chain.size :]
        self._begin(self.state.core, *self.first)

    def restore(self, tensors: Tensors) -> None:
        """Continue from what ``state.to_tensors()`` returned."""
        self.state.restore(tensors)

    def passes(self, seed: int, done: int = 0) -> Iterator[Pass]:
        """Run the passes from ``done + 1`` on."""
        if done == 0 and self.bpm:
            self._begin(self.state.core, *self._bayes_point(seed))
        state = self.state
        for epoch in itertools.count(done + 1):
            yield finish_pass(state, epoch, self._run(state.core, seed, epoch), self.tolerance)

    def _visit(self, seed: int, epoch: int) -> Iterator[tuple[_core.ChainData, IntArray]]:
        """Give the examples in the order of a pass: those of every block, or only some of those in memory."""
        if self.only is None:
            yield from self.blocks.visit(seed, epoch)
        else:
            yield self.documents.data, self.only[shuffle_order(len(self.only), seed, epoch)]

    def _run(self, core: _core.OnlineState, seed: int, epoch: int) -> Counts:
        given = self.settings, self.documents.features, self.lists
        reports = []
        for data, order in self._visit(seed, epoch):
            run = functools.partial(_run_part, core, data, given)
            reports.append(run_in_stretches(run, order, STRETCH))
        return add_counts(reports)

    def _begin(self, core: _core.OnlineState, local: Weights, nonlocal_: Weights) -> None:
        core.start(local)
        core.start_nonlocal(nonlocal_)

    def _bayes_point(self, seed: int) -> tuple[Weights, Weights]:
        """BPM initialization (section 4.3): the mean of the weights after one pass in each of several orders."""
        # Python functions number their features in the order of the calls, which must not depend on threads.
        threads = 1 if self.documents.rows is not None else self.threads
        with ThreadPoolExecutor(max(1, min(threads, self.bpm))) as pool:
            runs = pool.map(lambda run: self._one_pass(seed, BPM_EPOCH + run), range(self.bpm))
            local, nonlocal_ = np.zeros(self.chain.size), np.zeros(0)
            for one in runs:  # in this order, so that the sum does not depend on the number of threads
                local += one[0]
                nonlocal_ = np.pad(nonlocal_, (0, max(0, len(one[1]) - len(nonlocal_))))  # features found by this run
                nonlocal_[: len(one[1])] += one[1]
        return (local / self.bpm).astype(np.float32), (nonlocal_ / self.bpm).astype(np.float32)

    def _one_pass(self, seed: int, epoch: int) -> tuple[Weights, Weights]:
        core = _core.OnlineState(self.chain.size, False)
        if self.first is not None:
            self._begin(core, *self.first)
        self._run(core, seed, epoch)
        return core.weights(), core.nonlocal_mean()


def train_margin(training: MarginTraining, seed: int, epochs: int) -> Weights:
    """Run ``epochs`` passes, or fewer if the error is steady or no weight moves, and return the weights."""
    for done in training.passes(seed):
        if done.epoch >= epochs or done.is_last or done.updates == 0:
            break
    return training.state.mean()


def split_folds(count: int, folds: int, seed: int) -> Sequence[IntArray]:
    """Split the examples into ``folds`` random parts."""
    return np.array_split(shuffle_order(count, seed, 0), min(folds, count))
