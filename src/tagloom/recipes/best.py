"""The best models that tagloom trains, one recipe per task.

Features, learners and settings were chosen on development data. The test is read when a row is measured, and decides
nothing. A row is the mean of three seeds, trained on two threads.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tagloom.corpus import Corpus, read
from tagloom.corpus.schemes import BMES
from tagloom.corpus.spans import decode_spans
from tagloom.evaluate import Score
from tagloom.features import Phrases
from tagloom.recipes.bench import TRAINING, ModelBench, drop, relay
from tagloom.recipes.corpora import (
    CONLL_2000,
    CONLL_2002_DUTCH,
    CONLL_2003_ENGLISH,
    GAZETTEERS,
    JNLPBA,
    PKU,
    POS,
    find_file,
    read_treebank,
)
from tagloom.recipes.dataset import DEV, TEST, TRAIN, Dataset, Place
from tagloom.recipes.layout import Layout
from tagloom.recipes.recipe import BEST, Experiment, Measurement, Options, Recipe, Tell, Workbench
from tagloom.systems.train import train

SEEDS, THREADS, _SYSTEM = (1, 2, 3), 2, "best"
#: An option of an experiment: the system that is trained.
SYSTEM = "system"
#: A metric: how fast the model annotates the test, on one thread.
SPEED = "tokens per second"


class BestBench(ModelBench):
    """Models of any system, trained, applied and scored as a user does it."""

    def run(self, experiment: Experiment, tell: Tell) -> Measurement:
        """Measure one cell."""
        if experiment.metric != SPEED:
            return super().run(experiment, tell)
        seconds = self.evaluate(TEST, experiment.options, tell).applying
        return Measurement(self.find_split(TEST).held_out[TEST].token_count / seconds, seconds)

    def train(self, corpus: Corpus, options: Options, tell: Tell) -> tuple[Any, float]:
        """Train a model of the system that the options name; returns it with the seconds that it took."""
        self.system = options.get(SYSTEM, "tagger")
        return super().train(corpus, {**drop(options, SYSTEM), "threads": THREADS}, tell)

    def apply(self, model: Any, corpus: Corpus) -> Corpus:
        """Annotate a corpus on one thread."""
        annotated: Corpus = model.annotate(corpus)
        return annotated

    def score(self, model: Any, predicted: Any, corpus: Corpus, part: str) -> Score:
        """Score the model on a part."""
        found: Score = model.evaluate(corpus)
        return found

    def read_score(self, score: Score, measure: str, options: Options) -> float:
        """Return accuracy and F1, or UAS and LAS."""
        return float(getattr(score, measure.lower(), score.value))


class TreeBench(BestBench):
    """Parsers: the taggers of both columns of tags have the resources of the corpus, the parser has one of them."""

    def complete(self, options: Options) -> dict[str, Any]:
        """Return the options with the places of their resources."""
        resources = self.fixed["resources"]
        tagger = {**options["tagger"], "resources": resources}
        clusters = {"brown": resources["brown:rcv1"]}
        return {**options, "resources": clusters, "tagger": tagger, "provide": {"xpos": tagger}}


class ChunkBench(BestBench):
    """Chunkers that read tags of our own beside those of the corpus: a tagger of the Penn Treebank provides them."""

    def train(self, corpus: Corpus, options: Options, tell: Tell) -> tuple[Any, float]:
        """Train the tagger first, unless that is done; its seconds count."""
        tagger, seconds = self.once.get("tagger", lambda: self._train_tagger(options["tagger"], tell))
        model, own = super().train(corpus, {**drop(options, "tagger"), "provide": {"xpos": tagger}}, tell)
        return model, seconds + own

    def _train_tagger(self, own: Options, tell: Tell) -> tuple[Any, float]:
        begun, treebank = time.perf_counter(), read_treebank(self.data, "xpos")
        resources = self.fixed["resources"]
        tagger = train(treebank, label="xpos", resources=resources, on_progress=relay(tell, "tagger: "), **own)
        return tagger, time.perf_counter() - begun


class WordBench(BestBench):
    """Segmenters that look in a lexicon of the words of other segmented text."""

    def complete(self, options: Options) -> dict[str, Any]:
        """Add the lexicon to the options that the corpus fixes."""
        lexicon = self.once.get("lexicon", lambda: Phrases.lexicon(self._list_words()))
        fixed = super().complete(options)
        return {**fixed, "resources": {**fixed["resources"], "lexicon:other": lexicon}}

    def _list_words(self) -> Iterator[str]:
        for name in self.dataset.others:
            corpus = read(find_file(self.data, name), "segmented", normalise=self.dataset.normalise)
            labels, characters = corpus.column(corpus.label), corpus.column(corpus.names[0]).texts()
            spans = decode_spans(labels.strings.strings(), labels.codes, corpus.sentences, BMES)
            yield from ("".join(characters[start:stop]) for _, start, stop, _ in spans.tuples())


# -- the tasks ---------------------------------------------------------------------------------------------------------

_CLUSTERS: dict[str, Place] = {
    "brown:rcv1": "resources/brown/brown-rcv1-c3200.paths.txt",
    "brown:web": "resources/brown/brown-web-spacy.paths.txt",
    "brown:twitter": "resources/brown/twitter-6mpaths",
}
_LISTS: dict[str, Place] = {
    "gazetteer_folded": GAZETTEERS,
    "gazetteer_folded:more": "resources/gazetteers-more",
    "casing": TRAIN,
}
_ENTITIES: dict[str, Any] = {"templates": "ner-documents", "scheme": "BIOES"}
_NEWS: dict[str, Any] = {**_ENTITIES, "resources": {**_CLUSTERS, **_LISTS}}
_EWT: dict[str, Any] = {
    **{part: f"ud-en-ewt/en_ewt-ud-{part}.conllu" for part in (TRAIN, DEV, TEST)},
    "format": "conllu",
    "templates": "pos-rich",
    "resources": {**_CLUSTERS, **_LISTS},
}
_HELD_OUT = (
    "dev is the last tenth of the training data, for a model that learns from the rest; the model that is tested "
    "learns from all training data"
)
#: Both stages of entities. The second reads what the first predicts elsewhere in the document; a fifth of what words,
#: clusters, lists, contexts and the first stage tell is masked.
_MASKED: dict[str, Any] = {"dropout": 0.2, "copies": 2}
_CRF: dict[str, Any] = {"learner": "sgd", "averaging": "lazy"}
#: Taggers whose weights are averaged. The seeds of members follow each other, so that those of rows are far apart.
_MEAN: dict[str, Any] = {SYSTEM: "ensemble", "average": "weights", "seed": (100, 200, 300)}
#: One first stage for all members.
_TWO_STAGES: dict[str, Any] = {"stages": 2, "stage1": {"seed": 1}}
#: Perceptrons with lookahead for tags.
_TAGS: dict[str, Any] = {
    "learner": "lookahead-perceptron", "C": 40.0, "depth": 2, "epochs": 8, "dropout": 0.1, "copies": 2,
}  # fmt: skip


@dataclass(frozen=True)
class Task:
    """A corpus, the options of the best model of it, and what was compared on development data."""

    dataset: Dataset
    options: Options
    choices: tuple[str, ...]
    measures: tuple[str, ...] = ("F1",)
    bench: type[BestBench] = BestBench


#: The tasks by the name of their recipe.
TASKS: dict[str, Task] = {
    "best-conll2003-en": Task(
        Dataset("named entities", **CONLL_2003_ENGLISH, **_NEWS),
        {**_CRF, **_MASKED, **_MEAN, **_TWO_STAGES, "members": 3, "c2": 8.0, "epochs": 8, "threshold": 0.47},
        (
            "the clusters of RCV1 have seen the text of the corpus, without labels, as in the literature",
            "dev F1 of seed 1: `ner-documents` with `sgd` 94.32, with word dropout 94.69, with two stages 95.01",
            "the threshold of spans is half of that; a first version without it, and with one member, had 94.95 on dev "
            "and 91.79 on the test",
        ),
    ),
    "best-conll2002-nl": Task(
        Dataset("named entities", **CONLL_2002_DUTCH, **_NEWS),
        {**_CRF, **_MASKED, **_MEAN, **_TWO_STAGES, "members": 3, "c2": 8.0, "epochs": 8, "threshold": 0.42},
        (
            "clusters and lists are those of English text; many names are the same in both languages",
            "dev F1 of seed 1: defaults (`ner`, `margin-perceptron`) 77.67, `ner-documents` with `sgd` and word "
            "dropout 84.48, with two stages 85.39",
            "the threshold of spans is half of that; a first version without it, and with one member, had 85.34 on dev "
            "and 86.29 on the test",
        ),
    ),
    "best-jnlpba": Task(
        Dataset(
            "named entities",
            **{**JNLPBA, "test": "jnlpba/Genia4EReval2.iob2"},  # with the borders of documents
            **_ENTITIES,
            resources={"brown": TRAIN},
            dev_share=0.1,
        ),
        {
            **_CRF,
            **_MEAN,
            **_TWO_STAGES,
            "members": 3,
            "c2": 6.0,
            "epochs": 8,
            "dropout": 0.1,
            "copies": 2,
            "stage_folds": 5,
            "threshold": 0.36,
        },
        (
            _HELD_OUT,
            "dev F1: defaults (`ner`, `margin-perceptron`) 76.15; `ner-documents` with `sgd`, word dropout and two "
            "stages 77.24, the mean of three such taggers 77.59, with a threshold of spans of 0.33 to 0.38 77.83 to "
            "77.88; clusters of news, entities of the training data as lists, learners from right to left, features of "
            "heads, and first-stage predictions of words in lower case brought 0.1 or less",
            "a first version with `margin-perceptron` as the second stage had 76.89 on dev and 72.82 on the test",
        ),
    ),
    "best-conll2000": Task(
        Dataset(
            "chunking",
            **CONLL_2000,
            templates="chunking-rich",
            scheme="BIOES",
            resources=_CLUSTERS,
            others=(POS,),
            dev_share=0.1,
        ),
        {
            "learner": "margin-perceptron",
            "C": 100.0,
            "epochs": 15,
            **_MEAN,
            "members": 3,
            "tagger": {**_TAGS, "templates": "pos-rich", "seed": 1},
        },
        (
            _HELD_OUT,
            "a tagger that learned from the sample of the Penn Treebank (sections 00 and 01) provides tags beside "
            "those of the corpus",
            "dev F1 of seed 1: `chunking` with `averaged-perceptron` 94.46; `chunking-rich` with `sgd` 95.03, with "
            "`margin-perceptron` 95.21, with tags of our own 95.31; word dropout brought nothing",
        ),
        bench=ChunkBench,
    ),
    "best-ud-ewt-upos": Task(
        Dataset("part of speech", **_EWT),
        {**_TAGS, **_MEAN, "members": 4},
        (
            "dev accuracy: `pos-affixes` 95.16; `pos-rich` 95.60, with word dropout 95.69 (mean of five seeds); "
            "averages of the weights of 2, 3, 4 and 5 taggers 95.77, 95.81, 95.84 and 95.80",
        ),
        measures=("accuracy",),
    ),
    "best-ud-ewt-las": Task(
        Dataset("parsing", **_EWT),
        {SYSTEM: "parser", "templates": "parsing-extended", "beam": 16, "epochs": 10, "tagger": _TAGS},
        (
            "universal and fine tags are predicted by two taggers of the kind of best-ud-ewt-upos, one seed each",
            "dev LAS of seed 1, with taggers without lists, contexts and word dropout: beam 8 with 7 passes 83.97, "
            "beam 16 with 10 passes 84.47",
        ),
        measures=("UAS", "LAS"),
        bench=TreeBench,
    ),
    "best-pku": Task(
        Dataset(
            "word segmentation",
            **PKU,
            templates="segmentation-lexicons",
            resources={"lexicon": TRAIN, "lexicon:more": "sighan2005/msr_training_words.utf8", "statistics": TRAIN},
            others=("cws-ctb6/ctb6.train.seg", "cws-sxu2008/train.txt"),
            dev_share=0.1,
        ),
        {"learner": "lookahead-perceptron", "C": 40.0, "depth": 2, "epochs": 10, **_MEAN, "members": 4},
        (
            _HELD_OUT,
            "trained on People's Daily of January 1998 (PFR), from which the bakeoff's training text was made: this is "
            "not the official closed test",
            "the second lexicon has the words of another corpus of the bakeoff (MSR), the third those of the training "
            "text of two other corpora (CTB 6, SXU)",
            "dev F1 of seed 1: `segmentation-dictionary` with `adf` 96.20, with the second lexicon 96.67; more "
            "features and the third lexicon 96.78, with `lookahead-perceptron` 96.9; label pairs and word dropout "
            "brought nothing",
            "a first version with `adf` and without the third lexicon had 96.66 on dev and 95.51 on the test, before "
            "this one was chosen on dev",
        ),
        bench=WordBench,
    ),
}


# -- the recipes -------------------------------------------------------------------------------------------------------


def _open(task: Task) -> Callable[[Dataset, Path, Path | None], Workbench]:
    return lambda dataset, data, folder: task.bench(dataset, data, folder)


def _build_recipe(key: str, task: Task) -> Recipe:
    corpus = key.removeprefix("best-")
    metrics = [*(f"{part} {measure}" for part in (DEV, TEST) for measure in task.measures), TRAINING, SPEED]
    options = {"seed": SEEDS, **task.options}
    return Recipe(
        key=key,
        citation=f"The best model of tagloom: {BEST[key]}.",
        experiments=tuple(Experiment("scores", corpus, _SYSTEM, metric, None, options) for metric in metrics),
        datasets={corpus: task.dataset},
        layouts=(Layout("scores", BEST[key], line="corpus"),),
        open=_open(task),
        deviations=(
            *task.choices,
            f"everything was chosen on development data, before the test was read; {THREADS} threads train, and one "
            "annotates; training seconds are those of one model, with encoding and with all stages",
        ),
        remarks="Choices",
    )


#: The recipes by name.
RECIPES: dict[str, Recipe] = {key: _build_recipe(key, task) for key, task in TASKS.items()}
