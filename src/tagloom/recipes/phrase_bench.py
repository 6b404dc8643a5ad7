"""The workbench of phrase chunkers: one training decides the precision, recall and F1 of all categories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tagloom.corpus import Corpus
from tagloom.evaluate import Score
from tagloom.evaluate.counts import PRF
from tagloom.evaluate.scores import SpanScore
from tagloom.recipes.dataset import Dataset
from tagloom.recipes.model_bench import AGAINST, APPLYING, TRAINING, ModelBench, Report, Tagging
from tagloom.recipes.recipe import Experiment, GoOn, Measured
from tagloom.recipes.splits import splits_of
from tagloom.systems import train_phrases

#: An option of an experiment: the category whose numbers it wants.
CATEGORY, OVERALL = "category", "overall"


class Recognition(Tagging):
    """Models that recognise phrases, scored by the labels that write them."""

    def train(self, corpus: Corpus, options: Mapping[str, Any], report: Report) -> Any:
        return train_phrases(corpus, on_progress=report, **{**self.fixed, **options})

    def value(self, score: Score, measure: str) -> float:
        """Of a measure such as "LOC precision"."""
        category, _, name = measure.rpartition(" ")
        assert isinstance(score, SpanScore)
        prf = score.overall if category == OVERALL else score.by_type.get(category, PRF(0, 0, 0))
        return float(getattr(prf, name.lower()))


class PhraseBench(ModelBench):
    """A cell names its category in its options, so that categories are lines of a table."""

    def run(self, experiment: Experiment, go_on: GoOn) -> Measured:
        options = {name: value for name, value in experiment.options.items() if name != CATEGORY}
        metric = experiment.metric
        if metric not in (TRAINING, APPLYING) and AGAINST not in options:
            part, _, measure = metric.partition(" ")
            metric = f"{part} {experiment.options[CATEGORY]} {measure}"
        return super().run(replace(experiment, options=options, metric=metric), go_on)


def phrase_bench(dataset: Dataset, data: Path) -> PhraseBench:
    splits = splits_of(dataset, data)
    label = dataset.columns.split()[-1] if dataset.columns else splits[0].train.label
    return PhraseBench(Recognition(dataset.options(data), label), lambda _: splits)
