"""The workbench of re-rankers (collins-2002): a tagger, its candidates, and rankers that choose among them.

Taggers, jackknifed lists and their features are made once for all cells of a corpus. Every number of a ranker (beta,
smoothing, margin, rounds, passes) is chosen on development data; the test is scored with what was chosen. Where the
development data are a part of the training data, the ranker learns from the rest and chooses among the candidates of
a tagger that has learned from all of it, as in section 2.3 of the paper.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tagloom.corpus import Corpus
from tagloom.evaluate import PRF, Score, compare
from tagloom.features.global_templates import load_global_templates
from tagloom.files.fold_files import FoldFiles
from tagloom.learners.ranking import LearnedRanking, RankingSettings
from tagloom.recipes.dataset import Dataset
from tagloom.recipes.once import Once
from tagloom.recipes.recipe import Experiment, GoOn, Measured, Point
from tagloom.recipes.splits import DEV, TEST, Split, splits_of
from tagloom.systems import Model, Progress, train
from tagloom.systems.tagger.candidates import candidate_lists
from tagloom.systems.tagger.rerank.lists import JackknifedCandidates, jackknifed_candidates
from tagloom.systems.tagger.rerank.oracle import oracle_report
from tagloom.systems.tagger.rerank.train import CandidateFeatures, EncodedLists

TRAINING, FEATURES, ROUNDS, P_VALUE = "training seconds", "features", "rounds or passes", "p, tagger"
BETA, SMOOTHING, MARGIN = "β", "ε", "C"
SCORES = ("dev F", "test P", "test R", "test F")
REDUCTIONS = ("P errors less", "R errors less", "F errors less")  # than the tagger's on the test, in percent
_NUMBERS = {BETA: "beta", SMOOTHING: "smoothing", MARGIN: "C"}

#: What the rows of an experiment are of, its option "what".
TAGGER, LISTS, ORACLE, RANKER = "tagger", "lists", "oracle", "ranker"

Options = Mapping[str, Any]


@dataclass(frozen=True)
class _Tagger:
    model: Model
    seconds: float  # of training


@dataclass(frozen=True)
class _Lists:
    found: JackknifedCandidates
    seconds: float  # of jackknifing


class RerankingBench:
    """One corpus of a recipe. Options of an experiment: "what" it is of; "tagger", the options of its training;
    "lists", those of the candidates (n, folds, templates, cutoff); "ranker", a method and its numbers."""

    def __init__(self, dataset: Dataset, data: Path, folder: Path | None) -> None:
        self.splits, self.folder = splits_of(dataset, data), folder
        label = dataset.columns.split()[-1] if dataset.columns else self.splits[0].train.label
        self.fixed: dict[str, Any] = {**dataset.options(data), "label": label}
        self.taggers: Once[_Tagger] = Once()
        self.lists: Once[_Lists] = Once()
        self.encoded: Once[EncodedLists] = Once()
        self.rankings: Once[LearnedRanking] = Once()
        self.scores: Once[Score] = Once()

    def run(self, experiment: Experiment, go_on: GoOn) -> Measured:
        options, metric = experiment.options, experiment.metric
        begun = time.perf_counter()
        if metric in SCORES:
            part, _, measure = metric.partition(" ")
            value: float = _measure(self.score(part, options, go_on), measure)
        elif metric in REDUCTIONS:
            value = self._reduction(metric[0], options, go_on)
        else:
            value = _VALUES[metric](self, options, go_on)
        curve = self._curve(options, go_on) if metric == SCORES[0] and options["what"] == RANKER else ()
        return Measured(value, time.perf_counter() - begun, curve)

    # -- what is made once ---------------------------------------------------------------------------------------------

    def split(self, part: str) -> Split:
        """What a part was held out from."""
        return next(split for split in self.splits if part in split.held_out)

    def tagger(self, part: str, options: Options, go_on: GoOn) -> _Tagger:
        """The tagger of a part has learned from everything that the part was held out from."""
        split = self.split(part)
        key = f"{sorted(split.held_out)} {_key(options['tagger'])}"
        return self.taggers.get(key, lambda: self._train(split.train, options["tagger"], go_on))

    def jackknifed(self, options: Options, go_on: GoOn) -> _Lists:
        own, lists = options["tagger"], options["lists"]
        key = _key({"tagger": own, "n": lists["n"], "folds": lists["folds"]})
        return self.lists.get(key, lambda: self._jackknife(self.tagger(DEV, options, go_on).model, lists, key, go_on))

    def encoded_lists(self, options: Options, go_on: GoOn) -> EncodedLists:
        own = {name: options[name] for name in ("tagger", "lists")}
        return self.encoded.get(_key(own), lambda: self._encode(options, go_on))

    def learned(self, options: Options, go_on: GoOn) -> LearnedRanking:
        """With the numbers that are best on development data."""
        lists, settings = self.encoded_lists(options, go_on), RankingSettings(**options["ranker"])
        report = partial(_report, go_on)
        return self.rankings.get(_key(options), lambda: lists.learn(settings, options["tagger"]["seed"], report))

    def score(self, part: str, options: Options, go_on: GoOn) -> Score:
        return self.scores.get(f"{part} {_key(options)}", lambda: self._score(part, options, go_on))

    # -- how it is made ------------------------------------------------------------------------------------------------

    def _train(self, corpus: Corpus, options: Options, go_on: GoOn) -> _Tagger:
        begun = time.perf_counter()
        model = train(corpus, on_progress=partial(_report, go_on, None), **{**self.fixed, **options})
        return _Tagger(model, time.perf_counter() - begun)

    def _jackknife(self, model: Model, lists: Options, key: str, go_on: GoOn) -> _Lists:
        """Lists that were found in an earlier run are read again, and so are the seconds that they took."""
        begun, corpus = time.perf_counter(), self.split(DEV).train
        found = jackknifed_candidates(
            model, corpus, n=lists["n"], folds=lists["folds"], cache=self.folder, on_progress=partial(_report, go_on)
        )
        seconds = np.array([time.perf_counter() - begun])
        if self.folder is not None:
            files, identity = FoldFiles.open(self.folder), {"seconds of": f"{model.spec.signature} {key}"}
            kept = files.load(identity)
            if kept is None:
                files.store(identity, {"seconds": seconds})
            else:
                seconds = kept["seconds"]
        return _Lists(found, float(seconds[0]))

    def _encode(self, options: Options, go_on: GoOn) -> EncodedLists:
        model, lists = self.tagger(DEV, options, go_on).model, options["lists"]
        found = self.jackknifed(options, go_on).found
        features = self._features(model, found.corpus, lists)
        return EncodedLists.encode(features, found, self.split(DEV).held_out[DEV], names=False)

    def _features(self, model: Model, corpus: Corpus, lists: Options) -> CandidateFeatures:
        templates = load_global_templates(lists["templates"])
        return CandidateFeatures.plan(model, corpus, templates, {}, {}, lists["cutoff"], 1, model.spec.seed)

    def _score(self, part: str, options: Options, go_on: GoOn) -> Score:
        split, tagger = self.split(part), self.tagger(part, options, go_on).model
        corpus = split.held_out[part]
        if options["what"] == TAGGER:
            return tagger.evaluate(corpus)
        if options["what"] == ORACLE:
            return oracle_report(corpus, tagger, candidate_lists(tagger, corpus, options["lists"]["n"], 1)).oracle
        lists, learned = self.encoded_lists(options, go_on), self.learned(options, go_on)
        whole = self._features(tagger, split.train, options["lists"]).model  # with the resources of the features
        return whole.with_reranker(*lists.reranker(learned), {}).evaluate(corpus)

    # -- cells ---------------------------------------------------------------------------------------------------------

    def _reduction(self, measure: str, options: Options, go_on: GoOn) -> float:
        """Percent of the tagger's errors (100 - P, R or F on the test) that are gone."""
        ours, tagger = (_measure(self.score(TEST, each, go_on), measure) for each in (options, _alone(options)))
        return 100.0 * (ours - tagger) / (100.0 - tagger) if tagger < 100.0 else 0.0

    def _curve(self, options: Options, go_on: GoOn) -> tuple[Point, ...]:
        """Of development data."""
        points = self.learned(options, go_on).curve
        return tuple(Point(p.round, None, p.dev_score, p.loss) for p in points if p.dev_score is not None)

    def training_seconds(self, options: Options, go_on: GoOn) -> float:
        """Of the tagger of the test, of jackknifing, or of a ranker with the numbers that were chosen."""
        if options["what"] == TAGGER:
            return self.tagger(TEST, options, go_on).seconds
        if options["what"] == LISTS:
            return self.jackknifed(options, go_on).seconds
        return self.learned(options, go_on).seconds

    def features(self, options: Options, go_on: GoOn) -> int:
        """Of the tagger of the test (pairs with labels are not counted), or all that a ranker may use."""
        if options["what"] == RANKER:
            return len(self.encoded_lists(options, go_on).table)
        parameters = self.tagger(TEST, options, go_on).model.parameters
        return len(parameters.node_keys) + len(parameters.edge_keys)

    def p_value(self, options: Options, go_on: GoOn) -> float:
        """Of the difference to the tagger alone on the test, by paired bootstrap over sentences."""
        ours, tagger = (self.score(TEST, each, go_on) for each in (options, _alone(options)))
        return compare(ours, tagger).p_value

    def chosen(self, number: str, options: Options, go_on: GoOn) -> float:
        return float(self.learned(options, go_on).settings.values(number)[0])


Value = Callable[[RerankingBench, Options, GoOn], float]


def _chosen(number: str) -> Value:
    return lambda bench, options, go_on: bench.chosen(number, options, go_on)


_VALUES: Mapping[str, Value] = {
    TRAINING: RerankingBench.training_seconds,
    FEATURES: RerankingBench.features,
    P_VALUE: RerankingBench.p_value,
    ROUNDS: lambda bench, options, go_on: bench.learned(options, go_on).round,
    **{metric: _chosen(number) for metric, number in _NUMBERS.items()},
}


def _measure(score: Score, measure: str) -> float:
    overall: PRF = score.overall
    return {"P": overall.precision, "R": overall.recall, "F": overall.f1}[measure]


def _alone(options: Options) -> dict[str, Any]:
    """The tagger without a ranker."""
    return {"what": TAGGER, "tagger": options["tagger"]}


def _report(go_on: GoOn, _fold: int | None, progress: Progress) -> None:
    if progress.phase == "interrupted":  # half a training decides nothing
        raise KeyboardInterrupt
    go_on(progress.message)


def _key(options: Options) -> str:
    return repr(sorted((name, _key(value) if isinstance(value, Mapping) else value) for name, value in options.items()))
