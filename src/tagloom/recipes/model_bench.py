"""The workbench of whole models: trained, applied and scored as a user does it, whatever is inside them.

One training decides many cells: scores on what was held out, seconds of training and of tagging, p values. Development
data pick nothing here: the weights after the last pass count.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tagloom.corpus import Corpus
from tagloom.evaluate import Score, compare
from tagloom.recipes.once import Once
from tagloom.recipes.recipe import Experiment, GoOn, Measured
from tagloom.recipes.splits import TEST, Split
from tagloom.systems import Progress, train

TRAINING, APPLYING = "training seconds", "test seconds"
#: An option of an experiment: the options of the system that it is compared with on the test.
AGAINST = "against"

Report = Callable[[Progress], None]


class Craft(Protocol):
    """What models of one kind are for."""

    compared_by: str | None  # metric of p values; None: that of the score

    def train(self, corpus: Corpus, options: Mapping[str, Any], report: Report) -> Any: ...

    def apply(self, model: Any, corpus: Corpus) -> Any: ...

    def score(self, corpus: Corpus, found: Any, part: str) -> Score:
        """Of what was found, against ``corpus``; ``part`` is the name of what was held out."""
        ...

    def value(self, score: Score, measure: str) -> float:
        """The number that a metric such as "test F1" names after the part."""
        ...


class Tagging:
    """Models that label tokens."""

    compared_by: str | None = None

    def __init__(self, fixed: Mapping[str, Any], label: str) -> None:
        self.fixed, self.label = {**fixed, "label": label}, label

    def train(self, corpus: Corpus, options: Mapping[str, Any], report: Report) -> Any:
        return train(corpus, on_progress=report, **{**self.fixed, **options})

    def apply(self, model: Any, corpus: Corpus) -> Any:
        return model, model.tag_corpus(corpus)

    def score(self, corpus: Corpus, found: Any, part: str) -> Score:
        from tagloom.evaluate import score
        from tagloom.systems.labels import gold_scheme

        model, predicted = found
        gold = corpus.column(self.label)
        return score(gold, predicted, corpus.sentences, scheme=gold_scheme(gold, corpus.sentences, model.spec.written))

    def value(self, score: Score, measure: str) -> float:
        return score.value


@dataclass(frozen=True)
class _Outcome:
    """What one training gave, part by part."""

    training: float  # seconds
    applying: Mapping[str, float]
    scores: Mapping[str, Score]


class ModelBench:
    """One corpus of a recipe; ``splits`` are made when the first cell needs them."""

    def __init__(self, craft: Craft, splits: Callable[[GoOn], Sequence[Split]]) -> None:
        self.craft, self.make_splits = craft, splits
        self.splits: Once[Sequence[Split]] = Once()
        self.outcomes: Once[_Outcome] = Once()

    def run(self, experiment: Experiment, go_on: GoOn) -> Measured:
        options, metric = experiment.options, experiment.metric
        if AGAINST in options:
            return self._p_value(options, go_on)
        part, _, measure = metric.partition(" ")
        outcome = self.outcome(TEST if metric in (TRAINING, APPLYING) else part, options, go_on)
        if metric == TRAINING:
            return Measured(outcome.training, outcome.training)
        if metric == APPLYING:
            return Measured(outcome.applying[TEST], outcome.applying[TEST])
        return Measured(self.craft.value(outcome.scores[part], measure), outcome.training)

    def outcome(self, part: str, options: Mapping[str, Any], go_on: GoOn) -> _Outcome:
        """Of the training that a part was held out from."""
        splits = self.splits.get("", lambda: self.make_splits(go_on))
        number, split = next((n, split) for n, split in enumerate(splits) if part in split.held_out)
        return self.outcomes.get(f"{number} {sorted(options.items())!r}", lambda: self._run(split, options, go_on))

    def _run(self, split: Split, options: Mapping[str, Any], go_on: GoOn) -> _Outcome:
        def report(progress: Progress) -> None:
            if progress.phase == "interrupted":  # half a training decides nothing
                raise KeyboardInterrupt
            go_on(progress.message)

        begun = time.perf_counter()
        model = self.craft.train(split.train, options, report)
        training = time.perf_counter() - begun
        applying, scores = dict[str, float](), dict[str, Score]()
        for part, corpus in split.held_out.items():
            begun = time.perf_counter()
            found = self.craft.apply(model, corpus)
            applying[part] = time.perf_counter() - begun
            scores[part] = self.craft.score(corpus, found, part)
        return _Outcome(training, applying, scores)

    def _p_value(self, options: Mapping[str, Any], go_on: GoOn) -> Measured:
        """Of a difference on the test, by paired bootstrap over sentences."""
        own = {name: value for name, value in options.items() if name != AGAINST}
        ours, other = (self.outcome(TEST, each, go_on).scores[TEST] for each in (own, options[AGAINST]))
        return Measured(compare(ours, other, metric=self.craft.compared_by).p_value, 0.0)
