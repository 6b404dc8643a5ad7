"""The workbench of models of documents: one training decides many cells, of development and test data.

A cell is a score on either corpus with some number of candidates (n' of kazama-torisawa-2007), the seconds that
learning or tagging took, the setting of the learner, or the p value of a difference. Development data draw the curve
and pick nothing: the learner ends by its own rule or after its most passes, and the weights it then has count.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tagloom.evaluate import Score, compare
from tagloom.learners import Pass
from tagloom.recipes.dataset import Dataset
from tagloom.recipes.once import Once
from tagloom.recipes.recipe import Experiment, GoOn, Measured, Point
from tagloom.structures.sequences import JOINED
from tagloom.systems.learning import Progress
from tagloom.systems.tagger.documents import Total, Weights
from tagloom.systems.tagger.encode import Encoded
from tagloom.systems.tagger.learn import ChainLearning, WeightScorer
from tagloom.systems.tagger.options import Options
from tagloom.systems.tagger.task import Task
from tagloom.systems.tagger.train import checked_options

DEV, TEST, SETTING = "dev F1", "test F1", "C or σ²"
LEARNING, TAGGING = "seconds of learning", "seconds of tagging the test"
#: An option of an experiment: the options of the system that it is compared with on the test.
AGAINST = "against"
_NOT_OF_TRAINING = ("candidates", AGAINST)


@dataclass(frozen=True)
class _LaidOut:
    """The corpora, with sentences, documents or joined documents as sequences."""

    encoded: Encoded
    scorers: Mapping[str, WeightScorer]  # DEV and TEST


@dataclass(frozen=True)
class _Trained:
    weights: Weights
    total: Total | None
    curve: tuple[Point, ...]
    seconds: float  # of learning


@dataclass(frozen=True)
class _Scored:
    score: Score
    seconds: float  # of tagging and counting


class DocumentBench:
    """One corpus of a recipe. Everything is made once, when a cell first needs it, on one thread."""

    def __init__(self, dataset: Dataset, data: Path) -> None:
        self.train, test = dataset.read(data)
        self.corpora = {DEV: dataset.read_dev(data), TEST: test}
        self.fixed: dict[str, Any] = dataset.options(data)
        self.encodings: Once[Encoded] = Once()
        self.layouts: Once[_LaidOut] = Once()
        self.trainings: Once[_Trained] = Once()
        self.scores: Once[_Scored] = Once()

    def run(self, experiment: Experiment, go_on: GoOn) -> Measured:
        return _MEASURES.get(experiment.metric, _p_value)(self, experiment.options, go_on)

    def trained(self, options: Mapping[str, Any], go_on: GoOn) -> _Trained:
        """What the options but for the number of candidates give."""
        own = {name: value for name, value in options.items() if name not in _NOT_OF_TRAINING}
        return self.trainings.get(_key(own), lambda: self._train(checked_options({**self.fixed, **own}), go_on))

    def scored(self, corpus: str, options: Mapping[str, Any], go_on: GoOn) -> _Scored:
        trained, chosen = self.trained(options, go_on), self._chosen(options)
        own = {name: value for name, value in options.items() if name != AGAINST}
        return self.scores.get(_key({**own, "corpus": corpus}), lambda: self._score(corpus, trained, chosen))

    def curve_of(self, options: Mapping[str, Any], go_on: GoOn) -> tuple[Point, ...]:
        """The curve, if it was drawn with as many candidates."""
        trained, chosen = self.trained(options, go_on), self._chosen(options)
        drawn = trained.total is None or trained.total.candidates == chosen.candidates
        return trained.curve if drawn else ()

    def _chosen(self, options: Mapping[str, Any]) -> Options:
        return checked_options({**self.fixed, **{name: value for name, value in options.items() if name != AGAINST}})

    def _score(self, corpus: str, trained: _Trained, options: Options) -> _Scored:
        total = None if trained.total is None else replace(trained.total, candidates=options.candidates)
        laid_out = self._laid_out(options)
        scorer = laid_out.scorers[corpus].fitted(laid_out.encoded, options.search)
        begun = time.perf_counter()
        score = scorer.score(trained.weights, total)
        return _Scored(score, time.perf_counter() - begun)

    def _train(self, options: Options, go_on: GoOn) -> _Trained:
        laid_out, curve = self._laid_out(options), list[Point]()
        dev_score = laid_out.scorers[DEV].fitted(laid_out.encoded, options.search)

        def observe(done: Pass, seconds: float, total: Total | None) -> None:
            curve.append(Point(done.epoch, seconds, dev_score(done.weights(), total)))

        def report(progress: Progress) -> None:
            if progress.phase == "interrupted":  # half a training decides nothing
                raise KeyboardInterrupt
            go_on(f"{progress.message}, dev {curve[-1].score:.2f}")

        started, learner = time.perf_counter(), options.chosen_learner
        learned = ChainLearning(laid_out.encoded, learner, options, None, report, started, observe).run()
        return _Trained(learned.weights, learned.total, tuple(curve), curve[-1].seconds or 0.0)

    def _laid_out(self, options: Options) -> _LaidOut:
        return self.layouts.get(f"{options.layout} {options.seed}", lambda: self._lay_out(options))

    def _lay_out(self, options: Options) -> _LaidOut:
        kind = options.chosen_sequences
        key = f"{kind == JOINED} {options.seed}"  # sentences that are not joined have the same features in documents
        encoded = self.encodings.get(key, lambda: Encoded.encode(Task.plan(self.train, options), options))
        encoded = replace(encoded, task=replace(encoded.task, kind=kind)).fitted(options)
        return _LaidOut(encoded, {name: WeightScorer(encoded, each, 1) for name, each in self.corpora.items()})


def _key(options: Mapping[str, Any]) -> str:
    return repr(sorted(options.items()))


Measure = Callable[[DocumentBench, Mapping[str, Any], GoOn], Measured]


def _dev(bench: DocumentBench, options: Mapping[str, Any], go_on: GoOn) -> Measured:
    score = bench.scored(DEV, options, go_on).score
    return Measured(score.value, bench.trained(options, go_on).seconds, bench.curve_of(options, go_on))


def _test(bench: DocumentBench, options: Mapping[str, Any], go_on: GoOn) -> Measured:
    score = bench.scored(TEST, options, go_on).score
    return Measured(score.value, bench.trained(options, go_on).seconds)


def _learning(bench: DocumentBench, options: Mapping[str, Any], go_on: GoOn) -> Measured:
    seconds = bench.trained(options, go_on).seconds
    return Measured(seconds, seconds)


def _tagging(bench: DocumentBench, options: Mapping[str, Any], go_on: GoOn) -> Measured:
    seconds = bench.scored(TEST, options, go_on).seconds
    return Measured(seconds, seconds)


def _setting(bench: DocumentBench, options: Mapping[str, Any], go_on: GoOn) -> Measured:
    """C of a margin; of a CRF the variance of its prior, whose penalty is c2 |w|² = |w|² / 2σ²."""
    value = options["C"] if "C" in options else 1 / (2 * options["c2"])
    return Measured(round(value) if value >= 1 else value, 0.0)


def _p_value(bench: DocumentBench, options: Mapping[str, Any], go_on: GoOn) -> Measured:
    """Of the difference in F1 on the test, by paired bootstrap over sentences."""
    ours, other = (bench.scored(TEST, each, go_on).score for each in (options, options[AGAINST]))
    return Measured(compare(ours, other).p_value, 0.0)


_MEASURES: Mapping[str, Measure] = {DEV: _dev, TEST: _test, LEARNING: _learning, TAGGING: _tagging, SETTING: _setting}
