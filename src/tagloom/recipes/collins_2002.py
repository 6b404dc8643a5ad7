"""Collins 2002, "Ranking Algorithms for Named-Entity Extraction: Boosting and the Voted Perceptron".

Figure 5 (a maximum-entropy tagger, and boosting and the voted perceptron on its 20 best), with averaged and margin
perceptrons and the oracle beside them, on public corpora; and the same rankers on the 20 best of a CRF with types.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tagloom.recipes.corpora import CONLL_2003_ENGLISH
from tagloom.recipes.dataset import TRAIN, Dataset
from tagloom.recipes.layout import Layout
from tagloom.recipes.recipe import Experiment, Finished, Recipe, Workbench
from tagloom.recipes.reranking_bench import (
    BETA,
    FEATURES,
    LISTS,
    MARGIN,
    ORACLE,
    P_VALUE,
    RANKER,
    REDUCTIONS,
    ROUNDS,
    SCORES,
    SMOOTHING,
    TAGGER,
    TRAINING,
    RerankingBench,
)

KEY, SEED, N = "collins-2002", 1, 20
BOUNDARIES, TYPES = "boundaries", "types"  # the tables

# -- the systems -------------------------------------------------------------------------------------------------------

BOOSTING, VOTED, VOTED_LONGER = "boosting", "voted perceptron", "voted perceptron, more passes"
AVERAGED, MARGIN_PERCEPTRON = "averaged perceptron", "margin perceptron"

_BETAS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
#: Methods and the numbers to choose from on development data; rounds and passes are the most that are made.
RANKERS: dict[str, dict[str, Any]] = {
    BOOSTING: {"method": "boosting", "rounds": 100_000, "smoothing": (0.0005, 0.001, 0.0025)},
    VOTED: {"method": "voted", "passes": 1, "beta": _BETAS},
    VOTED_LONGER: {"method": "voted", "passes": 5, "beta": _BETAS[1:5]},
    AVERAGED: {"method": "averaged", "passes": 10, "beta": _BETAS},
    MARGIN_PERCEPTRON: {
        "method": "margin",
        "passes": 10,
        "beta": (0.1, 0.2, 0.5, 1.0),
        "C": (1.0, 3.0, 10.0, 30.0, 100.0),
    },
}

MAXENT, GIS, CRF = "MaxEnt", "MaxEnt by GIS", "CRF"
_HISTORY: dict[str, Any] = {"history": 2, "beam": N, "seed": SEED}
TAGGERS: dict[str, dict[str, Any]] = {
    MAXENT: {"learner": "maxent", **_HISTORY},
    GIS: {"learner": "maxent-gis", **_HISTORY},
    CRF: {"learner": "sgd", "epochs": 30, "c2": 0.25, "seed": SEED},
}

#: How lists are made and which global features their candidates have.
CANDIDATES: dict[str, Any] = {"n": N, "folds": 5, "templates": "collins-2002", "cutoff": 5}
#: Of typed entities. Chosen on eng.testa among both sets and cutoffs of 5 and 2 (margin perceptron: 91.02 and 91.16
#: with `collins-2002`, 91.05 and 91.40 with `entities`; the CRF alone has 90.33).
TYPED_CANDIDATES: dict[str, Any] = {**CANDIDATES, "templates": "entities", "cutoff": 2}

# -- the corpora -------------------------------------------------------------------------------------------------------

_ENGLISH, _BIO, _TYPED = "conll2003-en", "jnlpba", "conll2003-en-types"
_MAXENT_FEATURES: dict[str, Any] = {
    "templates": "collins-2002",
    "cutoff": 5,
    "resources": {"lowercased": TRAIN},
    "boundaries": True,
}
#: Last part of the training data of a corpus without development data.
DEV_SHARE = 0.1

DATASETS: dict[str, Dataset] = {
    _ENGLISH: Dataset(
        "entity boundaries",
        **CONLL_2003_ENGLISH,
        **_MAXENT_FEATURES,
        deviations=(
            "the paper's corpus of web pages is not public: its numbers stand beside ours, but only the relative "
            "reductions of error compare; types of entities are dropped; eng.testa is the development data",
        ),
    ),
    _BIO: Dataset(
        "entity boundaries",
        train="jnlpba/train.docstart.iob2",
        test="jnlpba/Genia4EReval1.iob2",
        format="conll",
        columns="form ner",
        dev_share=DEV_SHARE,
        **_MAXENT_FEATURES,
        deviations=(
            "not in the paper; types of entities are dropped",
            "dev: the last tenth of the training data, whole abstracts; the ranker learns from the lists of the rest, "
            "its numbers are chosen on dev, and on the test it chooses among the candidates of a tagger that has "
            "learned from all training data (section 2.3)",
        ),
    ),
    _TYPED: Dataset(
        "named entities",
        **CONLL_2003_ENGLISH,
        templates="ner-basic",
        scheme="BIOES",
        deviations=(
            "not in the paper: entities with their types, by a CRF; every global feature carries the type; the set "
            f"`{TYPED_CANDIDATES['templates']}`, features that occur in {TYPED_CANDIDATES['cutoff']} sentences",
        ),
    ),
}

# -- the tables --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Table:
    """The corpora of a table, its tagger, other taggers that are not re-ranked, and the rankers."""

    corpora: tuple[str, ...]
    tagger: str
    others: tuple[str, ...]
    rankers: tuple[str, ...]
    title: str
    lists: Mapping[str, Any]
    papers: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # line -> metric -> number


_SCORED = (*SCORES[1:], *REDUCTIONS)
#: Figure 5, and section 5 for features, rounds and beta.
FIGURE_5: dict[str, dict[str, float]] = {
    MAXENT: dict(zip(_SCORED, (84.4, 86.3, 85.3))),
    BOOSTING: {**dict(zip(_SCORED, (87.3, 87.9, 87.6, 18.6, 11.6, 15.6))), FEATURES: 93_777, ROUNDS: 83_233},
    VOTED: {**dict(zip(_SCORED, (87.3, 88.6, 87.9, 18.6, 16.8, 17.7))), FEATURES: 93_777, ROUNDS: 1, BETA: 0.2},
}

TABLES: dict[str, Table] = {
    BOUNDARIES: Table(
        (_ENGLISH, _BIO), MAXENT, (GIS,), tuple(RANKERS), "entity boundaries (Figure 5)", CANDIDATES, FIGURE_5
    ),
    TYPES: Table((_TYPED,), CRF, (), tuple(RANKERS), "entities with types, by a CRF", TYPED_CANDIDATES),
}

_ORACLE, _JACKKNIFING = f"oracle of {N}", "jackknifing"

# -- the recipe --------------------------------------------------------------------------------------------------------


def _metrics(line: str) -> tuple[str, ...]:
    if line == _JACKKNIFING:
        return (TRAINING,)
    if line == _ORACLE:
        return (*SCORES, *REDUCTIONS)
    if line in TAGGERS:
        return (*SCORES, TRAINING, FEATURES)
    numbers = [metric for metric, name in ((BETA, "beta"), (SMOOTHING, "smoothing"), (MARGIN, "C"))
               if name in RANKERS[line]]  # fmt: skip
    return (*SCORES, TRAINING, FEATURES, *REDUCTIONS, P_VALUE, ROUNDS, *numbers)


def _options(table: Table, line: str) -> dict[str, Any]:
    if line in TAGGERS:
        return {"what": TAGGER, "tagger": TAGGERS[line]}
    lists = {"tagger": TAGGERS[table.tagger], "lists": dict(table.lists)}
    if line in RANKERS:
        return {"what": RANKER, **lists, "ranker": RANKERS[line]}
    return {"what": ORACLE if line == _ORACLE else LISTS, **lists}


def _cells(name: str, table: Table, corpus: str) -> Iterator[Experiment]:
    """Line by line; the paper's numbers stand beside the first corpus."""
    papers = table.papers if corpus == table.corpora[0] else {}
    for line in (table.tagger, *table.others, _JACKKNIFING, *table.rankers, _ORACLE):
        for metric in _metrics(line):
            yield Experiment(name, corpus, line, metric, papers.get(line, {}).get(metric), _options(table, line))


def _open(corpus: str, data: Path, folds: Path | None) -> Workbench:
    return RerankingBench(DATASETS[corpus], data, folds)


def _figure(finished: Sequence[Finished], folder: Path) -> list[Path]:
    from tagloom.recipes.figure import draw_rounds

    return draw_rounds(KEY, [each for each in finished if each.row.system == BOOSTING], folder)


RECIPE = Recipe(
    key=KEY,
    citation="Michael Collins. 2002. Ranking Algorithms for Named-Entity Extraction: Boosting and the Voted "
    "Perceptron. In Proceedings of ACL 2002.",
    experiments=tuple(
        experiment
        for name, table in TABLES.items()
        for corpus in table.corpora
        for experiment in _cells(name, table, corpus)
    ),
    datasets=DATASETS,
    layouts=tuple(
        Layout(name, table.title, line="system", column="metric", corpus=corpus)
        for name, table in TABLES.items()
        for corpus in table.corpora
    ),
    open=_open,
    deviations=(
        "the tagger that is re-ranked is trained by L-BFGS with a penalty; the one by GIS, as in the paper, stands "
        "beside it",
        "beta, epsilon, C, rounds and passes are chosen on development data, each ranker on its own: of boosting the "
        f"best of {RANKERS[BOOSTING]['rounds']:,} rounds (the paper makes 300,000)",
        "averaged and margin perceptrons, more passes of the voted perceptron, and the oracle (the candidate with the "
        "most correct tags) are ours",
        "errors less: percent of the tagger's errors on the test, 100 - P, 100 - R or 100 - F, that are gone",
        "p, tagger: two-sided, of the difference in F to the tagger alone on the test, by paired bootstrap over "
        "sentences, 1000 samples",
        "training seconds of taggers are with encoding; of rankers they are of the numbers that were chosen, with the "
        "scores on development data, without lists and their features; jackknifing trains as many taggers at a time "
        "as there are cores; seconds compare rows only if these ran one at a time (`--jobs 1`, the default)",
        "features of taggers and rankers are those that are frequent enough, whether they have a weight or not",
    ),
    figures=_figure,
)
