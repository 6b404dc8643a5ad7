"""Collins 2002, "Ranking Algorithms for Named-Entity Extraction: Boosting and the Voted Perceptron".

Figure 5 (a maximum-entropy tagger, and boosting and the voted perceptron on its 20 best candidates) on public corpora,
with averaged and margin perceptrons and the oracle in addition; the same rankers on the 20 best of a CRF with types.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tagloom import schema
from tagloom.corpus import Corpus
from tagloom.evaluate import Score, compare
from tagloom.features.global_templates import load_global_templates
from tagloom.files.cache import FoldFiles
from tagloom.learners.ranking import LearnedRanking, RankingSettings
from tagloom.recipes.bench import TRAINING, ModelBench, format_key, relay
from tagloom.recipes.corpora import CONLL_2003_ENGLISH, JNLPBA
from tagloom.recipes.dataset import DEV, TEST, TRAIN, Dataset
from tagloom.recipes.layout import Layout
from tagloom.recipes.page import write_figure
from tagloom.recipes.recipe import Experiment, Finished, Measurement, Options, Point, Recipe, Tell
from tagloom.report import Panel
from tagloom.systems import Tagger
from tagloom.systems.tagger.candidates import find_candidate_lists
from tagloom.systems.tagger.rerank.lists import JackknifedCandidates, jackknife_candidates, report_oracle
from tagloom.systems.tagger.rerank.train import CandidateFeatures, EncodedLists

KEY, SEED, N = "collins-2002", 1, 20
BOUNDARIES, TYPES = "boundaries", "types"  # the tables

FEATURES, ROUNDS, P_VALUE = "features", "rounds or passes", "p, tagger"
BETA, SMOOTHING, MARGIN = "β", "ε", "C"
NUMBERS = {BETA: "beta", SMOOTHING: "smoothing", MARGIN: "C"}  # settings of a ranker by the name of their column
SCORES = (f"{DEV} F", f"{TEST} P", f"{TEST} R", f"{TEST} F")
REDUCTIONS = ("P errors less", "R errors less", "F errors less")  # than the tagger's on the test, in percent

# -- the systems -------------------------------------------------------------------------------------------------------

BOOSTING, VOTED, VOTED_LONGER = "boosting", "voted perceptron", "voted perceptron, more passes"
AVERAGED, MARGIN_PERCEPTRON = "averaged perceptron", "margin perceptron"

_BETAS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
#: Methods, and the numbers to choose from on development data; rounds and passes are upper limits.
RANKERS: dict[str, dict[str, Any]] = {
    BOOSTING: {"method": "boosting", "rounds": 100_000, "smoothing": (0.0005, 0.001, 0.0025)},
    VOTED: {"method": "voted", "passes": 1, "beta": _BETAS},
    VOTED_LONGER: {"method": "voted", "passes": 5, "beta": _BETAS[1:5]},
    AVERAGED: {"method": "averaged", "passes": 10, "beta": _BETAS},
    MARGIN_PERCEPTRON: {"method": "margin", "passes": 10, "beta": _BETAS[:4], "C": (1.0, 3.0, 10.0, 30.0, 100.0)},
}

#: After a single pass much depends on the order of the sentences.
SEEDS = {VOTED: (1, 2, 3)}

MAXENT, GIS, CRF = "MaxEnt", "MaxEnt by GIS", "CRF"
_HISTORY: dict[str, Any] = {"history": 2, "beam": N, "seed": SEED}
TAGGERS: dict[str, dict[str, Any]] = {
    MAXENT: {"learner": "maxent", **_HISTORY},
    GIS: {"learner": "maxent-gis", **_HISTORY},
    CRF: {"learner": "sgd", "epochs": 30, "c2": 0.25, "seed": SEED},
}

#: How lists are built and which global features their candidates have.
CANDIDATES: dict[str, Any] = {"n": N, "folds": 5, "templates": "collins-2002", "cutoff": 5}
#: For entities with types. Chosen on eng.testa among both sets and cutoffs of 5 and 2 (margin perceptron: 91.02 and
#: 91.16 with `collins-2002`, 91.05 and 91.40 with `entities`; the CRF alone has 90.33).
TYPED_CANDIDATES: dict[str, Any] = {**CANDIDATES, "templates": "entities", "cutoff": 2}

# -- the corpora -------------------------------------------------------------------------------------------------------

_ENGLISH, _BIO, _TYPED = "conll2003-en", "jnlpba", "conll2003-en-types"
_MAXENT_FEATURES: dict[str, Any] = {"templates": "collins-2002", "cutoff": 5, "resources": {"lowercased": TRAIN}}

DATASETS: dict[str, Dataset] = {
    _ENGLISH: Dataset(
        "entity boundaries",
        **CONLL_2003_ENGLISH,
        **_MAXENT_FEATURES,
        boundaries=True,
        deviations=(
            "the paper's corpus of web pages is not public: its numbers are shown beside ours, but only the relative "
            "reductions of error can be compared; types of entities are dropped; eng.testa is the development data",
        ),
    ),
    _BIO: Dataset(
        "entity boundaries",
        **JNLPBA,
        **_MAXENT_FEATURES,
        boundaries=True,
        dev_share=0.1,
        deviations=(
            "not in the paper; types of entities are dropped",
            "dev is the last tenth of the training data, in whole abstracts; the ranker learns from the lists of the "
            "rest, its numbers are chosen on dev, and on the test it chooses among the candidates of a tagger that has "
            "learned from all training data (section 2.3)",
        ),
    ),
    _TYPED: Dataset(
        "named entities",
        **CONLL_2003_ENGLISH,
        templates="ner-basic",
        scheme="BIOES",
        deviations=(
            "not in the paper: entities with their types, by a CRF; every global feature has the type; features of "
            f"the set `{TYPED_CANDIDATES['templates']}` that occur in {TYPED_CANDIDATES['cutoff']} sentences",
        ),
    ),
}

# -- the tables --------------------------------------------------------------------------------------------------------

#: What an experiment measures, its option "what".
TAGGER, LISTS, ORACLE, RANKER = "tagger", "lists", "oracle", "ranker"
_ORACLE, _JACKKNIFING = f"oracle of {N}", "jackknifing"

_SECONDS = schema.Layout((schema.Array("seconds", "F64", "1", "How long the lists of a run took.", low=0),))


@dataclass(frozen=True)
class Line:
    """A line of a table: what it measures (a tagger, its lists, their oracle or a ranker), and of which tagger."""

    name: str
    what: str
    tagger: str
    ranker: str = ""


@dataclass(frozen=True)
class Table:
    """The corpora of a table, the tagger that all rankers re-rank, and taggers that are shown beside it."""

    corpora: tuple[str, ...]
    tagger: str
    others: tuple[str, ...]
    title: str
    lists: Mapping[str, Any]
    papers: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # line -> metric -> number

    def list_lines(self, corpus: str) -> Iterator[Line]:
        """List the lines of a corpus; on the first one, the paper's rankers re-rank the other taggers as well."""
        yield from (Line(name, TAGGER, name) for name in (self.tagger, *self.others))
        yield from _list_reranked(self.tagger, RANKERS)
        for tagger in self.others if corpus == self.corpora[0] else ():
            yield from _list_reranked(tagger, (BOOSTING, VOTED), f" of {tagger}")


def _list_reranked(tagger: str, rankers: Iterable[str], ending: str = "") -> Iterator[Line]:
    yield Line(f"{_JACKKNIFING}{ending}", LISTS, tagger)
    yield from (Line(f"{name}{ending}", RANKER, tagger, name) for name in rankers)
    yield Line(f"{_ORACLE}{ending}", ORACLE, tagger)


_SCORED = (*SCORES[1:], *REDUCTIONS)
#: Figure 5, and section 5 for features, rounds and beta.
FIGURE_5: dict[str, dict[str, float]] = {
    MAXENT: dict(zip(_SCORED, (84.4, 86.3, 85.3))),
    BOOSTING: {**dict(zip(_SCORED, (87.3, 87.9, 87.6, 18.6, 11.6, 15.6))), FEATURES: 93_777, ROUNDS: 83_233},
    VOTED: {**dict(zip(_SCORED, (87.3, 88.6, 87.9, 18.6, 16.8, 17.7))), FEATURES: 93_777, ROUNDS: 1, BETA: 0.2},
}

TABLES: dict[str, Table] = {
    BOUNDARIES: Table((_ENGLISH, _BIO), MAXENT, (GIS,), "entity boundaries (Figure 5)", CANDIDATES, FIGURE_5),
    TYPES: Table((_TYPED,), CRF, (), "entities with types, by a CRF", TYPED_CANDIDATES),
}

# -- the measurements --------------------------------------------------------------------------------------------------


class RankerBench(ModelBench):
    """A tagger, its candidates, and rankers that choose among them.

    Taggers, jackknifed lists and their features are built once for all cells of a corpus. Every number of a ranker
    (beta, smoothing, margin, rounds, passes) is chosen on development data. If these are a part of the training data,
    the ranker learns from the rest and, on the test, chooses among the candidates of a tagger that has learned from all
    training data, as in section 2.3 of the paper.

    The options of an experiment are "what" it measures; "tagger", the options of its training; "lists", those of the
    candidates (n, folds, templates, cutoff); "ranker", a method and its numbers; "seed", that of the ranker.
    """

    def run(self, experiment: Experiment, tell: Tell) -> Measurement:
        """Measure one cell; its seconds include everything that was built for it."""
        begun = time.perf_counter()
        value = self._measure(experiment.metric, experiment.options, tell)
        curve: tuple[Point, ...] = ()
        if experiment.metric == SCORES[0] and experiment.options["what"] == RANKER:
            points = self.learn(experiment.options, tell).curve
            curve = tuple(Point(p.round, None, p.dev_score, p.loss) for p in points if p.dev_score is not None)
        return Measurement(value, time.perf_counter() - begun, curve)

    def _measure(self, metric: str, options: Options, tell: Tell) -> float:
        if metric in SCORES:
            part, measure = metric.split()
            return _read_score(self.score_part(part, options, tell), measure)
        if metric == TRAINING:
            return self._sum_seconds(options, tell)
        if metric == FEATURES:
            return self._count_features(options, tell)
        if metric == ROUNDS:
            return self.learn(options, tell).round
        if metric in NUMBERS:
            return float(self.learn(options, tell).settings.values(NUMBERS[metric])[0])
        alone = {"what": TAGGER, "tagger": options["tagger"]}
        ours, tagger = (self.score_part(TEST, each, tell) for each in (options, alone))
        if metric == P_VALUE:
            return compare(ours, tagger).p_value
        new, old = (_read_score(score, metric[0]) for score in (ours, tagger))
        return 100.0 * (new - old) / (100.0 - old) if old < 100.0 else 0.0  # percent of the errors that are gone

    def _sum_seconds(self, options: Options, tell: Tell) -> float:
        """Seconds of the tagger of the test, of jackknifing, or of a ranker with the numbers that were chosen."""
        if options["what"] == TAGGER:
            return self.train_tagger(TEST, options, tell)[1]
        return self.build_lists(options, tell)[1] if options["what"] == LISTS else self.learn(options, tell).seconds

    def _count_features(self, options: Options, tell: Tell) -> int:
        """Features of the tagger of the test (not their pairs with labels), or all that a ranker may use."""
        if options["what"] == RANKER:
            return len(self.encode_lists(options, tell).table)
        parameters = self.train_tagger(TEST, options, tell)[0].parameters
        return len(parameters.node_keys) + len(parameters.edge_keys)

    # -- what is built once --------------------------------------------------------------------------------------------

    def train_tagger(self, part: str, options: Options, tell: Tell) -> tuple[Tagger, float]:
        """Return a tagger that learned from everything a part is held out from, and the seconds of its training."""
        split, own = self.find_split(part), options["tagger"]
        key = f"tagger {sorted(split.held_out)} {format_key(own)}"
        return self.once.get(key, lambda: self.train(split.train, own, tell))

    def build_lists(self, options: Options, tell: Tell) -> tuple[JackknifedCandidates, float]:
        """Return the candidates of the training part by taggers that have not seen it, and the seconds it took."""
        own, lists = options["tagger"], options["lists"]
        key = format_key({"tagger": own, "n": lists["n"], "folds": lists["folds"]})
        return self.once.get(f"lists {key}", lambda: self._jackknife(options, key, tell))

    def encode_lists(self, options: Options, tell: Tell) -> EncodedLists:
        """Return the lists of the training part and of development data in the features of a ranker."""
        key = format_key({name: options[name] for name in ("tagger", "lists")})
        return self.once.get(f"encoded {key}", lambda: self._encode(options, tell))

    def learn(self, options: Options, tell: Tell) -> LearnedRanking:
        """Return the ranker with the numbers that are best on development data."""
        lists, settings, seed = self.encode_lists(options, tell), options["ranker"], options["seed"]
        report = _relay_folds(tell)
        key = f"ranker {format_key(options)}"
        return self.once.get(key, lambda: lists.learn(RankingSettings(**settings), seed, report))

    def score_part(self, part: str, options: Options, tell: Tell) -> Score:
        """Return the score of the tagger, of the oracle or of a ranker on a part."""
        return self.once.get(f"{part} {format_key(options)}", lambda: self._score_part(part, options, tell))

    # -- how it is built -----------------------------------------------------------------------------------------------

    def _jackknife(self, options: Options, key: str, tell: Tell) -> tuple[JackknifedCandidates, float]:
        """Lists of an earlier run are read again, and so are the seconds that they took."""
        model, lists = self.train_tagger(DEV, options, tell)[0], options["lists"]
        begun, corpus = time.perf_counter(), self.find_split(DEV).train
        found = jackknife_candidates(
            model, corpus, n=lists["n"], folds=lists["folds"], cache=self.folder, on_progress=_relay_folds(tell)
        )
        seconds = np.array([time.perf_counter() - begun])
        if self.folder is not None:
            files, identity = FoldFiles.open(self.folder), {"seconds of": f"{model.spec.signature} {key}"}
            if (kept := files.load(identity, _SECONDS.check_all)) is None:
                files.store(identity, {"seconds": seconds})
            else:
                seconds = kept["seconds"]
        return found, float(seconds[0])

    def _encode(self, options: Options, tell: Tell) -> EncodedLists:
        model, (found, _) = self.train_tagger(DEV, options, tell)[0], self.build_lists(options, tell)
        features = _plan_features(model, found.corpus, options["lists"])
        return EncodedLists.encode(features, found, self.find_split(DEV).held_out[DEV], names=False)

    def _score_part(self, part: str, options: Options, tell: Tell) -> Score:
        split, tagger = self.find_split(part), self.train_tagger(part, options, tell)[0]
        corpus = split.held_out[part]
        if options["what"] == TAGGER:
            return tagger.evaluate(corpus)
        if options["what"] == ORACLE:
            return report_oracle(corpus, tagger, find_candidate_lists(tagger, corpus, options["lists"]["n"], 1)).oracle
        lists, learned = self.encode_lists(options, tell), self.learn(options, tell)
        model = _plan_features(tagger, split.train, options["lists"]).model  # with the resources of the features
        return model.with_reranker(*lists.reranker(learned), {}).evaluate(corpus)


def _plan_features(model: Tagger, corpus: Corpus, lists: Options) -> CandidateFeatures:
    templates = load_global_templates(lists["templates"])
    return CandidateFeatures.plan(model, corpus, templates, {}, {}, lists["cutoff"], 1, model.spec.seed)


def _read_score(score: Score, measure: str) -> float:
    overall = score.overall
    return {"P": overall.precision, "R": overall.recall, "F": overall.f1}[measure]


def _relay_folds(tell: Tell) -> Any:
    report = relay(tell)
    return lambda _fold, progress: report(progress)


# -- the recipe --------------------------------------------------------------------------------------------------------


def _list_metrics(line: Line) -> tuple[str, ...]:
    if line.what == LISTS:
        return (TRAINING,)
    if line.what == ORACLE:
        return (*SCORES, *REDUCTIONS)
    if line.what == TAGGER:
        return (*SCORES, TRAINING, FEATURES)
    numbers = [metric for metric, name in NUMBERS.items() if name in RANKERS[line.ranker]]
    return (*SCORES, TRAINING, FEATURES, *REDUCTIONS, P_VALUE, ROUNDS, *numbers)


def _build_options(table: Table, line: Line) -> dict[str, Any]:
    options: dict[str, Any] = {"what": line.what, "tagger": TAGGERS[line.tagger]}
    if line.what != TAGGER:
        options["lists"] = dict(table.lists)
    return {**options, "ranker": RANKERS[line.ranker], "seed": SEEDS.get(line.ranker, SEED)} if line.ranker else options


def _list_cells(name: str, table: Table, corpus: str) -> Iterator[Experiment]:
    """List the cells line by line; the paper's numbers belong to the first corpus."""
    for line in table.list_lines(corpus):
        role = {TAGGER: MAXENT, RANKER: line.ranker}.get(line.what, "")  # in the paper
        numbers = table.papers.get(role, {}) if corpus == table.corpora[0] else {}
        for metric in _list_metrics(line):
            yield Experiment(name, corpus, line.name, metric, numbers.get(metric), _build_options(table, line))


def _draw(finished: Sequence[Finished], folder: Path) -> list[Path]:
    """Draw F on development data and the loss of training against the rounds of boosting."""
    shown = [each for each in finished if each.row.system == BOOSTING and each.curve]
    files = []
    for name, label, field_name in (("rounds", "development F (%)", "score"), ("loss", "ExpLoss of training", "loss")):
        panels = [  # a logarithmic axis has no round 0
            Panel(
                each.row.corpus,
                {label: [(point.epoch, getattr(point, field_name)) for point in each.curve[1:]]},
                label,
            )
            for each in shown
        ]
        files += write_figure(folder, f"{KEY}.{name}.svg", panels, "round of boosting", log=True)
    return files


RECIPE = Recipe(
    key=KEY,
    citation="Michael Collins. 2002. Ranking Algorithms for Named-Entity Extraction: Boosting and the Voted "
    "Perceptron. In Proceedings of ACL 2002.",
    experiments=tuple(
        experiment
        for name, table in TABLES.items()
        for corpus in table.corpora
        for experiment in _list_cells(name, table, corpus)
    ),
    datasets=DATASETS,
    layouts=tuple(
        Layout(name, table.title, corpus=corpus) for name, table in TABLES.items() for corpus in table.corpora
    ),
    open=RankerBench,
    deviations=(
        "the tagger that is re-ranked is trained by L-BFGS with a penalty; lines that end in "
        f'"of {GIS}" re-rank a tagger trained by GIS, as the paper does',
        "perceptrons visit the training sentences in a random order that the seed decides; the paper does not say in "
        "which order it visits them",
        "beta, epsilon, C, rounds and passes are chosen on development data for each ranker; boosting takes the best "
        f"of {RANKERS[BOOSTING]['rounds']:,} rounds (the paper runs 300,000)",
        "averaged and margin perceptrons, more passes of the voted perceptron, and the oracle (the candidate with the "
        "most correct tags) are ours",
        "errors less: the percentage of the tagger's errors on the test (100 - P, 100 - R or 100 - F) that are gone",
        "p, tagger: two-sided p value of the difference in F to the tagger alone on the test, by paired bootstrap over "
        "sentences, 1000 samples",
        "training seconds of taggers include encoding; those of rankers are for the numbers that were chosen and "
        "include scoring development data, but not lists and their features; jackknifing trains as many taggers at a "
        "time as there are cores; seconds compare rows only if these ran one at a time (`--jobs 1`, the default)",
        "all features that are frequent enough are counted, whether they have a weight or not",
    ),
    figures=_draw,
)
