"""He and Wang 2012, "A Comparison and Improvement of Online Learning Algorithms for Sequence Labeling".

Table 4 (statistics of the corpora), Table 5 (seven learners on every corpus) and Figure 1 (score after every pass).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tagloom.recipes.corpora import CONLL_2000
from tagloom.recipes.dataset import TRAIN, Dataset
from tagloom.recipes.layout import Layout
from tagloom.recipes.recipe import Experiment, Finished, Recipe, Workbench

# -- the learners ------------------------------------------------------------------------------------------------------

#: Section 3.3: C = 0.01 for PA, 1 for DCA; 50 passes of SGD, 30 of the others; rates searched on a subsample. The L2
#: strength of CRFSGD and CRF++ is |w|^2 / 2 beside the sum of -log P.
SYSTEMS: dict[str, dict[str, Any]] = {
    "PA": {"learner": "pa", "epochs": 30, "C": 0.01},
    "DCA": {"learner": "dca", "epochs": 30, "C": 1.0},
    "SGD": {"learner": "sgd", "epochs": 50, "c2": 0.5},
    "ADF": {"learner": "adf", "epochs": 30, "c2": 0.5},
    "MADF": {"learner": "madf", "epochs": 30, "c2": 0.5},
    "elastic net": {"learner": "owlqn", "epochs": 150, "c1": 0.1, "c2": 0.2},  # Wapiti in the paper
    "L2 batch": {"learner": "lbfgs", "epochs": 150, "c2": 0.5},  # CRF++ in the paper
}

#: What differs from SYSTEMS on a corpus: epochs, C, c1, c2, rate. Chosen on development data (of conll2000 the last
#: tenth of the training data), never on the test. The corpora that are not named here take SYSTEMS as they are.
TUNED: dict[str, dict[str, dict[str, Any]]] = {
    "conll2000": {"elastic net": {"node_labels": "all"}, "L2 batch": {"c2": 0.25, "node_labels": "all"}},
    "conll2003-en": {"SGD": {"c2": 0.25}, "ADF": {"c2": 0.25}, "MADF": {"c2": 0.25}},
}

KEY, SEED = "he-wang-2012", 1

# -- the corpora -------------------------------------------------------------------------------------------------------

_BMES = "labels B M E S (the paper has 3 labels); label pairs are not combined with characters"
_DICTIONARY = "the dictionary is of the training words that occur at least three times"
_LEXICON = {"lexicon": TRAIN}

DATASETS: dict[str, Dataset] = {
    "conll2000": Dataset(
        "chunking",
        **CONLL_2000,
        templates="chunking",
        cutoff=3,
    ),
    "conll2003-en": Dataset(
        "named entities",
        train="conll2003-en/eng.train",
        test="conll2003-en/eng.testb",
        format="conll",
        columns="form pos chunk ner",
        templates="ner-extended",
        scheme="BIOES",
        resources={
            "brown": "resources/brown/brown-rcv1-c3200.paths.txt",
            "gazetteer": "resources/gazetteers",
        },
        deviations=(
            "Brown clusters with 3200 classes, and other and longer entity lists than Ratinov and Roth's",
            "affixes and shapes beside the paper's features",
        ),
    ),
    "conll2002-nl": Dataset(
        "named entities",
        train="conll2002-nl/ned.train",
        test="conll2002-nl/ned.testb",
        format="conll",
        columns="form pos ner",
        templates="ner-basic",
        deviations=("affixes beside the paper's features",),
    ),
    "pku": Dataset(
        "word segmentation",
        train="pfr199801/199801.seg.utf8",
        test="sighan2005/pku_test_gold.utf8",
        format="segmented",
        templates="segmentation-dictionary",
        normalise="NFKC",
        resources=_LEXICON,
        deviations=(
            "trained on People's Daily of January 1998 (PFR), from which the bakeoff's training text was made: no "
            "official closed test",
            "train and test normalised by NFKC: the training text writes digits full-width, the test half-width",
            _BMES,
            _DICTIONARY,
        ),
    ),
    "pku-extended": Dataset(
        "word segmentation",
        train="pfr199801/199801.seg.utf8",
        test="sighan2005/pku_test_gold.utf8",
        format="segmented",
        templates="segmentation-extended",
        normalise="NFKC",
        cutoff=5,
        resources={**_LEXICON, "statistics": TRAIN},
        deviations=(
            "as pku; accessor variety and mutual information are counted in the training text, Sun and Xu had more",
        ),
    ),
    "cws-ctb6": Dataset(
        "word segmentation",
        train="cws-ctb6/ctb6.train.seg",
        test="cws-ctb6/ctb6.test.seg",
        format="segmented",
        templates="segmentation-dictionary",
        resources=_LEXICON,
        deviations=("not in the paper", _DICTIONARY),
    ),
    "cws-sxu2008": Dataset(
        "word segmentation",
        train="cws-sxu2008/train.txt",
        test="cws-sxu2008/test.txt",
        format="segmented",
        templates="segmentation-dictionary",
        resources=_LEXICON,
        deviations=("not in the paper", _DICTIONARY),
    ),
    "msra-ner": Dataset(
        "named entities",
        train="msra-ner/msra_train_slice3000_bio.txt",
        test="msra-ner/msra_test_bio.txt",
        format="conll",
        columns="form ner",
        templates="ner-zh-basic",
        cutoff=3,
        deviations=(
            "trained on a slice of 3,000 of the 45,000 training sentences: the paper's scores are out of reach",
            "the test of 3,442 sentences, 7 labels (the paper has 10)",
        ),
    ),
    "pfr-pos": Dataset(
        "part of speech",
        train="pfr199801/199801.txt",
        format="slashed",
        templates="pos-zh",
        deviations=(
            "People's Daily of January 1998 (PFR), split by order: the first 90 % of the lines train, the last 10 % "
            "test; the paper used the bakeoff's part-of-speech corpus",
            "44 tags (the paper has 103 labels)",
        ),
    ),
}

# -- the paper's numbers -----------------------------------------------------------------------------------------------

_STATISTICS = ("tokens", "unigram features", "bigram features", "labels", "cutoff", "max relative frequency")

#: Table 4, in the order of _STATISTICS.
TABLE_4: dict[str, tuple[int | float, ...]] = {
    "conll2000": (211_727, 76_328, 1, 23, 3, 0.1424),
    "conll2003-en": (203_621, 860_462, 1, 17, 1, 0.8526),
    "conll2002-nl": (202_644, 366_086, 1, 9, 1, 0.6847),
    "pku": (1_822_380, 1_202_381, 1_202_381, 3, 1, 0.0407),
    "pku-extended": (1_826_448, 365_254, 1, 4, 5, 0.9954),
    "msra-ner": (1_089_050, 332_989, 1, 10, 3, 0.8763),
    "pfr-pos": (1_116_754, 2_252_374, 1, 103, 1, 0.0667),
}

#: Table 5, in the order of SYSTEMS.
TABLE_5: dict[str, tuple[float | None, ...]] = {
    "conll2000": (93.26, 93.76, 93.71, 93.70, 93.78, 93.71, 93.74),
    "conll2003-en": (85.15, 86.66, 86.60, 86.66, 86.77, 87.25, 86.50),
    "conll2002-nl": (75.57, 75.33, 74.77, 75.18, 74.94, 75.22, 74.64),
    "pku": (94.80, 95.20, 95.10, 95.20, 95.10, 94.60, 94.70),
    "pku-extended": (95.60, 95.50, 95.60, 95.60, 95.80, 95.80, 95.70),
    "msra-ner": (87.84, 89.45, 88.91, 88.97, 88.94, 88.66, 88.91),
    "pfr-pos": (94.09, 94.24, 94.04, 94.04, 94.01, 93.90, None),
}

# -- the recipe --------------------------------------------------------------------------------------------------------


def _statistics(corpus: str) -> list[Experiment]:
    papers = TABLE_4.get(corpus, (None,) * len(_STATISTICS))
    return [Experiment("4", corpus, "statistics", name, paper) for name, paper in zip(_STATISTICS, papers)]


def _learners(corpus: str) -> list[Experiment]:
    papers = TABLE_5.get(corpus, (None,) * len(SYSTEMS))
    metric = "accuracy" if DATASETS[corpus].task == "part of speech" else "F1"
    return [
        Experiment("5", corpus, system, metric, paper, _options(corpus, system))
        for system, paper in zip(SYSTEMS, papers)
    ]


def _options(corpus: str, system: str) -> dict[str, Any]:
    return SYSTEMS[system] | TUNED.get(corpus, {}).get(system, {}) | {"seed": SEED}


def _open(corpus: str, data: Path, _folds: Path | None) -> Workbench:
    from tagloom.recipes.bench import ChainBench

    return ChainBench(DATASETS[corpus], data)


def _figure_1(finished: Sequence[Finished], folder: Path) -> list[Path]:
    from tagloom.recipes.figure import draw_curves

    return draw_curves(KEY, finished, folder, most_passes=SYSTEMS["SGD"]["epochs"])


RECIPE = Recipe(
    key=KEY,
    citation="Zhengyan He and Houfeng Wang. 2012. A Comparison and Improvement of Online Learning Algorithms for "
    "Sequence Labeling. In Proceedings of COLING 2012.",
    experiments=(*(e for c in DATASETS for e in _statistics(c)), *(e for c in DATASETS for e in _learners(c))),
    datasets=DATASETS,
    layouts=(
        Layout("4", "statistics of the training corpora", line="corpus", column="metric"),
        Layout("5", "F1, for part of speech accuracy, on the test", line="corpus", column="system"),
    ),
    open=_open,
    deviations=(
        "elastic net and L2 batch are our OWL-QN and L-BFGS; the paper ran Wapiti and CRF++",
        "every learner makes all its passes and the last one counts; the test picks nothing",
        "seconds are of training alone, without reading, encoding and the scores of the curve",
        "Figure 1 has the curves of the batch learners too; the paper plots their final score only",
    ),
    figures=_figure_1,
)
