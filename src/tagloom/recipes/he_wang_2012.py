"""He and Wang 2012, "A Comparison and Improvement of Online Learning Algorithms for Sequence Labeling".

Table 4 (statistics of the corpora), Table 5 (seven learners on every corpus) and Figure 1 (score after every pass).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import tagloom._core as _core
from tagloom.recipes.bench import TaggerBench
from tagloom.recipes.corpora import CONLL_2000, CONLL_2003_ENGLISH, EXTENDED_ENTITIES, PKU, describe_conll
from tagloom.recipes.dataset import TRAIN, Dataset
from tagloom.recipes.layout import Layout
from tagloom.recipes.page import draw_curves
from tagloom.recipes.recipe import Experiment, Finished, Measurement, Recipe, Tell
from tagloom.systems.tagger.encode import EncodedCorpus

# -- the learners ------------------------------------------------------------------------------------------------------

#: Section 3.3: C = 0.01 for PA, 1 for DCA; 50 passes of SGD, 30 of the others; rates are searched on a subsample. The
#: L2 term of CRFSGD and CRF++ is |w|^2 / 2, added to the sum of -log P.
SYSTEMS: dict[str, dict[str, Any]] = {
    "PA": {"learner": "pa", "epochs": 30, "C": 0.01},
    "DCA": {"learner": "dca", "epochs": 30, "C": 1.0},
    "SGD": {"learner": "sgd", "epochs": 50, "c2": 0.5},
    "ADF": {"learner": "adf", "epochs": 30, "c2": 0.5},
    "MADF": {"learner": "madf", "epochs": 30, "c2": 0.5},
    "elastic net": {"learner": "owlqn", "epochs": 150, "c1": 0.1, "c2": 0.2},  # Wapiti in the paper
    "L2 batch": {"learner": "lbfgs", "epochs": 150, "c2": 0.5},  # CRF++ in the paper
}

#: What differs from SYSTEMS on a corpus. It was chosen on development data (for conll2000 the last tenth of the
#: training data), never on the test.
OVERRIDES: dict[str, dict[str, dict[str, Any]]] = {
    "conll2000": {"elastic net": {"node_labels": "all"}, "L2 batch": {"c2": 0.25, "node_labels": "all"}},
    "conll2003-en": {"SGD": {"c2": 0.25}, "ADF": {"c2": 0.25}, "MADF": {"c2": 0.25}},
}

KEY, SEED = "he-wang-2012", 1

# -- the corpora -------------------------------------------------------------------------------------------------------

_BMES = "labels B M E S (the paper has 3 labels)"
_SAME_TEXT = (
    "trained on People's Daily of January 1998 (PFR), from which the bakeoff's training text was made: this is not the "
    "official closed test",
    "train and test normalised by NFKC: the training text writes digits full-width, the test half-width",
    _BMES,
)
_DICTIONARY = "the dictionary holds the training words that occur at least three times"
_LEXICON = {"lexicon": TRAIN}
_WORDS: dict[str, Any] = {"task": "word segmentation", "format": "segmented"}
_PKU = {**_WORDS, **PKU}
_OTHER_WORDS = {**_WORDS, "templates": "segmentation-dictionary", "resources": _LEXICON,
                "deviations": ("not in the paper", _DICTIONARY)}  # fmt: skip

DATASETS: dict[str, Dataset] = {
    "conll2000": Dataset("chunking", **CONLL_2000, templates="chunking", cutoff=3),
    "conll2003-en": Dataset(
        "named entities",
        **{**CONLL_2003_ENGLISH, "dev": None},
        **EXTENDED_ENTITIES,
        deviations=(
            "Brown clusters with 3200 classes; entity lists that differ from Ratinov and Roth's and are longer",
            "affixes and shapes in addition to the paper's features",
        ),
    ),
    "conll2002-nl": Dataset(
        "named entities",
        **describe_conll("form pos ner", "conll2002-nl/ned.train", "conll2002-nl/ned.testb"),
        templates="ner-basic",
        deviations=("affixes in addition to the paper's features",),
    ),
    "pku": Dataset(
        **_PKU,
        templates="segmentation-dictionary",
        resources=_LEXICON,
        deviations=(*_SAME_TEXT, _DICTIONARY, "characters and words are features of labels, not of label pairs"),
    ),
    "pku-pairs": Dataset(
        **_PKU,
        templates="segmentation-edge",
        resources=_LEXICON,
        deviations=("as pku, with all features for label pairs as well, as in the paper",),
    ),
    "pku-extended": Dataset(
        **_PKU,
        templates="segmentation-extended",
        cutoff=5,
        resources={**_LEXICON, "statistics": TRAIN},
        deviations=(
            "as pku; accessor variety and mutual information are counted in the training text, Sun and Xu used more",
        ),
    ),
    "pku-extended-all": Dataset(
        **_PKU,
        templates="segmentation-extended",
        resources={**_LEXICON, "statistics": TRAIN},
        deviations=(
            "as pku-extended, with all features that occur in the training text; the paper leaves out those that "
            "occur less than five times",
        ),
    ),
    "cws-ctb6": Dataset(**_OTHER_WORDS, train="cws-ctb6/ctb6.train.seg", test="cws-ctb6/ctb6.test.seg"),
    "cws-sxu2008": Dataset(**_OTHER_WORDS, train="cws-sxu2008/train.txt", test="cws-sxu2008/test.txt"),
    "msra-ner": Dataset(
        "named entities",
        **describe_conll("form ner", "msra-ner/msra_train_slice3000_bio.txt", "msra-ner/msra_test_bio.txt"),
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

#: Table 4, in the order of STATISTICS.
TABLE_4: dict[str, tuple[int | float, ...]] = {
    "conll2000": (211_727, 76_328, 1, 23, 3, 0.1424),
    "conll2003-en": (203_621, 860_462, 1, 17, 1, 0.8526),
    "conll2002-nl": (202_644, 366_086, 1, 9, 1, 0.6847),
    "pku": (1_822_380, 1_202_381, 1_202_381, 3, 1, 0.0407),
    "pku-extended": (1_826_448, 365_254, 1, 4, 5, 0.9954),
    "msra-ner": (1_089_050, 332_989, 1, 10, 3, 0.8763),
    "pfr-pos": (1_116_754, 2_252_374, 1, 103, 1, 0.0667),
}

TABLE_4["pku-pairs"] = TABLE_4["pku"]

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

TABLE_5["pku-pairs"] = TABLE_5["pku"]

# -- the measurements --------------------------------------------------------------------------------------------------


def compute_relative_frequency(encoded: EncodedCorpus) -> float:
    """Return the largest #φ(x) / #tokens (Eq. 15): in how many positions the most frequent predicate holds.

    Table 4 counts predicates and not their pairs with labels: 0.1424 on CoNLL-2000 is how often the tag is NN.
    """
    batch, collected = encoded.batch, encoded.collected
    tables = collected.table(False), collected.table(True)
    (_, rows, _), _ = _core.encode(encoded.store, batch.codes, batch.sentences, *tables)
    return float(np.bincount(rows, minlength=1).max() / len(encoded.task.gold.column))


#: The columns of Table 4, from the corpus and the cutoff that it was encoded with.
STATISTICS: Mapping[str, Callable[[EncodedCorpus, int], float]] = {
    "tokens": lambda encoded, _: encoded.task.corpus.token_count,
    "unigram features": lambda encoded, _: encoded.chain.node_rows,
    # edge features; the label pairs alone are one of them
    "bigram features": lambda encoded, _: (
        len(encoded.edge_offsets) - 1 + int(encoded.task.encoder.templates.transitions)
    ),
    "labels": lambda encoded, _: encoded.chain.labels,
    "cutoff": lambda _, cutoff: cutoff,
    "max relative frequency": lambda encoded, _: compute_relative_frequency(encoded),
}


class LearnerBench(TaggerBench):
    """Learners and statistics. A training decides one cell, so that no weights are kept."""

    def run(self, experiment: Experiment, tell: Tell) -> Measurement:
        """Measure one cell."""
        if experiment.metric in STATISTICS:
            return Measurement(STATISTICS[experiment.metric](self.training.encoded, self.dataset.cutoff), self.seconds)
        _, curve = self.learn(self.check(experiment.options), tell)
        return Measurement(curve[-1].score, curve[-1].seconds or 0.0, curve)


# -- the recipe --------------------------------------------------------------------------------------------------------


def _list_statistics(corpus: str) -> list[Experiment]:
    papers = TABLE_4.get(corpus, (None,) * len(STATISTICS))
    return [Experiment("4", corpus, "statistics", name, paper) for name, paper in zip(STATISTICS, papers)]


def _list_learners(corpus: str) -> list[Experiment]:
    papers = TABLE_5.get(corpus, (None,) * len(SYSTEMS))
    metric = "accuracy" if DATASETS[corpus].task == "part of speech" else "F1"
    own = OVERRIDES.get(corpus, {})
    return [
        Experiment("5", corpus, system, metric, paper, {**options, **own.get(system, {}), "seed": SEED})
        for (system, options), paper in zip(SYSTEMS.items(), papers)
    ]


def _draw_figure_1(finished: Sequence[Finished], folder: Path) -> list[Path]:
    return draw_curves(KEY, finished, folder, most_passes=SYSTEMS["SGD"]["epochs"])


RECIPE = Recipe(
    key=KEY,
    citation="Zhengyan He and Houfeng Wang. 2012. A Comparison and Improvement of Online Learning Algorithms for "
    "Sequence Labeling. In Proceedings of COLING 2012.",
    experiments=tuple(e for cells in (_list_statistics, _list_learners) for corpus in DATASETS for e in cells(corpus)),
    datasets=DATASETS,
    layouts=(
        Layout("4", "statistics of the training corpora", line="corpus"),
        Layout("5", "F1, for part of speech accuracy, on the test", line="corpus", column="system"),
    ),
    open=LearnerBench,
    deviations=(
        "elastic net and L2 batch are our OWL-QN and L-BFGS; the paper ran Wapiti and CRF++",
        "every learner makes all its passes, and the last one counts; nothing is chosen on the test",
        "seconds are those of training alone, without reading, encoding and scoring the curve",
        "Figure 1 also has the curves of the batch learners; the paper plots only their final scores",
    ),
    figures=_draw_figure_1,
)
