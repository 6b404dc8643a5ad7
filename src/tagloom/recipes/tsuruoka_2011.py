"""Tsuruoka, Miyao and Kazama 2011, "Learning with Lookahead".

Table 1 (part of speech), Table 2 (chunking), Table 3 (biomedical names, in both directions), Table 4 (parsing): search
depths 0 to 3, and for comparison a CRF with L1 and beam search over the same decisions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tagloom.corpus import Corpus, Trees
from tagloom.corpus.trees import read_trees
from tagloom.evaluate import Score
from tagloom.evaluate.attachment import score_trees
from tagloom.evaluate.punctuation import find_punctuation
from tagloom.experiments.jackknife import jackknife
from tagloom.recipes.bench import AGAINST, APPLYING, TRAINING, ModelBench, Result, relay
from tagloom.recipes.corpora import CONLL_2000, JNLPBA, POS, describe_conll
from tagloom.recipes.dataset import DEV, TEST, Dataset, Split
from tagloom.recipes.layout import Layout
from tagloom.recipes.recipe import Experiment, Finished, Options, Recipe, Tell, Workbench
from tagloom.systems import Progress
from tagloom.systems.train import train

KEY, SEED, SEEDS, BEAM = "tsuruoka-2011", 1, (1, 2, 3), 16

# -- the learners ------------------------------------------------------------------------------------------------------

CRF, PERCEPTRON, LOOKAHEAD, BEAM_SEARCH = "CRF", "structured perceptron", "lookahead", "beam"

#: What the lines of a table share, by learner.
SYSTEMS: dict[str, dict[str, Any]] = {
    CRF: {"learner": "sgd-l1", "epochs": 20, "c1": 0.5},
    PERCEPTRON: {"learner": "averaged-perceptron", "epochs": 15},
    LOOKAHEAD: {"learner": "lookahead-perceptron", "epochs": 15, "C": 100.0},
    BEAM_SEARCH: {"learner": "beam-perceptron", "epochs": 15, "beam": BEAM, "update": "max-violation"},
}

# -- parsing -----------------------------------------------------------------------------------------------------------

_FORM, _TAG, _HEAD, _RELATION = "form", "pos", "head", "deprel"


@dataclass(frozen=True)
class Treebank(Dataset):
    """Trees with predicted tags: ``templates`` are those of the tagger, the parser's are options of a row."""

    tag: str = _TAG  # column of the gold tags
    tagger: Options = field(default_factory=dict)  # options of training the tagger
    folds: int = 10  # of jackknifing
    punctuation: str | None = None  # the rule for tokens that do not count; None: all tokens count

    def choices(self) -> dict[str, object]:
        """Return what determines a result besides the files themselves, for a signature."""
        tags = {**{f"tagger_{name}": value for name, value in self.tagger.items()}, "tagger_folds": self.folds}
        return {**super().choices(), **tags, **({} if self.punctuation is None else {"without": self.punctuation})}

    def split(self, data: Path) -> tuple[Split, ...]:
        """Read the corpora with words, gold tags, heads and, if there are any, relations, and nothing else."""
        return tuple(
            Split(self._select(split.train), {part: self._select(corpus) for part, corpus in split.held_out.items()})
            for split in super().split(data)
        )

    def _select(self, corpus: Corpus) -> Corpus:
        names = {_FORM: _FORM, _TAG: self.tag, _HEAD: _HEAD}
        return _select_columns(corpus, names | ({_RELATION: _RELATION} if _RELATION in corpus.columns else {}))


def _select_columns(corpus: Corpus, names: dict[str, str]) -> Corpus:
    """The columns by their new names."""
    columns = {name: corpus.column(old) for name, old in names.items()}
    return Corpus(columns, corpus.sentences, corpus.documents, corpus.has_documents, corpus.source)


def predict_tags(split: Split, options: Options, folds: int, tell: Tell) -> Split:
    """Replace gold tags by predicted ones, as a parser reads them in use.

    The tags of the training part are jackknifed, because a tagger gives better tags to sentences that it learned from
    than to new text. The parts that are held out are tagged by the tagger of the whole training part.
    """

    def report(fold: str | None, progress: Progress) -> None:
        tell(f"tags, {progress.message}" if fold is None else f"tags, {fold}: {progress.message}")

    def keep_words(corpus: Corpus) -> Corpus:  # no feature of the tagger can see a tree
        return _select_columns(corpus, {_FORM: _FORM, _TAG: _TAG})

    words, options = keep_words(split.train), {**options, "label": _TAG}
    tags = jackknife(words, folds=folds, on_progress=report, **options).tags
    tagger = train(words, on_progress=relay(tell, "tags: "), **options)
    held_out = {part: corpus.with_column(_TAG, tagger.tag_corpus(keep_words(corpus)))
                for part, corpus in split.held_out.items()}  # fmt: skip
    return Split(split.train.with_column(_TAG, tags), held_out)


class ParserBench(ModelBench):
    """Parsers that read predicted tags. Scores are those of gold trees; gold tags tell what punctuation is."""

    system = "parser"
    compared_by = "uas"
    dataset: Treebank

    def complete(self, options: Options) -> dict[str, Any]:
        """Return the options as they are: those of the corpus are the tagger's."""
        return dict(options)

    def _evaluate(self, split: Split, options: Options, tell: Tell) -> dict[str, Result]:
        tagger, folds = {"templates": self.dataset.templates, **self.dataset.tagger}, self.dataset.folds
        key = f"tags {sorted(split.held_out)}"
        return super()._evaluate(self.once.get(key, lambda: predict_tags(split, tagger, folds, tell)), options, tell)

    def apply(self, model: Any, corpus: Corpus) -> Trees:
        """Predict the trees of a corpus."""
        trees: Trees = model.parse_corpus(corpus)
        return trees

    def score(self, model: Any, predicted: Trees, corpus: Corpus, part: str) -> Score:
        """Score the trees of a part."""
        gold, rule = self.find_split(part).held_out[part], self.dataset.punctuation
        left_out = None if rule is None else find_punctuation(gold, rule, _TAG)
        found: Score = score_trees(read_trees(gold), predicted, punctuation=left_out, leave_out=left_out is not None)
        return found

    def read_score(self, score: Score, measure: str, options: Options) -> float:
        """Return UAS or LAS."""
        return float(getattr(score, measure.lower()))


# -- the corpora -------------------------------------------------------------------------------------------------------

_SAMPLE, _EWT, _CHUNKS, _BIO = "ptb-sample", "ud-en-ewt", "conll2000", "jnlpba"
_SAMPLE_TREES, _EWT_TREES, _EWT_RELATIONS = "ptb-sample-trees", "ud-en-ewt-trees", "ud-en-ewt-relations"

#: What differs from SYSTEMS on a corpus. It was chosen on development data, never on the test: C of 10 to 100 (jnlpba
#: also 5, chunking 80, the sample's trees also 0 and 300), the same for all depths; c1 of 0.1 to 1.
OVERRIDES: dict[str, dict[str, dict[str, Any]]] = {
    _SAMPLE: {CRF: {"c1": 0.1}},
    _EWT: {CRF: {"c1": 0.1}, LOOKAHEAD: {"C": 40.0}},
    _CHUNKS: {LOOKAHEAD: {"epochs": 20, "C": 80.0}, BEAM_SEARCH: {"epochs": 20}},
    **{key: {LOOKAHEAD: {"epochs": 10}, BEAM_SEARCH: {"epochs": 10}} for key in (_EWT_TREES, _EWT_RELATIONS)},
}

#: The options of all rows of a table.
_PARSER: dict[str, Any] = {"templates": "huang-sagae", "tags": "gold", "non_projective": "skip"}
_TABLE_OPTIONS: dict[str, dict[str, Any]] = {"4": {**_PARSER, "relations": False}, "relations": _PARSER}

_HELD_OUT = (
    "dev is the last tenth of the training data, for a model that learns from the rest; the model that is tested "
    "learns from all training data"
)
_SAMPLE_ONLY = (
    "the sample of the Penn Treebank (199 files of the Wall Street Journal), split by order: the first nine tenths of "
    "the sentences train, the last tenth tests; the paper trains on all of sections 0-18, so that its scores are out "
    "of reach"
)
_TAGS = (
    "tags of our own tagger: the training part is jackknifed in ten folds, the other parts are tagged by the tagger of "
    "the whole training part; the paper states this only for development and test data"
)
#: For the tags that parsers read, as in the paper: lookahead of depth 2.
_TAGGER: dict[str, Any] = {
    "templates": "pos-affixes",
    "tagger": {"learner": "lookahead-perceptron", "depth": 2, "C": 40.0, "epochs": 15, "seed": SEED},
}
_EWT_FILES: dict[str, Any] = {
    **{part: f"ud-en-ewt/en_ewt-ud-{part}.conllu" for part in ("train", DEV, TEST)},
    "format": "conllu",
}

DATASETS: dict[str, Dataset] = {
    _SAMPLE: Dataset(
        "part of speech",
        **describe_conll("form pos", POS),
        templates="pos-affixes",
        dev_share=0.1,
        deviations=(_SAMPLE_ONLY, _HELD_OUT),
    ),
    _EWT: Dataset("part of speech", **_EWT_FILES, templates="pos-affixes", deviations=("not in the paper",)),
    _CHUNKS: Dataset("chunking", **CONLL_2000, templates="chunking", dev_share=0.1, deviations=(_HELD_OUT,)),
    _BIO: Dataset(
        "named entities",
        **JNLPBA,
        templates="bio-ner-2009",
        retag=True,
        dev_share=0.1,
        deviations=(_HELD_OUT, "part-of-speech and chunk tags of our own taggers, which learned from newspaper text"),
    ),
    _SAMPLE_TREES: Treebank(
        "parsing",
        **describe_conll("form pos head", "ptb-sample/wsj_sample.dep.tsv"),
        **_TAGGER,
        dev_share=0.1,
        punctuation="penn",
        deviations=(_SAMPLE_ONLY, _HELD_OUT, _TAGS),
    ),
    _EWT_TREES: Treebank(
        "parsing", **_EWT_FILES, **_TAGGER, tag="upos", punctuation="upos", deviations=("not in the paper", _TAGS)
    ),
    _EWT_RELATIONS: Treebank(
        "parsing",
        **_EWT_FILES,
        **_TAGGER,
        tag="upos",
        deviations=("not in the paper; with relations, and punctuation counts", _TAGS),
    ),
}

# -- the paper's numbers -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """A line of a table: the learner, what sets it apart, the paper's numbers, and the line it is compared with."""

    system: str
    options: dict[str, Any] = field(default_factory=dict)
    training: float | None = None  # seconds
    test: float | None = None  # seconds
    score: float | None = None
    against: str | None = None


def _depth(depth: int, *paper: float | None, against: str | None = "depth 0", **options: Any) -> Line:
    training, test, score = paper or (None, None, None)
    return Line(LOOKAHEAD, {"depth": depth, **options}, training, test, score, against)


def _beam(against: str = "depth 0", score: float | None = None, **options: Any) -> Line:
    return Line(BEAM_SEARCH, options, score=score, against=against)


_BEAM = f"beam {BEAM}"
#: Templates of our own for parsers; non-projective trees are lifted and put back.
_RICH: dict[str, Any] = {"templates": "zhang-nivre", "non_projective": "lift"}
_FORWARD, _BACKWARD = "left-to-right", "right-to-left"

LINES: dict[str, dict[str, Line]] = {
    "1": {
        "CRF": Line(CRF, {}, 847, 3, 97.11),
        "depth 0": _depth(0, 85, 5, 97.00, against=None),
        "depth 1": _depth(1, 294, 9, 97.19),
        "depth 2": _depth(2, 8_688, 173, 97.19),
        "depth 3": _depth(3),
        "depth 5": _depth(5),
        "depth 0, tag trigrams": _depth(0, 88, 5, 97.11, history=2),
        "depth 1, tag trigrams": _depth(1, 313, 10, 97.22, history=2),
        "depth 2, tag trigrams": _depth(2, 10_034, 209, 97.28, history=2),
        _BEAM: _beam(),
        "structured perceptron": Line(PERCEPTRON, score=97.11),  # Collins 2002
    },
    "2": {
        "CRF": Line(CRF, {}, 74, 1, 93.66),
        "depth 0": _depth(0, 22, 1, 93.53, against=None),
        "depth 1": _depth(1, 73, 1, 93.77),
        "depth 2": _depth(2, 1_113, 9, 93.81),
        "depth 3": _depth(3),
        _BEAM: _beam(),
        "BIOES, depth 0": _depth(0, against=None, scheme="BIOES"),
        **{f"BIOES, depth {d}": _depth(d, against="BIOES, depth 0", scheme="BIOES") for d in (1, 2, 3)},
    },
    "3": {
        "CRF": Line(CRF, {}, 235, 4, 71.63),
        "depth 0": _depth(0, 66, 4, 70.17, against=None, direction=_BACKWARD),
        "depth 1": _depth(1, 91, 4, 72.28, direction=_BACKWARD),
        "depth 2": _depth(2, 302, 7, 72.00, direction=_BACKWARD),
        "depth 3": _depth(3, 2_419, 33, 72.21, direction=_BACKWARD),
        _BEAM: _beam(direction=_BACKWARD),
        f"{_FORWARD}, depth 0": _depth(0, against=None, direction=_FORWARD),
        **{f"{_FORWARD}, depth {d}": _depth(d, against=f"{_FORWARD}, depth 0", direction=_FORWARD) for d in (1, 2, 3)},
        f"{_FORWARD}, {_BEAM}": _beam(f"{_FORWARD}, depth 0", direction=_FORWARD),
        "more features, depth 0": _depth(0, against=None, direction=_BACKWARD, templates="bio-ner"),
        "more features, depth 1": _depth(1, against="more features, depth 0", direction=_BACKWARD, templates="bio-ner"),
    },
    "4": {
        "depth 0": _depth(0, 1_937, 4, 89.73, against=None),
        "depth 1": _depth(1, 4_907, 13, 91.00),
        "depth 2": _depth(2, 12_800, 31, 91.10),
        "depth 3": _depth(3, 31_684, 79, 91.24),
        _BEAM: _beam(score=91.3),  # Huang et al. 2009, k = 16
    },
    "relations": {
        "depth 0": _depth(0, against=None),
        "depth 1": _depth(1),
        "depth 2": _depth(2),
        "more features, depth 0": _depth(0, against=None, **_RICH),
        "more features, depth 1": _depth(1, against="more features, depth 0", **_RICH),
    },
}

#: The corpora of a table and the measures of each; the paper's numbers belong to the first corpus.
CORPORA: dict[str, dict[str, tuple[str, ...]]] = {
    "1": {_SAMPLE: ("accuracy",), _EWT: ("accuracy",)},
    "2": {_CHUNKS: ("F1",)},
    "3": {_BIO: ("F1",)},
    "4": {_SAMPLE_TREES: ("UAS",), _EWT_TREES: ("UAS",)},
    "relations": {_EWT_RELATIONS: ("UAS", "LAS")},
}

# -- the recipe --------------------------------------------------------------------------------------------------------


def _build_options(table: str, corpus: str, line: Line) -> dict[str, Any]:
    overrides = OVERRIDES.get(corpus, {}).get(line.system, {})
    seed = SEEDS if corpus == _SAMPLE_TREES else SEED  # few sentences to test on
    return {**_TABLE_OPTIONS.get(table, {}), **SYSTEMS[line.system], **overrides, **line.options, "seed": seed}


def _list_cells(table: str, corpus: str, name: str) -> Iterator[Experiment]:
    line, measures = LINES[table][name], CORPORA[table][corpus]
    options = _build_options(table, corpus, line)
    is_papers = corpus == next(iter(CORPORA[table]))
    papers = {TRAINING: line.training, APPLYING: line.test, f"test {measures[0]}": line.score}
    scores = [f"{part} {measure}" for part in (DEV, TEST) for measure in measures]
    for metric in (TRAINING, APPLYING, *scores):
        yield Experiment(table, corpus, name, metric, papers.get(metric) if is_papers else None, options)
    if line.against is not None:
        against = _build_options(table, corpus, LINES[table][line.against])
        yield Experiment(table, corpus, name, "p, depth 0", None, {**options, AGAINST: against})


def _open(dataset: Dataset, data: Path, folder: Path | None) -> Workbench:
    return (ParserBench if isinstance(dataset, Treebank) else ModelBench)(dataset, data, folder)


def _compare_seconds(finished: Sequence[Finished]) -> list[str]:
    """How much longer deeper search trains."""
    seconds = {(each.row.corpus, each.row.system): each.row for each in finished if each.row.metric == TRAINING}
    found = []
    for (corpus, system), row in seconds.items():
        basis = seconds.get((corpus, "depth 0"))
        if system.startswith("depth") and system != "depth 0" and basis is not None and basis.ours > 0:
            paper = f" ({row.paper / basis.paper:.1f} in the paper)" if row.paper and basis.paper else ""
            times = f"{row.ours / basis.ours:.1f} times as long as depth 0{paper}"
            found.append(f"{corpus}, {system}: training takes {times}.")
    return found


_TITLES = {"1": "part of speech", "2": "chunking", "3": "biomedical names, right to left unless stated otherwise",
           "4": "parsing", "relations": "parsing with relations"}  # fmt: skip

RECIPE = Recipe(
    key=KEY,
    citation="Yoshimasa Tsuruoka, Yusuke Miyao and Jun'ichi Kazama. 2011. Learning with Lookahead: Can History-Based "
    "Models Rival Globally Optimized Models? In Proceedings of CoNLL 2011.",
    experiments=tuple(
        experiment
        for table, corpora in CORPORA.items()
        for corpus in corpora
        for name in LINES[table]
        for experiment in _list_cells(table, corpus, name)
    ),
    datasets=DATASETS,
    layouts=tuple(Layout(table, _TITLES[table], corpus=corpus) for table in CORPORA for corpus in CORPORA[table]),
    open=_open,
    deviations=(
        "beam search, and depth 3 if the paper does not have it, are ours; the systems of other papers are left out, "
        "except for the structured perceptron (Table 1) and beam search for parsing (Table 4), whose numbers it quotes",
        "features differ where the paper takes those of Tsuruoka et al. 2009: the set for part-of-speech tags has "
        "lower-cased words and short shapes in addition, that for biomedical names normal forms and brief shapes, and "
        "that for chunks lacks the pairs of words two to the left and two to the right",
        "sentences are visited in another random order in every pass, which the seed decides; the paper says nothing "
        "of their order",
        "every learner makes all its passes, and the last one counts; development data choose settings, not passes",
        "seconds are those of one thread; training includes encoding, and test includes the encoding of the test; they "
        "compare rows only if these ran one at a time (`--jobs 1`, the default)",
        "p, depth 0: two-sided p value of the difference to depth 0 of the same direction on the test, by paired "
        "bootstrap over sentences, 1000 samples",
    ),
    notes=_compare_seconds,
)
