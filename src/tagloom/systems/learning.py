"""The training loop: passes, a development score after each, the best weights, checkpoints and Ctrl-C."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from tagloom.arguments import check_methods
from tagloom.errors import ConfigError
from tagloom.files.checkpoint import Best, Checkpoint, EpochRecord, Snapshot
from tagloom.learners import Pass
from tagloom.systems.base import Scorer, Training

if TYPE_CHECKING:
    from tagloom._core import OnlineState


@check_methods()
@dataclass(frozen=True)
class Progress:
    """A report to the caller while training runs."""

    phase: str  # "note", "tagging" (parsers only), "encoded", "resumed", "epoch", "interrupted"
    message: str
    record: EpochRecord | None = None
    epochs: int = 0
    seconds: float = 0.0


Report = Callable[[Progress], None]
#: Called after every pass with the pass, the seconds of learning so far (scoring does not count), and how the learner
#: chooses among candidates, if it does.
Observer = Callable[[Pass, float, Any], None]


@dataclass(frozen=True)
class Learned:
    """The weights to keep, what every pass did, and the number of the pass they come from."""

    weights: Any  # an array; for parsers and phrase chunkers, arrays by name
    history: tuple[EpochRecord, ...]
    best_epoch: int
    interrupted: bool = False
    total: Any = None  # how candidates are chosen
    paused: bool = False  # the caller ended training early

    def __repr__(self) -> str:
        return f"Learned(pass {self.best_epoch} of {len(self.history)})"


#: What trainings of others may raise for a checkpoint that does not fit. Those of this library raise ValueError.
LAST_NET: tuple[type[Exception], ...] = (LookupError, TypeError, RuntimeError)
#: What is known of a training before its first pass.
NOTHING_LEARNED = Learned(None, (), 0)


def is_finite(done: Pass) -> bool:
    """Whether all weights after a pass of an online learner are numbers; they are not copied."""
    return cast("OnlineState", done.state).is_finite()


class _Divergence(Exception):  # noqa: N818
    """Weights are no longer finite numbers."""

    def __init__(self, epoch: int) -> None:
        super().__init__(epoch)
        self.epoch = epoch


class Learning:
    """One run of a training of any system."""

    def __init__(
        self, training: Training[Any], dev_score: Scorer | None, report: Report, started: float,
        observe: Observer | None = None, checkpoint: Checkpoint | None = None,
        pause: Callable[[int], bool] = lambda _: False,
    ) -> None:  # fmt: skip
        self.training, self.options = training, training.options
        self.dev_score, self.observe = dev_score, observe
        self.report, self.started = report, started  # reported seconds count from `started`
        self.learning_seconds = 0.0
        self.history: list[EpochRecord] = []
        self.best: Best | None = None  # on development data
        self.finite: Any = None  # weights of the last pass before this one, of learners that can diverge
        self.checkpoint = checkpoint
        self.kept = None if checkpoint is None else checkpoint.load()
        self.kept_at = started
        self.total = training.total  # how the learner chooses among candidates, if it does
        self.pause = pause  # asked after every pass whether to stop here and continue from the checkpoint later

    def run(self) -> Learned:
        """Run passes until training is over, paused or interrupted; Ctrl-C before the first pass ended is raised.

        The weights with the best development score are kept; without development data, those of the last pass.
        """
        last: Pass | None = None
        interrupted = paused = diverged = False
        begun = time.perf_counter()
        passes = self._passes()  # includes the search for a learning rate, which counts as learning
        self.learning_seconds += time.perf_counter() - begun
        try:
            for last in self._time(passes):
                self._record(last)
                over = self._is_over(last)
                paused = not over and self.pause(last.epoch)
                if over:
                    self._warn_if_empty()
                else:
                    self._keep(last, paused)
                self._tell()
                if over or paused:
                    break
        except _Divergence as divergence:
            diverged = True
            if not self.history:
                raise ConfigError(
                    f"{self.training.describe_divergence(divergence.epoch)}; nothing is learned"
                ) from None
            kept = self.history[-1].epoch if self.best is None else self.best.epoch
            text = f"{self.training.describe_divergence(divergence.epoch)}; the model of pass {kept} is kept"
            self.report(Progress("note", text))
        except KeyboardInterrupt:
            if last is None:
                raise
            interrupted = True
            self._warn_if_empty()
            self.report(Progress("interrupted", f"interrupted after pass {last.epoch}; the best model so far is kept"))
        assert last is not None
        weights, epoch = self._choose_weights(last, broken=diverged or interrupted)
        return Learned(weights, tuple(self.history), epoch, interrupted, self.total, paused)

    def _choose_weights(self, last: Pass, *, broken: bool) -> tuple[Any, int]:
        """Choose the best weights on development data, or those of the last pass.

        A pass that was broken off or that diverged does not count, if there is a copy of the weights before it.
        """
        if self.best is not None:
            return self.best.weights, self.best.epoch
        if broken and self.finite is not None:
            return self.finite, self.history[-1].epoch
        return last.take_weights(), last.epoch

    def _warn_if_empty(self) -> None:
        """Report a note if the best model predicts no span on development data that has spans."""
        if self.best is None or self.best.score > 0 or self.dev_score is None:
            return
        found = self.dev_score.score(self.best.weights, self.total)
        counts = found.overall
        if found.kind == "spans" and counts.predicted == 0 < counts.gold:
            text = (
                f"the model predicts no span on the development data, which has {counts.gold:,}; train on more data, "
                "weaken regularization (c1, c2), or choose another learner or template set"
            )
            self.report(Progress("note", text))

    def _passes(self) -> Iterator[Pass]:
        """The passes from the first on, or from the one after the last that a checkpoint kept."""
        kept, self.kept = self.kept, None  # frees its arrays, which are as large as the weights
        if kept is None:
            return self.training.begin(self.total).passes(self.options.seed)
        assert self.checkpoint is not None
        self.history, self.best = list(kept.history), kept.best
        try:
            learner = self.training.begin(self.total)
            learner.restore(kept.state)
            if kept.best is not None:
                self.training.check_weights(kept.best.weights, self.total)
            passes = learner.passes(self.options.seed, kept.epoch)
        except ValueError as error:
            raise self.checkpoint.unusable(error) from None
        except LAST_NET as error:
            raise self.checkpoint.unusable(error) from None
        text = f"{self.checkpoint.path}: continuing after pass {kept.epoch}"
        seconds = time.perf_counter() - self.started
        self.report(Progress("resumed", text, epochs=self.options.most_epochs, seconds=seconds))
        return passes

    def _time(self, passes: Iterator[Pass]) -> Iterator[Pass]:
        """Add up the seconds of the passes, without those that the caller spends between them."""
        begun = time.perf_counter()
        for done in passes:
            self.learning_seconds += time.perf_counter() - begun
            yield done
            begun = time.perf_counter()

    def _record(self, done: Pass) -> None:
        found = None
        if self.training.can_diverge:
            self._keep_finite(done)
        if self.dev_score is not None:
            weights = done.weights() if self.finite is None else self.finite
            found = self.dev_score(weights, self.total)
            # The earliest of several best passes is kept, but the first, empty weights of batch learners lose.
            if self.best is None or found > self.best.score or (done.is_batch and found == self.best.score == 0.0):
                self.best = Best(found, done.epoch, weights)
        self.history.append(EpochRecord(done.epoch, done.updates, done.token_errors, done.loss, found))
        if self.observe is not None:
            self.observe(done, self.learning_seconds, self.total)

    def _keep_finite(self, done: Pass) -> None:
        """Keep a copy of the weights, in case that the next pass diverges; the older copy is freed first."""
        if not is_finite(done):
            raise _Divergence(done.epoch)
        self.finite = None
        if done.epoch < self.options.most_epochs:
            self.finite = done.weights()

    def _keep(self, done: Pass, paused: bool) -> None:
        if self.checkpoint is None or not (paused or time.perf_counter() - self.kept_at >= self.checkpoint.every):
            return
        self.checkpoint.save(Snapshot(done.epoch, tuple(self.history), self.best, done.state.to_tensors()))
        self.kept_at = time.perf_counter()

    def _tell(self) -> None:
        record = self.history[-1]
        dev = "" if record.dev_score is None else f", dev {record.dev_score:.2f}"
        text = f"pass {record.epoch}: {record.token_errors:,} {self.training.unit} in error{dev}"
        seconds = time.perf_counter() - self.started
        self.report(Progress("epoch", text, record, self.options.most_epochs, seconds))

    def _is_over(self, done: Pass) -> bool:
        """Whether this was the last pass, there is nothing left to learn, or patience has run out."""
        if done.epoch >= self.options.most_epochs or done.updates == 0 or done.is_last:
            return True
        if self.best is None:
            return False
        waited = done.epoch - max(self.best.epoch, done.patience_start)
        return waited >= self.options.patience
