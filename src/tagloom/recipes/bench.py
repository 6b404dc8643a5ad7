"""The workbench: one training decides many cells of a table, such as scores on both parts, seconds and p values.

The weights after the last pass count. Development data choose settings where an experiment says so (``TUNE``), and
nothing else.
"""

from __future__ import annotations

import hashlib
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from tagloom.corpus import Corpus
from tagloom.evaluate import Score, compare, score
from tagloom.experiments.trials import Trial
from tagloom.experiments.tune import tune
from tagloom.learners import Pass
from tagloom.recipes.dataset import DEV, TEST, TRAIN, Dataset, Split
from tagloom.recipes.recipe import Experiment, Measurement, Options, Point, Tell
from tagloom.systems.base import Scorer, Training
from tagloom.systems.labels import find_gold_scheme
from tagloom.systems.learning import Learned, Learning, Progress
from tagloom.systems.registry import get_system
from tagloom.systems.train import train

#: Metrics in seconds: training includes encoding, learning does not.
TRAINING, APPLYING = "training seconds", "test seconds"
LEARNING, TAGGING = "seconds of learning", "seconds of tagging the test"
#: An option of an experiment: the options of the system that it is compared with on the test.
AGAINST = "against"
#: An option of an experiment: the ``grid`` of settings to choose from on development data, and options of the trials.
TUNE = "tune"
#: An option of re-ranking: the options of a margin perceptron, whose tuned C is that of the first models.
FIRST = "C_first"

Value = TypeVar("Value")


class Once:
    """Costly values by their key. Each is computed by the first thread that needs it; others wait for it."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._locks: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def get(self, key: str, compute: Callable[[], Value]) -> Value:
        """Return the value of a key; ``compute`` is called if there is none."""
        with self._lock:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if key not in self._values:
                self._values[key] = compute()
            value: Value = self._values[key]
            return value


def format_key(options: Options) -> str:
    """Return a text that is the same for equal options, whatever their order."""
    return repr(sorted((n, format_key(v) if isinstance(v, Mapping) else v) for n, v in options.items()))


def drop(options: Options, *names: str) -> dict[str, Any]:
    """Return the options without some of them."""
    return {name: value for name, value in options.items() if name not in names}


def relay(tell: Tell, prefix: str = "") -> Callable[[Progress], None]:
    """Return a progress callback for a training. A training that is interrupted decides nothing: it raises."""

    def report(progress: Progress) -> None:
        if progress.phase == "interrupted":
            raise KeyboardInterrupt
        tell(f"{prefix}{progress.message}")

    return report


@dataclass(frozen=True)
class Result:
    """What one system gave on one part."""

    score: Score
    training: float  # seconds
    applying: float  # seconds
    curve: tuple[Point, ...] = ()


class Bench(ABC):
    """One corpus of a recipe. A value that several cells need is computed once, when the first of them needs it."""

    compared_by: str | None = None  # the metric of p values; None: the metric of the score

    def __init__(self, dataset: Dataset, data: Path, folder: Path | None = None) -> None:
        self.dataset, self.data, self.folder = dataset, data, folder
        self.fixed = dataset.options(data)
        self.once = Once()

    @abstractmethod
    def evaluate(self, part: str, options: Options, tell: Tell) -> Result:
        """Train with these options, unless that is done, and score the part DEV or TEST."""

    def read_score(self, score: Score, measure: str, options: Options) -> float:
        """Return the number that a metric such as "test F1" names after the part."""
        return score.value

    def run(self, experiment: Experiment, tell: Tell) -> Measurement:
        """Measure one cell."""
        options, metric = experiment.options, experiment.metric
        if AGAINST in options:
            ours, other = (self.evaluate(TEST, each, tell) for each in (drop(options, AGAINST), options[AGAINST]))
            return Measurement(compare(ours.score, other.score, metric=self.compared_by).p_value, 0.0)
        if metric in (TRAINING, APPLYING, LEARNING, TAGGING):
            found = self.evaluate(TEST, options, tell)
            seconds = found.training if metric in (TRAINING, LEARNING) else found.applying
            return Measurement(seconds, seconds)
        part, measure = metric.split(maxsplit=1)
        found = self.evaluate(part, options, tell)
        return Measurement(self.read_score(found.score, measure, options), found.training, found.curve)


class ModelBench(Bench):
    """Whole models: trained, applied and scored as a user does it."""

    system = "tagger"

    def __init__(self, dataset: Dataset, data: Path, folder: Path | None = None) -> None:
        super().__init__(dataset, data, folder)
        self.splits = dataset.split(data)
        self.label = dataset.label(self.splits[0].train)

    def find_split(self, part: str) -> Split:
        """Return the split that holds out a part."""
        return next(split for split in self.splits if part in split.held_out)

    def train(self, corpus: Corpus, options: Options, tell: Tell) -> tuple[Any, float]:
        """Train a model; returns it with the seconds that it took, including encoding."""
        begun = time.perf_counter()
        row = get_system(self.system)
        model = train(corpus, system=row, on_progress=relay(tell), **self.complete(options))
        return model, time.perf_counter() - begun

    def complete(self, options: Options) -> dict[str, Any]:
        """Add the options that the corpus fixes."""
        return {**self.fixed, "label": self.label, **options}

    def evaluate(self, part: str, options: Options, tell: Tell) -> Result:
        """Train on the split that holds out a part; all parts of the split are scored, and the model is dropped."""
        split = self.find_split(part)
        key = f"{sorted(split.held_out)} {format_key(options)}"
        return self.once.get(key, lambda: self._evaluate(split, options, tell))[part]

    def _evaluate(self, split: Split, options: Options, tell: Tell) -> dict[str, Result]:
        model, training = self.train(split.train, options, tell)
        results = {}
        for part, corpus in split.held_out.items():
            begun = time.perf_counter()
            predicted = self.apply(model, corpus)
            applying = time.perf_counter() - begun
            results[part] = Result(self.score(model, predicted, corpus, part), training, applying)
        return results

    def apply(self, model: Any, corpus: Corpus) -> Any:
        """Predict the annotation of a corpus."""
        return model.tag_corpus(corpus)

    def score(self, model: Any, predicted: Any, corpus: Corpus, part: str) -> Score:
        """Score the prediction for a part."""
        gold = corpus.column(self.label)
        scheme = find_gold_scheme(gold, corpus.sentences, model.spec.written)
        return score(gold, predicted, corpus.sentences, scheme=scheme)


class TaggerBench(Bench):
    """Taggers on a corpus that is encoded once; one of its parts is scored after every pass of a training."""

    system = "tagger"
    curve_part = TEST

    def __init__(self, dataset: Dataset, data: Path, folder: Path | None = None) -> None:
        super().__init__(dataset, data, folder)
        begun = time.perf_counter()
        self.corpora = dataset.read(data)
        self.training: Any = get_system(self.system).load_training().prepare(self.corpora[TRAIN], self.check({}))
        self.seconds = time.perf_counter() - begun  # of reading and encoding

    def check(self, options: Options) -> Any:
        """Return the options of a training, complete and checked."""
        return get_system(self.system).load_options().parse({**self.fixed, **options})

    def evaluate(self, part: str, options: Options, tell: Tell) -> Result:
        """Train with these options, unless that is done, and score a part.

        One training serves any number of ``candidates`` (n' of kazama-torisawa-2007), because they are chosen when a
        model tags. The result has a curve only if that was drawn with as many candidates, and on the same part.
        """
        options = self.settle(options, tell)
        own = drop(options, "candidates")
        learned, curve = self.once.get(f"training {format_key(own)}", lambda: self.learn(self.check(own), tell))
        chosen = self.check(options)
        found, applying = self.once.get(f"{part} {format_key(options)}", lambda: self._score(part, learned, chosen))
        is_drawn = learned.total is None or learned.total.candidates == chosen.candidates
        return Result(found, curve[-1].seconds or 0.0, applying, curve if is_drawn and part == self.curve_part else ())

    def settle(self, options: Options, tell: Tell) -> dict[str, Any]:
        """Return the options of a training, with the settings that development data choose."""
        settled = drop(options, TUNE)
        if isinstance(options.get(FIRST), Mapping):
            settled[FIRST] = self.settle(options[FIRST], tell)["C"]
        if TUNE in options:
            best = max(self.tune(options, tell), key=lambda trial: trial.scores[-1])
            settled |= best.chosen
        return settled

    def tune(self, options: Options, tell: Tell) -> tuple[Trial, ...]:
        """Try all values of the grid of an experiment, unless that is done. Trials of earlier runs are read again."""
        grid, own = options[TUNE]["grid"], drop(options[TUNE], "grid")
        trials = self.settle(drop(options, TUNE), tell) | own
        key = format_key({**trials, **grid})
        return self.once.get(f"tuning {key}", lambda: self._tune(grid, trials, key, tell))

    def _tune(self, grid: Mapping[str, Any], trials: Options, key: str, tell: Tell) -> tuple[Trial, ...]:
        name = hashlib.blake2b(f"{self.dataset.choices()} {key}".encode(), digest_size=8).hexdigest()
        folder = None if self.folder is None else self.folder / name
        found = tune(
            self.corpora[TRAIN], self.corpora[DEV], grid, keep=1.0, folder=folder, jobs=1,
            on_progress=lambda trial, progress: tell(f"tuning, {trial or 'all trials'}: {progress.message}"),
            **{**self.fixed, **trials},
        )  # fmt: skip
        if found.interrupted:
            raise KeyboardInterrupt
        return found.trials

    def _score(self, part: str, learned: Learned, options: Any) -> tuple[Score, float]:
        """Score the encoded part; also return the seconds of tagging and counting."""
        total = None if learned.total is None else replace(learned.total, candidates=options.candidates)
        scorer = self.build_scorer(part, self.training.share(options))
        begun = time.perf_counter()
        found = scorer.score(learned.weights, total)
        return found, time.perf_counter() - begun

    def build_scorer(self, part: str, training: Training[Any]) -> Scorer:
        """Return a scorer of weights on a part; the part is encoded once."""
        return training.build_scorer(self.corpora[part])

    def learn(self, options: Any, tell: Tell) -> tuple[Learned, tuple[Point, ...]]:
        """Train on one thread; returns what was learned, and the learning curve of ``curve_part``."""
        curve: list[Point] = []
        training = self.training.share(options)
        scorer = self.build_scorer(self.curve_part, training)
        report = relay(lambda text: tell(f"{text}, {self.curve_part} {curve[-1].score:.2f}"))

        def observe(done: Pass, seconds: float, total: Any) -> None:
            curve.append(Point(done.epoch, seconds, scorer(done.weights(), total)))

        learned = Learning(training, None, report, time.perf_counter(), observe).run()
        return learned, tuple(curve)
