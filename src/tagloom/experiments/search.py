"""The search of a tuning: rung after rung, trials run side by side until they are compared."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil
from typing import Any

from tagloom.corpus import Corpus
from tagloom.errors import ConfigError
from tagloom.evaluate import Signature
from tagloom.experiments.grid import Plan
from tagloom.experiments.trials import FINISHED, STOPPED, UNFINISHED, Record, Trial, TrialFiles
from tagloom.systems.base import Training
from tagloom.systems.learning import Learning, Progress
from tagloom.systems.parallel import Pool, PoolReport, Watch
from tagloom.systems.registry import System

_MOST_RUNGS = 3  # the first at an eighth of the passes
_LEAST_PASSES = 2  # before trials are compared


def check_keep(keep: object) -> None:
    """Raise ConfigError unless ``keep`` is a part of the trials."""
    if isinstance(keep, bool) or not isinstance(keep, (int, float)) or not 0 < keep <= 1:
        raise ConfigError(f"keep: expected a part of the trials, above 0 and at most 1 (all), got {keep!r}")


def rungs(most_passes: Iterable[int], keep: float) -> list[Fraction]:
    """List the shares of their passes after which trials are compared, and 1 at the end.

    >>> [str(share) for share in rungs([10, 20], 0.5)], rungs([10, 20], 1)
    (['1/4', '1/2', '1'], [Fraction(1, 1)])
    """
    if keep == 1:
        return [Fraction(1)]
    least = min(most_passes)
    shares = [Fraction(1, 2**power) for power in range(_MOST_RUNGS, 0, -1)]
    return [share for share in shares if least * share >= _LEAST_PASSES] + [Fraction(1)]


def choose_survivors(scores: Mapping[int, float], keep: float) -> set[int]:
    """Return the numbers of the best trials: a part ``keep`` of all, rounded up. Ties go to the lower number.

    >>> sorted(choose_survivors({1: 80.0, 2: 90.0, 3: 80.0, 4: 70.0, 5: 60.0}, 0.5))
    [1, 2, 3]
    """
    count = ceil(Fraction(keep).limit_denominator(10**6) * len(scores))
    return set(sorted(scores, key=lambda number: (-scores[number], number))[: max(1, count)])


_MOST_KEPT = 4  # or as many as trials run at the same time


class Bench:
    """An encoded corpus, and how development data is scored. The first thread that opens it builds it; others wait."""

    training: Training[Any]
    metric: str
    rule: str
    seconds: float

    def __init__(self, row: System, train: Corpus, dev: Corpus, options: Any) -> None:
        self._row, self._train, self._dev, self._options = row, train, dev, options
        self._lock, self._is_built = threading.Lock(), False

    def open(self) -> bool:
        """Encode the corpus unless it is done; return whether this call did it."""
        with self._lock:
            if self._is_built:
                return False
            started = time.perf_counter()
            self.training = self._row.load_training().prepare(self._train, self._options)
            self.training.build_scorer(self._dev)
            perfect = self.training.score_columns(self._dev, self._dev.columns)  # to learn the metric and the rule
            self.metric, self.rule = perfect.metric, perfect.rule
            self.seconds, self._is_built = time.perf_counter() - started, True
            return True


class Encodings:
    """Benches by their encoding. Each is built when it is needed first, and the latest few are kept."""

    def __init__(self, row: System, train: Corpus, dev: Corpus, jobs: int) -> None:
        self.row, self.train, self.dev, self.most = row, train, dev, max(jobs, _MOST_KEPT)
        self._benches: dict[tuple[object, ...], Bench] = {}
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process encodes for itself."""
        return Encodings, (self.row, self.train, self.dev, self.most)

    def get(self, plan: Plan) -> tuple[Bench, bool]:
        """Return the bench of a trial, and whether it was built just now."""
        key = plan.encoding()
        with self._lock:
            bench = self._benches.pop(key, None) or Bench(self.row, self.train, self.dev, plan.options)
            self._benches[key] = bench  # the latest is last
            while len(self._benches) > self.most:
                del self._benches[next(iter(self._benches))]
        return bench, bench.open()


#: Called while trials run, with the name of a trial (None: all of them) and its progress. Calls never overlap.
TuneReport = PoolReport


@dataclass
class _State:
    """A trial in the search."""

    plan: Plan
    limit: int = 0  # pass up to which it may run
    record: Record = field(default_factory=Record)
    identity: Mapping[str, str] | None = None  # known once its corpus is encoded
    made_by: Signature | None = None
    metric: str = ""
    is_stopped: bool = False

    @property
    def scores(self) -> list[float]:
        """The scores pass by pass up to the limit; further passes that a folder has do not count."""
        return [entry.dev_score or 0.0 for entry in self.record.history[: self.limit]]

    @property
    def is_over(self) -> bool:
        return self.record.is_over and len(self.record.history) <= self.limit

    def trial(self) -> Trial:
        status = FINISHED if self.is_over else STOPPED if self.is_stopped else UNFINISHED
        history = self.record.history[: self.limit]
        made_by = self.made_by if history else None
        return Trial(self.plan.number, self.plan.chosen, history, self.record.seconds, status, made_by)


def _group(states: Sequence[_State]) -> list[_State]:
    """Order trials so that those with the same encoded corpus follow each other."""
    groups: dict[tuple[object, ...], list[_State]] = {}
    for state in states:
        groups.setdefault(state.plan.encoding(), []).append(state)
    return [state for group in groups.values() for state in group]


class TrialRunner:
    """Runs trials to their limits, in the process where it is called."""

    def __init__(self, encodings: Encodings, files: TrialFiles) -> None:
        self.encodings, self.files = encodings, files

    def __call__(self, state: _State, watch: Watch) -> _State:
        """Run one trial to its limit, beginning with what the folder has of it."""
        name, most = state.plan.name, state.plan.options.most_epochs
        watch.tell(name, Progress("started", "learning", epochs=most))
        if not state.record.reaches(state.limit):
            training = self._prepare(state, watch)
            if not state.record.reaches(state.limit):
                self._learn(state, training, watch)
        if state.scores:
            how = "finished" if state.is_over else "paused"
            text = f"{how} after pass {len(state.scores)}, dev {max(state.scores):.2f}"
            watch.tell(name, Progress(how, text, epochs=most, seconds=state.record.seconds))
        return state

    def _prepare(self, state: _State, watch: Watch) -> Training[Any]:
        """Return the training of a trial; look up what the folder has of it."""
        bench, is_new = self.encodings.get(state.plan)
        training = bench.training.share(state.plan.options)
        if is_new:
            for note in training.list_notes([self.encodings.train, self.encodings.dev]):
                watch.tell(None, note)
            sizes = bench.training.sizes
            text = f"{sizes['features']:,} features x {sizes['labels']} labels, encoded in {bench.seconds:.2f} s"
            watch.tell(None, Progress("encoded", text, seconds=bench.seconds))
        if state.identity is None:
            state.identity = training.identify(self.encodings.dev)
            state.made_by = replace(training.signature, rule=bench.rule)
            state.record = self.files.load(state.identity)
            state.metric = bench.metric
        return training

    def _learn(self, state: _State, training: Training[Any], watch: Watch) -> None:
        assert state.identity is not None
        learning = Learning(
            training, training.build_scorer(self.encodings.dev),
            lambda progress: _report(state.plan.name, progress, watch), time.perf_counter(),
            checkpoint=self.files.checkpoint(state.identity),
            pause=lambda epoch: epoch >= state.limit or watch.is_stopped,
        )  # fmt: skip
        kept = learning.kept
        before = 0.0 if kept is None else state.record.seconds
        if kept is not None and kept.epoch >= state.limit:  # from a search with other rungs
            state.record = Record(kept.history, before)
        else:
            learned = learning.run()
            is_over = not (learned.paused or learned.interrupted)
            state.record = Record(learned.history, before + learning.learning_seconds, is_over)
        self.files.store(state.identity, state.record)


def _report(name: str, progress: Progress, watch: Watch) -> None:
    if progress.phase == "interrupted":
        watch.stop()
    if progress.phase != "resumed":  # trials pause and resume all the time
        watch.tell(name, progress)


class Search:
    """Rung after rung, trials run in parallel to the same share of their passes; then the worse part stops."""

    def __init__(self, runner: TrialRunner, pool: Pool) -> None:
        self.runner, self.pool = runner, pool
        self.states: dict[int, _State] = {}  # by the number of the trial

    @property
    def metric(self) -> str:
        """The name of the metric, once a trial has run."""
        return next((state.metric for state in self.states.values() if state.metric), "")

    def run(self, plans: Sequence[Plan], keep: float, jobs: int) -> list[Trial]:
        """Run all trials, and return them in the order of the plans."""
        self.states = {plan.number: _State(plan) for plan in plans}
        alive = list(self.states)
        for rung in rungs([plan.options.most_epochs for plan in plans], keep):
            share = rung if len(alive) > 1 else Fraction(1)  # nothing left to compare with
            self._advance([self.states[number] for number in alive], share, jobs)
            if share == 1 or self.pool.is_stopped:
                break
            alive = self._judge([self.states[number] for number in alive], keep)
        for state in self.states.values():
            if state.trial().status != UNFINISHED:  # a folder may have checkpoints of killed searches
                self._forget(state)
        return [state.trial() for state in self.states.values()]

    def _advance(self, alive: Sequence[_State], rung: Fraction, jobs: int) -> None:
        """Run all trials to a share of their passes."""
        for state in alive:
            state.limit = ceil(rung * state.plan.options.most_epochs)
        passes = "all" if rung == 1 else str(rung)
        count = f"{len(alive)} trial{'s' * (len(alive) > 1)}"
        self.pool.tell(None, Progress("rung", f"{count}, {passes} of the passes", epochs=len(alive)))
        threads = max(state.plan.options.threads for state in alive)
        found = self.pool.run(self.runner, _group(alive), min(jobs, len(alive)), threads)
        self.states |= {state.plan.number: state for state in found if state is not None}

    def _judge(self, alive: Sequence[_State], keep: float) -> list[int]:
        """Return the numbers of the trials that continue; stop the others."""
        kept = choose_survivors({state.plan.number: max(state.scores) for state in alive}, keep)
        for state in alive:
            if state.plan.number not in kept and not state.is_over:
                state.is_stopped = True
                self._forget(state)
                text = f"stopped after pass {state.limit}, dev {max(state.scores):.2f}"
                self.pool.tell(state.plan.name, Progress("stopped", text))
        return [state.plan.number for state in alive if state.plan.number in kept]

    def _forget(self, state: _State) -> None:
        if state.identity is not None:
            self.runner.files.checkpoint(state.identity).remove()


def tell_notes_once(on_progress: TuneReport | None) -> TuneReport:
    """Return a report that leaves out notes that were told before: several trials may have the same."""
    told: set[str] = set()

    def report(name: str | None, progress: Progress) -> None:
        is_note = name is None and progress.phase == "note"
        if on_progress is not None and not (is_note and progress.message in told):
            on_progress(name, progress)
        told.update([progress.message] * is_note)

    return report
