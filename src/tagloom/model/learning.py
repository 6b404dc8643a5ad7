"""Learning: passes over the encoded corpus, the development score after each, the best weights kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagloom.corpus import Column, Corpus
from tagloom.evaluate import Score, score
from tagloom.features.tensors import Tensors
from tagloom.learners import Learner, Pass, Training, begin_training
from tagloom.model.checkpoint import Best, Checkpoint, Snapshot
from tagloom.model.documents import Total
from tagloom.model.encoded import Encoded
from tagloom.model.labels import gold_scheme, written_labels
from tagloom.model.options import Options
from tagloom.model.spec import EpochRecord
from tagloom.model.start import first_nonlocal
from tagloom.structures.chain import NO_CONSTRAINTS
from tagloom.structures.history import HistorySearch
from tagloom.structures.sequences import sequences_of

Weights = NDArray[np.float32]


@dataclass(frozen=True)
class Progress:
    """What a caller is told while training runs."""

    phase: str  # "note", "tagging" (of parsers), "encoded", "resumed", "epoch", "interrupted"
    message: str
    record: EpochRecord | None = None
    epochs: int = 0
    seconds: float = 0.0


Report = Callable[[Progress], None]
#: Called after every pass, with the seconds of learning so far (those of scoring do not count), and with how the
#: learner chooses among candidates, if it does.
Observer = Callable[[Pass, float, Total | None], None]


@dataclass(frozen=True)
class Learned:
    """The weights to keep, what every pass did, and the number of the pass they come from."""

    weights: Weights
    history: tuple[EpochRecord, ...]
    best_epoch: int
    interrupted: bool = False
    total: Total | None = None  # how candidates are chosen
    paused: bool = False  # the caller ended it before its time


class WeightScorer:
    """Scores weights on a held-out corpus, encoded once; shared freely by threads."""

    def __init__(self, encoded: Encoded, corpus: Corpus, threads: int, search: HistorySearch | None = None) -> None:
        self.source, self.chain, self.kind, self.search = corpus, encoded.chain, encoded.task.kind, search
        self.sentences = corpus.sentences  # joined documents are scored by the sentences that they came in, too
        self.labels, self.threads = encoded.task.gold, threads
        self.gold = corpus.column(encoded.task.label)
        self.scheme = gold_scheme(self.gold, self.sentences, self.labels.written)
        self.corpus = encoded.task.laid_out(corpus)
        self.documents, self.size = encoded.encode_other(self.corpus), encoded.chain.size
        self.allowed = self._allowed(encoded)

    def _allowed(self, encoded: Encoded) -> NDArray[np.uint8]:
        """Flags of the labels that the tag dictionary leaves to tokens; empty without one."""
        dictionary, batch = encoded.task.dictionary, self.documents.batch
        if dictionary is None:
            return NO_CONSTRAINTS
        words = encoded.task.encoder.words(batch)
        return dictionary.flags(encoded.chain, words, batch.sentences, NO_CONSTRAINTS)

    def fitted(self, encoded: Encoded, search: HistorySearch | None) -> WeightScorer:
        """The same data for weights of ``encoded``, which has the same features in other sequences or another chain."""
        if encoded.chain is not self.chain:
            return WeightScorer(encoded, self.source, self.threads, search)
        other = copy(self)
        other.search, other.kind = search, encoded.task.kind
        if other.kind != self.kind:
            other.documents = self.documents.cut_into(sequences_of(self.corpus, other.kind))
        return other

    def __call__(self, weights: Weights, total: Total | None = None) -> float:
        return self.score(weights, total).value

    def score(self, weights: Weights, total: Total | None = None) -> Score:
        """All counts of it."""
        data = self.documents.data
        if self.search is not None:
            codes, _ = data.decode_history(weights, self.search.core(), self.allowed, self.threads)
        elif total is None:
            codes, _ = data.decode_allowed(weights, self.allowed, self.threads)
        else:
            split = total.split(weights, self.size)
            codes, _ = self.documents.decode(total, split, self.allowed, self.threads)
        column = Column(codes, self.labels.column.strings)
        predicted = written_labels(column, self.corpus.sentences, self.labels.decided, self.labels.written)
        return score(self.gold, predicted, self.sentences, scheme=self.scheme)


class Learning:
    """One training run of a learner on an encoded corpus."""

    def __init__(
        self,
        encoded: Encoded,
        learner: Learner,
        options: Options,
        dev_score: WeightScorer | None,
        report: Report,
        started: float,
        observe: Observer | None = None,
        checkpoint: Checkpoint | None = None,
        pause: Callable[[int], bool] = lambda _: False,
    ) -> None:
        self.encoded, self.learner, self.options = encoded, learner, options
        self.report, self.started = report, started  # seconds are counted from `started`
        self.dev_score = None if dev_score is None else self._fitted(dev_score)
        self.observe = observe
        self.learning_seconds = 0.0
        self.history: list[EpochRecord] = []
        self.best: Best | None = None  # of development
        self.checkpoint = checkpoint
        self.kept = None if checkpoint is None else checkpoint.load()
        self.kept_at = started
        self.total = self._total()
        self.pause = pause  # asked after every pass, whether to go on from the checkpoint another time

    def _fitted(self, dev_score: WeightScorer) -> WeightScorer:
        return dev_score.fitted(self.encoded, self.options.search)

    def _total(self) -> Total | None:
        return self.encoded.total(self.learner, self.options)

    def run(self) -> Learned:
        last: Pass | None = None
        interrupted = paused = False
        begun = time.perf_counter()
        passes = self._passes()  # the search for a learning rate is learning, too
        self.learning_seconds += time.perf_counter() - begun
        try:
            for last in self._timed(passes):
                self._record(last)
                over = self._is_over(last)
                paused = not over and self.pause(last.epoch)
                if not over:
                    self._keep(last, paused)
                self._tell()
                if over or paused:
                    break
        except KeyboardInterrupt:
            if last is None:
                raise
            interrupted = True
            self.report(Progress("interrupted", f"interrupted after pass {last.epoch}; the best model so far is kept"))
        assert last is not None
        if self.best is None:
            return self._learned(last.take_weights(), last.epoch, interrupted, paused)
        return self._learned(self.best.weights, self.best.epoch, interrupted, paused)

    def _learned(self, weights: Weights, epoch: int, interrupted: bool, paused: bool) -> Learned:
        return Learned(weights, tuple(self.history), epoch, interrupted, self.total, paused)

    def _passes(self) -> Iterator[Pass]:
        """The passes from the first on, or from the one after those that a checkpoint kept."""
        kept, self.kept = self.kept, None  # its arrays are as large as the weights
        if kept is None:
            return self._train(None)
        assert self.checkpoint is not None
        self.history, self.best = list(kept.history), kept.best
        try:
            if kept.best is not None:
                self._check_best(kept.best)
            passes = self._train((kept.epoch, kept.state))
        except (LookupError, TypeError, ValueError, RuntimeError) as error:
            raise self.checkpoint.unusable(error) from None
        text = f"{self.checkpoint.path}: going on after pass {kept.epoch}"
        seconds = time.perf_counter() - self.started
        self.report(Progress("resumed", text, epochs=self.options.most_epochs, seconds=seconds))
        return passes

    def _check_best(self, best: Best) -> None:
        if len(best.weights) < self.encoded.chain.size:
            raise ValueError("the best weights do not fit the features")

    def _train(self, resume: tuple[int, Tensors] | None) -> Iterator[Pass]:
        training, options = self._begin(), self.options
        first = self._first_weights()
        if first is not None:  # a batch learner looks at them when it goes on, too
            training.start(first)
        if resume is None:
            return training.passes(options.seed)
        training.restore(resume[1])
        return training.passes(options.seed, resume[0])

    def _begin(self) -> Training:
        encoded, options, documents = self.encoded, self.options, self.encoded.documents()
        features, rows = (None, None) if self.total is None else documents.features(self.total.parts, grows=True)
        return begin_training(
            self.learner, options.settings, encoded.task.structure.labels, encoded.chain, documents.data,
            len(documents.sequences), seed=options.seed, threads=options.threads, features=features, rows=rows,
            epochs=options.most_epochs,
        )  # fmt: skip

    def _first_weights(self) -> Weights | None:
        """The start model's weights, those of non-local features last."""
        first, start = self.encoded.first_weights(), self.encoded.task.start
        if first is None or start is None or self.total is None:
            return first
        return np.concatenate([first, first_nonlocal(self.total.parts, start)])

    def _timed(self, passes: Iterator[Pass]) -> Iterator[Pass]:
        """The same passes, their seconds added up; what the caller does between them does not count."""
        begun = time.perf_counter()
        for done in passes:
            self.learning_seconds += time.perf_counter() - begun
            yield done
            begun = time.perf_counter()

    def _record(self, done: Pass) -> None:
        found = None
        if self.dev_score is not None:
            weights = done.weights()
            found = self.dev_score(weights, self.total)
            if self.best is None or found > self.best.score:
                self.best = Best(found, done.epoch, weights)
        self.history.append(EpochRecord(done.epoch, done.updates, done.token_errors, done.loss, found))
        if self.observe is not None:
            self.observe(done, self.learning_seconds, self.total)

    def _keep(self, done: Pass, paused: bool) -> None:
        if self.checkpoint is None or not (paused or time.perf_counter() - self.kept_at >= self.checkpoint.every):
            return
        self.checkpoint.save(Snapshot(done.epoch, tuple(self.history), self.best, done.state.to_tensors()))
        self.kept_at = time.perf_counter()

    def _tell(self) -> None:
        record = self.history[-1]
        dev = "" if record.dev_score is None else f", dev {record.dev_score:.2f}"
        text = f"pass {record.epoch}: {record.token_errors:,} tokens in error{dev}"
        seconds = time.perf_counter() - self.started
        self.report(Progress("epoch", text, record, self.options.most_epochs, seconds))

    def _is_over(self, done: Pass) -> bool:
        """The last pass, nothing left to learn, or nothing gained for long."""
        too_long = self.best is not None and done.epoch - self.best.epoch >= self.options.patience
        return done.epoch >= self.options.most_epochs or done.updates == 0 or done.is_last or too_long
