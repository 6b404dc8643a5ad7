"""The workbench of chain models: a corpus encoded once, learners trained on it, the test scored after every pass."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from tagloom.learners import Pass
from tagloom.recipes.dataset import Dataset
from tagloom.recipes.recipe import Experiment, GoOn, Measured, Point
from tagloom.recipes.statistics import STATISTICS
from tagloom.systems.learning import Progress
from tagloom.systems.tagger.documents import Total
from tagloom.systems.tagger.encode import Encoded
from tagloom.systems.tagger.learn import ChainLearning, WeightScorer
from tagloom.systems.tagger.options import Options
from tagloom.systems.tagger.task import Task
from tagloom.systems.tagger.train import checked_options


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
        self.test_score = WeightScorer(self.encoded, test, threads=1)

    def run(self, experiment: Experiment, go_on: GoOn) -> Measured:
        if experiment.metric in STATISTICS:
            return Measured(STATISTICS[experiment.metric](self.encoded, self.cutoff), self.seconds)
        return self._train(checked_options({**self.fixed, **experiment.options}), go_on)

    def _train(self, options: Options, go_on: GoOn) -> Measured:
        """All passes are made and the last one counts: the test picks nothing, it only draws the curve."""
        curve: list[Point] = []
        encoded = self.encoded.fitted(options)
        test_score = self.test_score.fitted(encoded, options.search)

        def observe(done: Pass, seconds: float, total: Total | None) -> None:
            curve.append(Point(done.epoch, seconds, test_score(done.weights(), total)))

        def report(progress: Progress) -> None:
            if progress.phase == "interrupted":  # half a training is no row
                raise KeyboardInterrupt
            go_on(f"{progress.message}, test {curve[-1].score:.2f}")

        learner = options.chosen_learner
        ChainLearning(encoded, learner, options, None, report, time.perf_counter(), observe).run()
        return Measured(curve[-1].score, curve[-1].seconds or 0.0, tuple(curve))
