"""Comparison of learners: the corpus is encoded once per process, and learners run side by side."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import PurePath
from typing import Any

import numpy as np

from tagloom._version import __version__
from tagloom.arguments import check_arguments
from tagloom.corpus import Corpus
from tagloom.errors import ConfigError
from tagloom.evaluate import Score
from tagloom.experiments.grid import Plain, pick
from tagloom.files.checkpoint import EpochRecord
from tagloom.learners import LEARNERS, Learner, Pass, get_learner
from tagloom.systems import base
from tagloom.systems.base import Scorer, Training
from tagloom.systems.data import Data, read_training_data
from tagloom.systems.learning import Learning, Progress
from tagloom.systems.options import list_options
from tagloom.systems.parallel import PoolReport, Watch, open_pool
from tagloom.systems.registry import System, get_system
from tagloom.systems.tables import Parts, Shown, Table


@dataclass(frozen=True)
class Part:
    """A corpus of the comparison."""

    name: str  # of the file, without its folder
    sentences: int
    tokens: int

    @classmethod
    def of(cls, corpus: Corpus) -> Part:
        """Describe a corpus."""
        return cls(PurePath(corpus.source).name, len(corpus), corpus.token_count)


@dataclass(frozen=True)
class Point:
    """One point of a learning curve: a learner after one pass."""

    record: EpochRecord
    seconds: float  # of learning so far
    score: float  # on test data

    def to_dict(self) -> dict[str, object]:
        """Convert to plain values."""
        return {**asdict(self.record), "seconds": self.seconds, "score": self.score}


@dataclass(frozen=True)
class Run:
    """The result of one learner: the score of its model, and the learning curve."""

    learner: str
    options: Mapping[str, Plain]  # of learning; options of features are shared
    score: Score  # on test data, with signature
    curve: tuple[Point, ...]
    best_epoch: int  # the pass that was kept: chosen on development data, otherwise the last one
    active_features: int  # number of nonzero weights
    model_bytes: int
    interrupted: bool = False

    @property
    def epochs(self) -> int:
        """The number of passes."""
        return len(self.curve)

    @property
    def seconds(self) -> float:
        """Seconds of learning, without encoding and scoring."""
        return self.curve[-1].seconds

    @property
    def seconds_per_epoch(self) -> float:
        """Seconds of learning per pass."""
        return self.seconds / self.epochs

    def to_dict(self) -> dict[str, object]:
        """Convert to plain values."""
        names = "epochs best_epoch seconds seconds_per_epoch active_features model_bytes interrupted"
        return {
            "learner": self.learner,
            "score": self.score.value,
            **pick(self, names),
            "signature": str(self.score.signature),
            "options": dict(self.options),
            "test": self.score.to_dict(),
            "curve": [point.to_dict() for point in self.curve],
        }


@dataclass(frozen=True)
class Comparison(Shown):
    """The results of several learners. Scores do not depend on ``jobs``, but seconds do."""

    runs: tuple[Run, ...]  # in the order of the request
    parts: Mapping[str, Part]  # train, test, dev
    templates: str
    features: int
    labels: int
    encode_seconds: float
    jobs: int  # number of learners that ran at the same time
    unfinished: tuple[str, ...] = ()  # learners that were interrupted before their first pass ended

    def __repr__(self) -> str:
        best = self.best() if self.runs else None
        first = f"; best {best.learner} with {self.metric} {best.score.value:.2f}" if best else ""
        return f"<Comparison of {len(self.runs)} learners{first}>"

    def to_parts(self) -> Parts:
        """Build the table, one row per learner."""
        headers = ("learner", self.metric, "passes", "kept", "seconds", "active features")
        rows = [
            (run.learner, f"{run.score.value:.2f}", str(run.epochs), str(run.best_epoch), f"{run.seconds:.2f}",
             f"{run.active_features:,}")
            for run in self.runs
        ]  # fmt: skip
        return [Table(headers, rows, headers[1:])]

    @property
    def metric(self) -> str:
        """The name of the metric."""
        return self.runs[0].score.metric

    @property
    def interrupted(self) -> bool:
        """Whether any learner was interrupted."""
        return bool(self.unfinished) or any(run.interrupted for run in self.runs)

    def best(self) -> Run:
        """Return the run with the best score."""
        return max(self.runs, key=lambda run: run.score.value)

    def to_dict(self) -> dict[str, object]:
        """Convert to plain values for JSON; nothing is rounded."""
        return {
            "version": __version__,
            "metric": self.metric,
            **{name: asdict(part) for name, part in self.parts.items()},
            **pick(self, "templates features labels encode_seconds jobs interrupted"),
            "unfinished": list(self.unfinished),
            "runs": [run.to_dict() for run in self.runs],
        }


#: Called while learners run, with the name of a learner (None: all of them) and its progress. Calls never overlap.
CompareReport = PoolReport

ALL = "all"


@check_arguments
def compare_learners(
    train: Data,
    test: Data,
    learners: str | Sequence[str | Learner] = ALL,
    *,
    system: str = "tagger",
    dev: Data | None = None,
    columns: str | Sequence[str] | None = None,
    format: str | None = None,  # noqa: A002
    normalise: str | None = None,
    jobs: int | None = None,
    ray: bool | str | None = None,
    settings: Mapping[str, Mapping[str, object]] | None = None,
    on_progress: CompareReport | None = None,
    **options: object,
) -> Comparison:
    """Train several learners on the same features and score each on test data, after every pass and at the end.

    Ctrl-C ends every learner after its current pass. Learners that finished a pass are part of the result.

    Args:
        train: Training data, as for :func:`tagloom.train`.
        test: Data to score on. It does not influence the models.
        learners: Names, as a list or separated by commas, or "all".
        system: Name of a system that has several learners.
        dev: Development data. It decides for every learner which pass to keep and when to stop. Without it, the last
            pass is kept.
        columns: As for :func:`tagloom.train`.
        format: As for :func:`tagloom.train`.
        normalise: As for :func:`tagloom.train`.
        jobs: Number of learners that run at the same time; as many as there are cores if None. Scores do not depend on
            it, but seconds do: measure them with ``jobs=1``.
        ray: Run the learners on the workers of a Ray cluster: its address, or True for workers on this machine. Scores
            do not depend on it.
        settings: Options of single learners by name, such as ``{"perceptron": {"epochs": 20}}``.
        on_progress: Function that is called with the name of a learner and its :class:`Progress`.
        **options: Options of :func:`tagloom.train`, for all learners.

    Examples:
        >>> sentences = [(["the", "dog"], ["DT", "NN"]), (["a", "cat"], ["DT", "NN"])]
        >>> comparison = compare_learners(sentences, sentences, "perceptron, averaged-perceptron", epochs=3)
        >>> {run.learner: run.score.value for run in comparison.runs}
        {'perceptron': 100.0, 'averaged-perceptron': 100.0}
    """
    row = get_system(system)
    if base.LEARNERS not in row.load_model().capabilities:
        row.load_training().require_columns(row.noun, "compare")
        raise ConfigError(f"system: a {row.noun} has one learner; search its options with tagloom tune")
    entries = _entries(row, learners, options, settings or {})
    pool, threads = open_pool(ray, on_progress), max(entry.options.threads for entry in entries)
    jobs = pool.count_jobs(jobs, threads, len(entries))
    corpora = {"train": train, "test": test, **({} if dev is None else {"dev": dev})}
    read = {name: read_training_data(data, columns, format, normalise) for name, data in corpora.items()}
    entries, notes = _complete(row, entries, read["train"])
    contest = _Contest(row, read, entries)
    bench = contest.open()
    for note in dict.fromkeys([*notes, *bench.notes]):
        pool.tell(None, note)
    size = f"{bench.training.sizes['features']:,} features x {bench.training.sizes['labels']} labels"
    pool.tell(None, Progress("encoded", f"{size}, encoded in {bench.seconds:.2f} s", seconds=bench.seconds))
    done = pool.run(contest, entries, jobs, threads)
    if not any(done):
        raise KeyboardInterrupt
    return Comparison(
        runs=tuple(run for run in done if run is not None),
        parts={name: Part.of(corpus) for name, corpus in read.items()},
        templates=str(bench.training.signature.templates),
        features=bench.training.sizes["features"],
        labels=bench.training.sizes["labels"],
        encode_seconds=bench.seconds,
        jobs=jobs,
        unfinished=tuple(entry.learner.name for entry, run in zip(entries, done) if run is None),
    )


@dataclass(frozen=True)
class _Entry:
    """A learner with its options."""

    learner: Learner
    options: Any

    def learning_options(self) -> dict[str, Plain]:
        """List the options of the learner, as plain values for a report."""
        options = list_options(type(self.options)).values()
        own = [each.name for each in options if not each.row.shapes_features and each.row.changes_model]
        values = {name: getattr(self.options, name) for name in own if name != "learner"}
        functions = {name: ",".join(value) or None for name, value in values.items() if isinstance(value, Mapping)}
        plain = {name: value if isinstance(value, Plain) else str(value) for name, value in values.items()}
        return {**plain, **functions}


def _entries(
    row: System,
    learners: str | Sequence[str | Learner],
    options: Mapping[str, object],
    settings: Mapping[str, Mapping[str, object]],
) -> list[_Entry]:
    """Return every learner with its options; all are checked before the long work."""
    if "learner" in options:
        raise ConfigError("learner: a comparison takes the names of its learners as 'learners'")
    chosen = _chosen(row, learners)
    names = [learner.name for learner in chosen]
    known = list_options(row.load_options())
    for name, own in settings.items():
        if name not in names:
            raise ConfigError(f"settings of {name!r}: not compared here (compared: {', '.join(names)})")
        if shared := sorted(name for name in own if name in known and known[name].row.shapes_features):
            raise ConfigError(f"{name}.{shared[0]}: all learners share their features; set {shared[0]!r} for all")
    entries = [
        _Entry(learner, row.load_options().parse({**options, **settings.get(learner.name, {}), "learner": learner}))
        for learner in chosen
    ]
    if len({entry.options.feature_seed for entry in entries}) > 1:
        raise ConfigError("seed: all learners share their features, which this seed decides; set 'seed' for all")
    return entries


def _complete(row: System, entries: Sequence[_Entry], corpus: Corpus) -> tuple[list[_Entry], list[Progress]]:
    """Choose from the data what no option states; return complete entries, and notes on what was chosen."""
    found = [row.load_training().complete_options(corpus, entry.options) for entry in entries]
    notes = dict.fromkeys(note for _, each in found for note in each)
    completed = [replace(entry, options=options) for entry, (options, _) in zip(entries, found)]
    return completed, [Progress("note", note) for note in notes]


def _chosen(row: System, learners: str | Sequence[str | Learner]) -> list[Learner]:
    if isinstance(learners, str):
        learners = _list_learners(row) if learners.strip() == ALL else [name.strip() for name in learners.split(",")]
    chosen = [get_learner(name) for name in learners]
    names = [learner.name for learner in chosen]
    if not names:
        raise ConfigError(f"learners: expected at least one (known: {', '.join(sorted(LEARNERS))})")
    if twice := [name for name in names if names.count(name) > 1]:
        raise ConfigError(f"learners: {twice[0]!r} is named twice")
    return chosen


def _list_learners(row: System) -> list[str]:
    """List the learners of a system."""
    found = []
    for name in LEARNERS:
        try:
            row.load_options().parse({"learner": name})
        except ConfigError:
            continue
        found.append(name)
    return found


@dataclass(frozen=True)
class _Bench:
    """What all learners share: the encoded corpora."""

    training: Training[Any]
    trainings: Mapping[str, Training[Any]]  # by learner
    scorers: Mapping[str, Mapping[str, Scorer]]  # by learner, then by "test" and "dev"
    notes: Sequence[Progress]
    seconds: float  # of encoding


class _Contest:
    """Trains and scores one learner after the other, in the process where it is called."""

    def __init__(self, row: System, corpora: Mapping[str, Corpus], entries: Sequence[_Entry]) -> None:
        self.row, self.corpora, self.entries = row, corpora, entries
        self._lock = threading.Lock()
        self._bench: _Bench | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process encodes for itself."""
        return _Contest, (self.row, self.corpora, self.entries)

    def open(self) -> _Bench:
        """Encode all corpora, unless that is done."""
        with self._lock:
            if self._bench is None:
                self._bench = self._encode()
            return self._bench

    def _encode(self) -> _Bench:
        started, corpora = time.perf_counter(), self.corpora
        training_class, options = self.row.load_training(), self.entries[0].options  # those of features are the same
        held_out = {name: corpus for name, corpus in corpora.items() if name != "train"}
        for corpus in held_out.values():
            training_class.check_gold(corpus, options, corpora["train"])
        training = training_class.prepare(corpora["train"], options)
        trainings = {entry.learner.name: training.share(entry.options) for entry in self.entries}
        scorers = {
            learner: {name: each.build_scorer(corpus) for name, corpus in held_out.items()}
            for learner, each in trainings.items()
        }
        notes = [note for each in trainings.values() for note in each.list_notes(list(corpora.values()))]
        return _Bench(training, trainings, scorers, notes, time.perf_counter() - started)

    def __call__(self, entry: _Entry, watch: Watch) -> Run:
        """Train and score one learner; raises KeyboardInterrupt if it is stopped before its first pass ends."""
        bench, name, most = self.open(), entry.learner.name, entry.options.most_epochs
        training, scorers = bench.trainings[name], bench.scorers[name]
        seen = _Observer(watch, name, scorers["test"])
        watch.tell(name, Progress("started", "learning", epochs=most))
        learning = Learning(training, scorers.get("dev"), seen.report, time.perf_counter(), seen.observe)
        learned = learning.run()
        model, weights = training.build_model(learned), learned.weights
        run = Run(
            learner=name,
            options=entry.learning_options(),
            score=model.evaluate(self.corpora["test"], threads=entry.options.threads),
            curve=tuple(Point(record, *point) for record, point in zip(learned.history, seen.points)),
            best_epoch=learned.best_epoch,
            # some systems have arrays by name
            active_features=int(np.count_nonzero(weights["weights"] if isinstance(weights, Mapping) else weights)),
            model_bytes=len(model.to_bytes()),
            interrupted=seen.interrupted,
        )
        reached = f"{run.score.metric} {run.score.value:.2f} with pass {run.best_epoch}"
        text = f"{reached}, {run.seconds:.2f} s of learning"
        watch.tell(name, Progress("finished", text, epochs=most, seconds=run.seconds))
        return run


class _Observer:
    """Follows one learner: scores every pass on test data, reports it, and stops the learner when all must stop."""

    def __init__(self, watch: Watch, name: str, test_score: Scorer) -> None:
        self._watch, self._name, self._test_score = watch, name, test_score
        self.points: list[tuple[float, float]] = []  # seconds of learning, score on test data
        self.interrupted = False

    def observe(self, done: Pass, seconds: float, total: Any) -> None:
        self.points.append((seconds, self._test_score(done.weights(), total)))

    def report(self, progress: Progress) -> None:
        if progress.phase == "interrupted":
            self.interrupted = True
            self._watch.stop()
        elif progress.phase == "epoch":
            progress = replace(progress, message=f"{progress.message}, test {self.points[-1][1]:.2f}")
        self._watch.tell(self._name, progress)
        if progress.phase == "epoch" and self._watch.is_stopped:
            raise KeyboardInterrupt
