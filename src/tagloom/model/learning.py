"""Learning: passes over the encoded corpus, the development score after each, the best weights kept."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from tagloom.corpus import Column, Corpus
from tagloom.evaluate import score
from tagloom.learners import Learner, Pass, train_online
from tagloom.model.encoded import Encoded
from tagloom.model.labels import gold_scheme, written_labels
from tagloom.model.options import Options
from tagloom.model.spec import EpochRecord

Weights = NDArray[np.float32]


@dataclass(frozen=True)
class Progress:
    """What a caller is told while training runs."""

    phase: str  # "encoded", "epoch", "interrupted"
    message: str
    record: EpochRecord | None = None
    epochs: int = 0
    seconds: float = 0.0


Report = Callable[[Progress], None]


@dataclass(frozen=True)
class Learned:
    """The weights to keep, what every pass did, and the number of the pass they come from."""

    weights: Weights
    history: tuple[EpochRecord, ...]
    best_epoch: int


class DevScorer:
    """Scores weights on a development corpus, encoded once."""

    def __init__(self, encoded: Encoded, corpus: Corpus, threads: int) -> None:
        self.labels, self.corpus, self.threads = encoded.task.gold, corpus, threads
        self.gold = corpus.column(encoded.task.label)
        self.scheme = gold_scheme(self.gold, corpus.sentences, self.labels.written)
        self.data = encoded.encode_other(corpus)

    def __call__(self, weights: Weights) -> float:
        codes, _ = self.data.decode(weights, self.threads)
        column = Column(codes, self.labels.column.strings)
        predicted = written_labels(column, self.corpus.sentences, self.labels.decided, self.labels.written)
        result = score(self.gold, predicted, self.corpus.sentences, scheme=self.scheme)
        return result.overall.recall if result.metric == "accuracy" else result.overall.f1


class Learning:
    """One training run of a learner on an encoded corpus."""

    def __init__(
        self, encoded: Encoded, learner: Learner, options: Options, dev: Corpus | None, report: Report, started: float
    ) -> None:
        self.encoded, self.learner, self.options = encoded, learner, options
        self.report, self.started = report, started  # seconds are counted from `started`
        self.dev_score = None if dev is None else DevScorer(encoded, dev, options.threads)
        self.history: list[EpochRecord] = []
        self.best: tuple[float, int, Weights] | None = None  # of development: score, pass, weights

    def run(self) -> Learned:
        last: Pass | None = None
        try:
            for last in self._passes():
                self._record(last)
                if self._is_over(last):
                    break
        except KeyboardInterrupt:
            if last is None:
                raise
            self.report(Progress("interrupted", f"interrupted after pass {last.epoch}; the best model so far is kept"))
        assert last is not None
        if self.best is None:
            return Learned(last.take_weights(), tuple(self.history), last.epoch)
        return Learned(self.best[2], tuple(self.history), self.best[1])

    def _passes(self) -> islice[Pass]:
        examples = len(self.encoded.task.corpus)
        passes = train_online(
            self.learner, self.encoded.chain, self.encoded.data, examples, self.options.seed,
            start=self.encoded.first_weights(),
        )  # fmt: skip
        return islice(passes, self.options.epochs)

    def _record(self, done: Pass) -> None:
        found = None
        if self.dev_score is not None:
            weights = done.weights()
            found = self.dev_score(weights)
            if self.best is None or found > self.best[0]:
                self.best = found, done.epoch, weights
        self.history.append(EpochRecord(done.epoch, done.updates, done.token_errors, found))
        dev = "" if found is None else f", dev {found:.2f}"
        text = f"pass {done.epoch}: {done.token_errors:,} tokens in error{dev}"
        seconds = time.perf_counter() - self.started
        self.report(Progress("epoch", text, self.history[-1], self.options.epochs, seconds))

    def _is_over(self, done: Pass) -> bool:
        """Nothing left to learn, or nothing gained for long."""
        return done.updates == 0 or (self.best is not None and done.epoch - self.best[1] >= self.options.patience)
