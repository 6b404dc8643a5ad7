"""Tuning: a search over options of training on development data; trials in threads, hopeless ones stopped early."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from tagloom.corpus import Corpus
from tagloom.errors import ConfigError
from tagloom.evaluate import Signature, score
from tagloom.learners import cost_matrix
from tagloom.model.checkpoint import training_identity
from tagloom.model.comparison import Part
from tagloom.model.encoded import Encoded
from tagloom.model.grid import Plan, checked_grid, planned
from tagloom.model.halving import check_keep, passes_at, rungs, survivors
from tagloom.model.learning import Learned, Learning, Progress, WeightScorer
from tagloom.model.side_by_side import jobs_for, run_side_by_side
from tagloom.model.task import Task
from tagloom.model.training import Data, model_spec, read_data
from tagloom.model.trial_files import Record, TrialFiles
from tagloom.model.trials import FINISHED, STOPPED, UNFINISHED, Trial, Tuning

#: What is told while trials run: the trial's name (None: of all), and what happened. Never called twice at once.
TuneReport = Callable[[str | None, Progress], None]


def tune(
    train: Data,
    dev: Data,
    grid: Mapping[str, Iterable[object]],
    *,
    keep: float = 0.5,
    folder: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    columns: str | Sequence[str] | None = None,
    format: str | None = None,  # noqa: A002
    normalise: str | None = None,
    on_progress: TuneReport | None = None,
    **options: object,
) -> Tuning:
    """Train with every combination of some options, and find the one with the best score on development data.

    grid: values to try, by the name of the option, such as ``{"C": [0.01, 0.1, 1], "cutoff": [1, 2]}``.
    keep: trials are judged after an eighth, a quarter and half of their passes; this part of them, by the best score
        so far, goes on each time. 1: all of them run to their end.
    folder: where trials are kept. Called again after it was killed, or with a larger grid, the search makes only the
        passes that are not there yet, and ends with the same result.
    jobs: trials that run at the same time; as many as there are cores if None. Scores do not depend on it.
    options: those of :func:`tagloom.train`, the same for all trials.

    Trials that agree in the options that shape the features share the encoded corpus. Ctrl-C ends every trial after
    its current pass; the result has what they reached.

    >>> sentences = [(["the", "dog"], ["DT", "NN"]), (["a", "cat"], ["DT", "NN"])]
    >>> tuning = tune(sentences, sentences, {"C": [0.01, 0.1]}, learner="pa", epochs=3)
    >>> tuning.best, tuning.best_trial.score
    ({'learner': 'pa', 'epochs': 3, 'C': 0.01}, 100.0)
    """
    check_keep(keep)
    values = checked_grid(grid)
    plans = planned(values, options)
    jobs = jobs_for(jobs, plans[0].options.threads, len(plans))
    corpora = {name: read_data(data, columns, format, normalise) for name, data in (("train", train), ("dev", dev))}
    with _opened(folder) as files:
        search = _Search(_Encodings(corpora["train"], corpora["dev"], max(jobs, _MOST_ENCODED)), files, on_progress)
        trials = search.run(plans, keep, jobs)
    if not any(trial.history for trial in trials):
        raise KeyboardInterrupt
    return Tuning(
        trials=tuple(trials),
        grid=values,
        options=options,
        keep=keep,
        metric=search.metric,
        parts={name: Part.of(corpus) for name, corpus in corpora.items()},
        checksum=corpora["dev"].checksum(),
        jobs=jobs,
    )


@contextmanager
def _opened(folder: str | os.PathLike[str] | None) -> Iterator[TrialFiles]:
    """The files of the trials; without a folder, paused trials wait in a temporary one, not in memory."""
    if folder is not None:
        if not isinstance(folder, (str, os.PathLike)):
            raise ConfigError(f"folder: expected a path, got {folder!r}")
        yield TrialFiles.open(Path(folder))
        return
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="tagloom-tune-") as temporary:
        yield TrialFiles(Path(temporary))


# -- what trials share -----------------------------------------------------------------------------------------------

_MOST_ENCODED = 4  # encoded corpora kept for later trials


@dataclass(frozen=True)
class _Bench:
    """An encoded corpus with the scorer of development data."""

    encoded: Encoded
    dev_score: WeightScorer
    metric: str
    rule: str
    seconds: float

    @classmethod
    def prepare(cls, train: Corpus, dev: Corpus, plan: Plan) -> _Bench:
        started = time.perf_counter()
        task = Task.plan(train, plan.options)
        cost_matrix(plan.options.cost, task.structure.labels)  # refused before the long work
        encoded = Encoded.encode(task, plan.options)
        scorer = WeightScorer(encoded, dev, plan.options.threads)
        perfect = score(scorer.gold, scorer.gold, dev.sentences, scheme=scorer.scheme)  # only to know how it is scored
        return cls(encoded, scorer, perfect.metric, perfect.rule, time.perf_counter() - started)


class _Encodings:
    """Benches by what tells them apart: each made when first asked for, the latest few kept."""

    def __init__(self, train: Corpus, dev: Corpus, most: int) -> None:
        self.train, self.dev, self.most = train, dev, most
        self._made: dict[tuple[object, ...], _Once] = {}
        self._lock = threading.Lock()

    def bench(self, plan: Plan) -> tuple[_Bench, bool]:
        """The bench of a trial, and whether it was made just now."""
        key = plan.encoding()
        with self._lock:
            once = self._made.pop(key, None) or _Once(lambda: _Bench.prepare(self.train, self.dev, plan))
            self._made[key] = once  # the latest is last
            while len(self._made) > self.most:
                del self._made[next(iter(self._made))]
        return once.get()


class _Once:
    """A bench that the first of several threads makes while the others wait."""

    def __init__(self, make: Callable[[], _Bench]) -> None:
        self._make, self._lock = make, threading.Lock()
        self._value: _Bench | None = None

    def get(self) -> tuple[_Bench, bool]:
        with self._lock:
            is_new = self._value is None
            if self._value is None:
                self._value = self._make()
            return self._value, is_new


# -- the search ------------------------------------------------------------------------------------------------------


@dataclass
class _State:
    """A trial in the search."""

    plan: Plan
    limit: int = 0  # pass up to which it may run
    record: Record = field(default_factory=Record)
    identity: Mapping[str, str] | None = None  # known once its corpus is encoded
    made_by: Signature | None = None
    is_stopped: bool = False

    @property
    def scores(self) -> list[float]:
        """Pass by pass up to the limit: what a folder has beyond it does not count."""
        return [entry.dev_score or 0.0 for entry in self.record.history[: self.limit]]

    @property
    def is_over(self) -> bool:
        return self.record.is_over and len(self.record.history) <= self.limit

    def trial(self) -> Trial:
        status = FINISHED if self.is_over else STOPPED if self.is_stopped else UNFINISHED
        history = self.record.history[: self.limit]
        made_by = self.made_by if history else None
        return Trial(self.plan.number, self.plan.chosen, history, self.record.seconds, status, made_by)


def _grouped(states: Sequence[_State]) -> list[_State]:
    """Those with the same encoded corpus one after another."""
    groups: dict[tuple[object, ...], list[_State]] = {}
    for state in states:
        groups.setdefault(state.plan.encoding(), []).append(state)
    return [state for group in groups.values() for state in group]


_NOTHING = Learned(np.zeros(0, np.float32), (), 0)  # a model's signature before its first pass


class _Search:
    """Rung after rung: trials run side by side to the same share of their passes, then the worse part stops."""

    def __init__(self, encodings: _Encodings, files: TrialFiles, on_progress: TuneReport | None) -> None:
        self.encodings, self.files = encodings, files
        self.on_progress: TuneReport = on_progress or (lambda _, __: None)
        self.stop, self.telling = threading.Event(), threading.Lock()
        self.metric = ""

    def run(self, plans: Sequence[Plan], keep: float, jobs: int) -> list[Trial]:
        states = [_State(plan) for plan in plans]
        alive = states
        for rung in rungs([plan.options.most_epochs for plan in plans], keep):
            share = rung if len(alive) > 1 else Fraction(1)  # nobody left to compare with
            self._advance(alive, share, jobs)
            if share == 1 or self.stop.is_set():
                break
            alive = self._judged(alive, keep)
        if not self.stop.is_set():
            for state in states:  # a folder may hold those of searches that were killed
                self._forget(state)
        return [state.trial() for state in states]

    def _advance(self, alive: Sequence[_State], rung: Fraction, jobs: int) -> None:
        """Run all trials to a share of their passes."""
        for state in alive:
            state.limit = passes_at(rung, state.plan.options.most_epochs)
        passes = "all" if rung == 1 else str(rung)
        count = f"{len(alive)} trial{'s' * (len(alive) > 1)}"
        self.tell(None, Progress("rung", f"{count}, {passes} of the passes", epochs=len(alive)))
        run_side_by_side(self._run, _grouped(alive), min(jobs, len(alive)), self.stop)

    def _judged(self, alive: Sequence[_State], keep: float) -> list[_State]:
        """The trials that go on."""
        kept = survivors({state.plan.number: max(state.scores) for state in alive}, keep)
        for state in alive:
            if state.plan.number not in kept and not state.is_over:
                state.is_stopped = True
                self._forget(state)
                text = f"stopped after pass {state.limit}, dev {max(state.scores):.2f}"
                self.tell(state.plan.name, Progress("stopped", text))
        return [state for state in alive if state.plan.number in kept]

    def _forget(self, state: _State) -> None:
        if state.identity is not None:
            self.files.checkpoint(state.identity).remove()

    def _run(self, state: _State) -> None:
        """Bring one trial to its limit, from what the folder has of it."""
        name, most = state.plan.name, state.plan.options.most_epochs
        self.tell(name, Progress("started", "learning", epochs=most))
        if not state.record.reaches(state.limit):
            bench = self._bench(state)
            if not state.record.reaches(state.limit):
                self._learn(state, bench)
        if state.scores:
            how = "finished" if state.is_over else "paused"
            text = f"{how} after pass {len(state.scores)}, dev {max(state.scores):.2f}"
            self.tell(name, Progress(how, text, epochs=most, seconds=state.record.seconds))

    def _bench(self, state: _State) -> _Bench:
        bench, is_new = self.encodings.bench(state.plan)
        encoded, options = bench.encoded, state.plan.options
        if is_new:
            size = f"{encoded.feature_count:,} features x {encoded.chain.labels} labels"
            text = f"{size}, encoded in {bench.seconds:.2f} s"
            self.tell(None, Progress("encoded", text, seconds=bench.seconds))
        if state.identity is None:
            learner = options.chosen_learner
            state.identity = training_identity(encoded, learner, options, self.encodings.dev)
            spec = model_spec(encoded.task, learner, options, _NOTHING)
            state.made_by = replace(spec.signature, rule=bench.rule)
            state.record = self.files.load(state.identity)
            self.metric = bench.metric
        return bench

    def _learn(self, state: _State, bench: _Bench) -> None:
        assert state.identity is not None
        options, started = state.plan.options, time.perf_counter()
        learning = Learning(
            bench.encoded, options.chosen_learner, options, bench.dev_score,
            lambda progress: self._report(state.plan.name, progress), started,
            checkpoint=self.files.checkpoint(state.identity),
            pause=lambda epoch: epoch >= state.limit or self.stop.is_set(),
        )  # fmt: skip
        kept = learning.kept
        before = 0.0 if kept is None else state.record.seconds
        if kept is not None and kept.epoch >= state.limit:  # of a search with other rungs
            state.record = Record(kept.history, before)
        else:
            learned = learning.run()
            is_over = not (learned.paused or learned.interrupted)
            state.record = Record(learned.history, before + learning.learning_seconds, is_over)
        self.files.store(state.identity, state.record)

    def _report(self, name: str, progress: Progress) -> None:
        if progress.phase == "interrupted":
            self.stop.set()
        if progress.phase != "resumed":  # that a paused trial goes on is no news
            self.tell(name, progress)

    def tell(self, name: str | None, progress: Progress) -> None:
        with self.telling:
            self.on_progress(name, progress)
