"""Comparing learners: the corpus is encoded once, learners run side by side in threads (the core releases the GIL)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

import numpy as np

from tagloom.corpus import Corpus
from tagloom.errors import ConfigError
from tagloom.experiments.comparison import Comparison, Part, Plain, Point, Run
from tagloom.learners import LEARNERS, Learner, Pass, cost_matrix, learner_named
from tagloom.systems.learning import Learned, Progress
from tagloom.systems.parallel import SHARED, jobs_for, run_side_by_side
from tagloom.systems.tagger.documents import Total
from tagloom.systems.tagger.encode import Encoded
from tagloom.systems.tagger.file import model_bytes
from tagloom.systems.tagger.learn import ChainLearning, WeightScorer
from tagloom.systems.tagger.options import Options
from tagloom.systems.tagger.task import Task
from tagloom.systems.tagger.train import Data, build_model, checked_options, read_data, undivided

#: What is told while learners run: the learner's name (None: of all), and what happened. Never called twice at once.
CompareReport = Callable[[str | None, Progress], None]

ALL = "all"


def compare_learners(
    train: Data,
    test: Data,
    learners: str | Sequence[str | Learner] = ALL,
    *,
    dev: Data | None = None,
    columns: str | Sequence[str] | None = None,
    format: str | None = None,  # noqa: A002
    normalise: str | None = None,
    jobs: int | None = None,
    settings: Mapping[str, Mapping[str, object]] | None = None,
    on_progress: CompareReport | None = None,
    **options: object,
) -> Comparison:
    """Train several learners on the same features and score each on test data, after every pass and at the end.

    learners: names, as a list or joined by commas, or "all".
    normalise: Unicode normal form, NFC or NFKC, to put the words of files into.
    dev: if given, decides for every learner which pass to keep and when to stop; else the last pass counts. Test data
        never decides anything.
    jobs: learners that run at the same time; as many as there are cores if None. Scores do not depend on it. Seconds
        do: for seconds worth publishing take ``jobs=1``.
    settings: options of single learners by name, such as ``{"perceptron": {"epochs": 20}}``.
    options: those of :func:`tagloom.train`, for all learners.

    Ctrl-C ends every learner after its current pass; those that made one are part of the result.

    >>> sentences = [(["the", "dog"], ["DT", "NN"]), (["a", "cat"], ["DT", "NN"])]
    >>> comparison = compare_learners(sentences, sentences, "perceptron, averaged-perceptron", epochs=3)
    >>> {run.learner: run.score.value for run in comparison.runs}
    {'perceptron': 100.0, 'averaged-perceptron': 100.0}
    """
    entries = _entries(learners, options, settings or {})
    jobs = jobs_for(jobs, max(entry.options.threads for entry in entries), len(entries))
    corpora = {"train": train, "test": test, **({} if dev is None else {"dev": dev})}
    read = {name: read_data(data, columns, format, normalise) for name, data in corpora.items()}
    contest, seconds = _Contest.prepare(read, entries, on_progress or (lambda _, __: None))
    runs, unfinished = _run_all(contest, entries, jobs)
    encoded = contest.encoded
    return Comparison(
        runs=tuple(runs),
        parts={name: Part.of(corpus) for name, corpus in read.items()},
        templates=encoded.task.encoder.templates.name,
        features=encoded.feature_count,
        labels=encoded.chain.labels,
        encode_seconds=seconds,
        jobs=jobs,
        unfinished=tuple(unfinished),
    )


@dataclass(frozen=True)
class _Entry:
    """A learner with its options."""

    learner: Learner
    options: Options

    def learning_options(self) -> dict[str, Plain]:
        """The options that are the learner's own, as a report states them."""
        names = [entry.name for entry in fields(Options) if entry.name not in SHARED | {"learner", "names", "threads"}]
        values = {name: getattr(self.options, name) for name in names}
        values["document_functions"] = ",".join(self.options.document_functions) or None  # by name
        return {name: value if isinstance(value, Plain) else str(value) for name, value in values.items()}


def _entries(
    learners: str | Sequence[str | Learner], options: Mapping[str, object], settings: Mapping[str, Mapping[str, object]]
) -> list[_Entry]:
    """Every learner with its options, all checked before the long work."""
    if "learner" in options:
        raise ConfigError("learner: a comparison takes the names of its learners as 'learners'")
    chosen = _chosen(learners)
    names = [learner.name for learner in chosen]
    for name, own in settings.items():
        if name not in names:
            raise ConfigError(f"settings of {name!r}: not compared here (compared: {', '.join(names)})")
        if shared := sorted(SHARED & set(own)):
            raise ConfigError(f"{name}.{shared[0]}: all learners share their features; set {shared[0]!r} for all")
    return [
        _Entry(learner, checked_options({**options, **settings.get(learner.name, {}), "learner": learner}))
        for learner in chosen
    ]


def _chosen(learners: str | Sequence[str | Learner]) -> list[Learner]:
    if isinstance(learners, str):
        learners = list(LEARNERS) if learners.strip() == ALL else [name.strip() for name in learners.split(",")]
    chosen = [learner_named(name) for name in learners]
    names = [learner.name for learner in chosen]
    if not names:
        raise ConfigError(f"learners: expected at least one (known: {', '.join(sorted(LEARNERS))})")
    if twice := [name for name in names if names.count(name) > 1]:
        raise ConfigError(f"learners: {twice[0]!r} is named twice")
    return chosen


@dataclass(frozen=True)
class _LaidOut:
    """The corpora for learners that agree in sequences, direction and history."""

    encoded: Encoded
    test: WeightScorer
    dev: WeightScorer | None


@dataclass(frozen=True)
class _Contest:
    """What all learners share: the encoded corpora, the word to stop."""

    encoded: Encoded
    test: Corpus
    layouts: Mapping[tuple[str, str, int], _LaidOut]
    on_progress: CompareReport
    stop: threading.Event = field(default_factory=threading.Event)
    telling: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def prepare(
        cls, corpora: Mapping[str, Corpus], entries: Sequence[_Entry], on_progress: CompareReport
    ) -> tuple[_Contest, float]:
        """The contest, and the seconds it took to encode."""
        started = time.perf_counter()
        options = entries[0].options  # those of features are the same for all
        task = Task.plan(corpora["train"], options)
        for entry in entries:  # refused before the long work
            cost_matrix(entry.options.cost, task.structure.labels)
        encoded, kinds = Encoded.encode(task, options), {entry.options.chosen_sequences for entry in entries}
        test, dev = (
            WeightScorer(encoded, corpora[name], options.threads) if name in corpora else None
            for name in ("test", "dev")
        )
        assert test is not None
        layouts = {}
        for each in {entry.options.layout: entry.options for entry in entries}.values():
            fitted = encoded.fitted(each)
            scorers = (None if scorer is None else scorer.fitted(fitted, None) for scorer in (test, dev))
            layouts[each.layout] = _LaidOut(fitted, *scorers)  # type: ignore[arg-type]
        for note in undivided(kinds, corpora.values()):
            on_progress(None, note)
        seconds = time.perf_counter() - started
        size = f"{encoded.feature_count:,} features x {encoded.chain.labels} labels, encoded in {seconds:.2f} s"
        on_progress(None, Progress("encoded", size, seconds=seconds))
        return cls(encoded, corpora["test"], layouts, on_progress), seconds

    def tell(self, learner: str, progress: Progress) -> None:
        with self.telling:
            self.on_progress(learner, progress)

    def run(self, entry: _Entry) -> Run:
        """Train one learner and score its model. Raises KeyboardInterrupt if stopped before its first pass ended."""
        learner, options = entry.options.chosen_learner, entry.options
        laid_out = self.layouts[options.layout]
        encoded, dev_score = laid_out.encoded, laid_out.dev
        watch = _Watch(self, learner.name, laid_out.test.fitted(encoded, options.search))
        self.tell(learner.name, Progress("started", "learning", epochs=options.most_epochs))
        learning = ChainLearning(encoded, learner, options, dev_score, watch.report, time.perf_counter(), watch.observe)
        run = self._run(entry, encoded, learning.run(), watch)
        self.tell(learner.name, Progress("finished", _summary(run), epochs=options.most_epochs, seconds=run.seconds))
        return run

    def _run(self, entry: _Entry, encoded: Encoded, learned: Learned, watch: _Watch) -> Run:
        model = build_model(encoded, entry.learner, entry.options, learned)
        return Run(
            learner=entry.learner.name,
            options=entry.learning_options(),
            score=model.evaluate(self.test, threads=entry.options.threads),
            curve=tuple(Point(record, *point) for record, point in zip(learned.history, watch.points)),
            best_epoch=learned.best_epoch,
            active_features=int(np.count_nonzero(learned.weights)),
            model_bytes=len(model_bytes(model)),
            interrupted=watch.interrupted,
        )


class _Watch:
    """Follows one learner: scores every pass on test data, tells of it, ends the learner when all must stop."""

    def __init__(self, contest: _Contest, name: str, test_score: WeightScorer) -> None:
        self._contest, self._name, self._test_score = contest, name, test_score
        self.points: list[tuple[float, float]] = []  # seconds of learning, score on test data
        self.interrupted = False

    def observe(self, done: Pass, seconds: float, total: Total | None) -> None:
        self.points.append((seconds, self._test_score(done.weights(), total)))

    def report(self, progress: Progress) -> None:
        if progress.phase == "interrupted":
            self.interrupted = True
            self._contest.stop.set()
        elif progress.phase == "epoch":
            progress = replace(progress, message=f"{progress.message}, test {self.points[-1][1]:.2f}")
        self._contest.tell(self._name, progress)
        if progress.phase == "epoch" and self._contest.stop.is_set():
            raise KeyboardInterrupt


def _summary(run: Run) -> str:
    return f"{run.score.metric} {run.score.value:.2f} with pass {run.best_epoch}, {run.seconds:.2f} s of learning"


def _run_all(contest: _Contest, entries: Sequence[_Entry], jobs: int) -> tuple[list[Run], list[str]]:
    """The runs of the learners that made a pass, and the names of those that were interrupted before."""
    done = run_side_by_side(contest.run, entries, jobs, contest.stop)
    runs = [run for run in done if run is not None]
    if not runs:
        raise KeyboardInterrupt
    return runs, [entry.learner.name for entry, run in zip(entries, done) if run is None]
