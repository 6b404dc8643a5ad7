"""One training: the passes of a learner, with the log and the stopping rules of CRFsuite's algorithms."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from tagloom.compat.crfsuite.log import (
    Iteration,
    write_end,
    write_features,
    write_holdout,
    write_iteration,
    write_parameters,
    write_part,
    write_storing,
)
from tagloom.compat.crfsuite.parameters import build_options
from tagloom._core import dot
from tagloom.corpus import Column, Corpus
from tagloom.corpus.feature_dicts import ATTRIBUTES, LABEL
from tagloom.learners import Pass
from tagloom.learners.batch import BatchState
from tagloom.learners.lbfgs import steepest
from tagloom.systems.learning import Learning
from tagloom.systems.tagger.learn import WeightScorer
from tagloom.systems.tagger.model import Tagger as Model
from tagloom.systems.tagger.options import TaggerOptions
from tagloom.systems.tagger.train import TaggerTraining

_TITLES = {
    "lbfgs": "L-BFGS optimization",
    "l2sgd": "Stochastic Gradient Descent (SGD)",
    "averaged-perceptron": "Averaged perceptron",
    "passive-aggressive": "Passive Aggressive",
    "arow": "Adaptive Regularization of Weights (AROW)",
}
_NO_DATA = "Training terminated with error: there are no labelled sequences"


class TrainingRun:
    """A training of an algorithm of CRFsuite; every line of the log goes to ``emit``."""

    def __init__(
        self, algorithm: str, values: Mapping[str, Any], corpus: Corpus, holdout: Corpus | None,
        emit: Callable[[str], None], threads: int = 1,
    ) -> None:  # fmt: skip
        self.algorithm, self.values, self.corpus, self.emit = algorithm, values, _drop_zeros(corpus), emit
        self.threads, self.started = threads, time.perf_counter()
        self.marked = self.started  # when the last iteration ended
        self.options = TaggerOptions.parse({**build_options(algorithm, values), "threads": threads})
        self.holdout = holdout
        self.scorer: WeightScorer | None = None
        self.features = 0  # number of weights that may be learned
        self.losses: list[float] = []
        self.end = "Training terminated with the maximum number of iterations"

    def run(self) -> Model | None:
        """Learn and build the model; None if there is nothing to learn from."""
        if self.corpus.token_count == 0:
            self._write(write_features(self.values, 0, 0.0))
            self._write(write_parameters(_TITLES[self.algorithm], self.values))
            self._write(write_end(_NO_DATA, 0.0))
            self._write(write_storing({"features": (0, 0)}, 0.0))
            return None
        training = TaggerTraining.plan(self.corpus, self.options)
        self.scorer = None if self.holdout is None else WeightScorer(training.encoded, self.holdout, self.threads)
        self.encoded = self.marked = time.perf_counter()
        learning = Learning(training, None, lambda _: None, self.started, observe=self._observe, pause=self._stops)
        learned = learning.run()
        self._write(write_end(self.end, time.perf_counter() - self.encoded))
        begun = time.perf_counter()
        model = training.freeze(learned)
        self._write(write_storing(self._list_sizes(training, model), time.perf_counter() - begun))
        return model

    def _write(self, lines: Iterator[str]) -> None:
        for line in lines:
            self.emit(line)

    def _list_sizes(self, training: TaggerTraining, model: Model) -> dict[str, tuple[int, int]]:
        active, labels = int(np.count_nonzero(model.parameters.weights)), len(model.labels)
        attributes = len(model.parameters.node_keys), training.encoded.chain.node_rows
        return {"features": (active, self.features), "attributes": attributes, "labels": (labels, labels)}

    # -- after every pass --------------------------------------------------------------------------------------------

    def _observe(self, done: Pass, seconds: float, total: object) -> None:
        """Log a pass, and before the first one what was learned from."""
        if done.epoch == 1:
            self.features = count_weights(done)
            self._write(write_features(self.values, self.features, self.encoded - self.started))
            self._write(write_parameters(_TITLES[self.algorithm], self.values))
        now = time.perf_counter()
        iteration = self._measure(done, now - self.marked)
        self.losses.append(iteration.loss)
        self.has_converged = self._converges(done, iteration)
        if done.updates == 0:
            self._end_average(done)
        self._write(write_iteration(iteration, self._score(done)))
        self.marked = time.perf_counter()

    def _end_average(self, done: Pass) -> None:
        """Count the passes that are left, in which nothing would change but the mean of the weights."""
        tensors = done.state.to_tensors()
        if "sums" in tensors and self.options.chosen_learner.averaging == "lazy":
            tensors["numbers"] = np.array([len(self.corpus) * self.options.most_epochs, *tensors["numbers"][1:]])
            done.state.restore(tensors)

    def _measure(self, done: Pass, seconds: float) -> Iteration:
        if not isinstance(done.state, BatchState):
            return Iteration(done.epoch, done.loss, _norm(done.weights()), seconds)
        point = done.state.point
        assert point is not None
        error, active = _norm(steepest(point, self.values["c1"])), int(np.count_nonzero(point.x))
        return Iteration(done.epoch, point.value, _norm(point.x), seconds, error, active)

    def _score(self, done: Pass) -> Iterator[str]:
        """Score the weights on held-out data, which does not change what is learned."""
        if self.scorer is None or self.holdout is None:
            return
        gold, found = self.scorer.decode(done.weights())
        labels = list(dict.fromkeys([*self.corpus.column(LABEL).strings.strings(), *gold]))
        match, model, ref = Counter(g for g, f in zip(gold, found) if g == f), Counter(found), Counter(gold)
        ends = self.holdout.sentences.tolist()
        whole = sum(gold[a:b] == found[a:b] for a, b in zip(ends, ends[1:]))
        counts = [(match[label], model[label], ref[label]) for label in labels]
        items, instances = write_part(match.total(), len(gold)), write_part(whole, len(self.holdout))
        yield from write_holdout(labels, counts, items, instances)

    # -- when training ends ------------------------------------------------------------------------------------------

    def _stops(self, epoch: int) -> bool:
        if self.has_converged:
            self.end = "Training terminated with the stopping criterion"
        return self.has_converged

    def _converges(self, done: Pass, iteration: Iteration) -> bool:
        epsilon = self.values.get("epsilon", 0.0)
        if self.algorithm == "lbfgs":  # the other rule of L-BFGS is the learner's own
            assert iteration.error_norm is not None
            return iteration.error_norm <= epsilon * max(1.0, iteration.feature_norm)
        if self.algorithm == "l2sgd":
            return self._has_settled()
        if self.algorithm == "averaged-perceptron":
            return done.token_errors < epsilon * self.corpus.token_count
        return done.loss < epsilon * len(self.corpus)

    def _has_settled(self) -> bool:
        """Whether the loss has fallen by less than a part of itself in a period."""
        period, loss = self.values["period"], self.losses[-1]
        if period <= 0 or len(self.losses) <= period:
            return False
        return self.losses[-period - 1] - loss < self.values["delta"] * loss


def count_weights(done: Pass) -> int:
    """Count the weights that a learner may move."""
    state: Any = done.state
    return int(state.objective.size if isinstance(state, BatchState) else state.size)


def _norm(vector: Any) -> float:
    return math.sqrt(dot(np.asarray(vector, np.float64), np.asarray(vector, np.float64)))


def _drop_zeros(corpus: Corpus) -> Corpus:
    """Drop attributes with a value of 0, which change neither scores nor gradients; values that are all 1 go, too."""
    bag = corpus.column(ATTRIBUTES)
    assert bag.offsets is not None
    if bag.values is None:
        return corpus
    kept = bag.values != 0
    values = bag.values[kept]
    ends = bag.offsets - np.searchsorted(np.flatnonzero(~kept), bag.offsets)  # less the zeros before
    column = Column(bag.codes[kept], bag.strings, ends, None if (values == 1).all() else values)
    return corpus.with_column(ATTRIBUTES, column)
