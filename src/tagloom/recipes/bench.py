"""The workbench of chain models: a corpus encoded once, learners trained on it, the test scored after every pass."""

from __future__ import annotations

import copy
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from tagloom.learners import learner_named
from tagloom.model.encoded import Encoded
from tagloom.model.learning import DevScorer, Learning, Progress, Weights
from tagloom.model.options import Options
from tagloom.model.task import Task
from tagloom.recipes.dataset import Dataset
from tagloom.recipes.recipe import Experiment, GoOn, Measured, Point
from tagloom.recipes.statistics import STATISTICS


class TestScorer(DevScorer):
    """Scores the test corpus, and keeps how long that took: these seconds are not training."""

    __test__ = False  # no test class of pytest
    seconds = 0.0

    def __call__(self, weights: Weights) -> float:
        started = time.perf_counter()
        found = super().__call__(weights)
        self.seconds += time.perf_counter() - started
        return found


class ChainBench:
    """One corpus of a recipe. Experiments name a learner with its options, or a statistic of the corpus."""

    def __init__(self, dataset: Dataset, data: Path) -> None:
        started = time.perf_counter()
        train, test = dataset.read(data)
        self.fixed: dict[str, Any] = dataset.options(data)
        options = Options(**self.fixed)
        self.encoded = Encoded.encode(Task.plan(train, options), options)
        self.cutoff = dataset.cutoff
        self.seconds = time.perf_counter() - started
        self.scorer = TestScorer(self.encoded, test, threads=1)

    def run(self, experiment: Experiment, go_on: GoOn) -> Measured:
        if experiment.metric in STATISTICS:
            return Measured(STATISTICS[experiment.metric](self.encoded, self.cutoff), self.seconds)
        return self._train(dict(experiment.options), go_on)

    def _train(self, chosen: dict[str, Any], go_on: GoOn) -> Measured:
        """All passes are made and the last one counts: the test picks nothing, it only draws the curve."""
        options = Options(**self.fixed, **chosen)
        options = replace(options, patience=options.epochs)
        scorer, curve = copy.copy(self.scorer), list[Point]()

        def note(progress: Progress) -> None:
            if progress.phase == "interrupted":  # half a training is no row
                raise KeyboardInterrupt
            go_on(progress.message)
            if progress.record is not None and progress.record.dev_score is not None:
                seconds = progress.seconds - scorer.seconds
                curve.append(Point(progress.record.epoch, seconds, progress.record.dev_score))

        learning = Learning(self.encoded, learner_named(options.learner), options, None, note, time.perf_counter())
        learning.dev_score = scorer
        learning.run()
        return Measured(curve[-1].score, curve[-1].seconds, tuple(curve))
