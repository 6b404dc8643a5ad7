"""Training a parser: trees checked, tags jackknifed, passes, the best weights kept."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

import tagloom._core as _core
from tagloom._version import __version__
from tagloom.corpus import Corpus
from tagloom.corpus.corpus import IntArray
from tagloom.corpus.trees import NOTHING, Trees, trees_of
from tagloom.errors import ConfigError, DataError
from tagloom.evaluate import score_trees
from tagloom.features import FeatureEncoder, Vocabulary, load_resource
from tagloom.features.state_templates import StateTemplateSet, load_state_templates
from tagloom.learners.history import search_of
from tagloom.learners.parsing import ParserTraining, check_weights
from tagloom.model.checkpoint import Best, Checkpoint, checksum_of
from tagloom.model.jackknifed_tags import jackknife
from tagloom.model.learning import Learned, Learning, Progress, Report
from tagloom.model.model import Model
from tagloom.model.parsing.encoding import Relations, encode_sentences, restored
from tagloom.model.parsing.options import GOLD, LIMITS, ParserOptions, checked_parser_options
from tagloom.model.parsing.parser import Parser, ParserParameters
from tagloom.model.parsing.spec import ParserSpec
from tagloom.model.training import read_data, train
from tagloom.structures.projective import SKIP, ProjectiveTrees, projective_trees

_TAG_COLUMNS = ("upos", "pos", "xpos")
#: Columns of CoNLL-U that no feature reads.
_OF_TREES = ("id", "feats", "deps", "misc")
_MOST_RELATIONS = 2048  # as the core has it
#: The tagger of a parser, unless options say otherwise (chosen on the development data of UD English EWT).
_TAGGER = {"templates": "pos-affixes", "learner": "lookahead-perceptron", "depth": 2, "C": 40.0, "epochs": 15}


@dataclass(frozen=True)
class Treebank:
    """Training data of a parser: sentences with the tags it will read, and trees it can build."""

    corpus: Corpus
    trees: ProjectiveTrees
    relations: Relations
    templates: StateTemplateSet
    encoder: FeatureEncoder
    tag: str
    data: _core.TreeData

    @property
    def examples(self) -> IntArray:
        return np.flatnonzero(self.trees.used).astype(np.int64)


def train_parser(
    data: str | os.PathLike[str] | Corpus,
    *,
    dev: str | os.PathLike[str] | Corpus | None = None,
    columns: str | Sequence[str] | None = None,
    format: str | None = None,  # noqa: A002
    normalise: str | None = None,
    on_progress: Report | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    keep_checkpoint: bool = False,
    **options: object,
) -> Parser:
    """Train a dependency parser on a corpus with heads and, if it has any, relations.

    data, dev, columns, format, normalise, on_progress, checkpoint, keep_checkpoint: as for :func:`tagloom.train`.
    options: the fields of :class:`~tagloom.model.parsing.options.ParserOptions`.

    >>> treebank = Corpus.from_columns(
    ...     {"form": "the dog barks a cat sleeps".split(), "pos": "DT NN VBZ DT NN VBZ".split(),
    ...      "head": "2 3 0 2 3 0".split()}, [3, 3])
    >>> parser = train_parser(treebank, tags="gold", depth=1)
    >>> parser.parse([("the", "DT"), ("cat", "NN"), ("barks", "VBZ")]).heads
    (2, 3, 0)
    """
    chosen = checked_parser_options(options)
    corpus = read_data(data, columns, format, normalise)
    dev_corpus = None if dev is None else read_data(dev, columns, format, normalise)
    return _train(corpus, dev_corpus, chosen, checkpoint, on_progress or (lambda _: None), keep_checkpoint)


def _train(
    corpus: Corpus,
    dev: Corpus | None,
    options: ParserOptions,
    checkpoint: str | os.PathLike[str] | None,
    report: Report,
    keep_checkpoint: bool,
) -> Parser:
    """A parser, with the tagger whose tags it reads."""
    started = time.perf_counter()
    tag = _tag_column(corpus, options)
    trees = _projective(corpus, options)  # what is refused is refused before the long work
    relations = _relations(corpus, trees)
    dev_trees = None if dev is None else _trees(dev, options)
    templates = load_state_templates(options.templates)
    encoder = FeatureEncoder(templates.attributes(tag), _vocabulary(corpus, options))
    tagger, read, dev_read = _tagged(corpus, dev, tag, options, report)
    bank = _treebank(read, trees, relations, templates, encoder, tag)
    _tell(bank, options, report, time.perf_counter() - started)
    scorer = None if dev_read is None or dev_trees is None else TreeScorer(bank, dev_read, dev_trees, options)
    kept = None if checkpoint is None else Checkpoint(Path(checkpoint), _identity(bank, options, dev_read))
    learned = ParserLearning(bank, options, scorer, report, started, kept).run()
    parser = _parser(bank, options, learned, tagger, corpus.checksum())
    if kept is not None and not learned.interrupted and not keep_checkpoint:
        kept.remove()
    return parser


def _trees(corpus: Corpus, options: ParserOptions) -> Trees:
    return trees_of(corpus, options.head, options.relation if options.relations else None)


def _tag_column(corpus: Corpus, options: ParserOptions) -> str:
    names = [name for name in _TAG_COLUMNS if name in corpus.columns] if options.tag is None else [options.tag]
    if not names:
        raise ConfigError(
            f"{corpus.source}: a parser needs a column of part-of-speech tags ({', '.join(_TAG_COLUMNS)}), found: "
            f"{' '.join(corpus.names)}; name it with tag"
        )
    found = next((name for name in names if _is_filled(corpus, name)), None)
    if found is None:
        raise DataError(f"{corpus.source}: {' and '.join(names)}: no tags, {NOTHING!r} only; name a column with tag")
    return found


def _is_filled(corpus: Corpus, name: str) -> bool:
    """Whether a column holds more than the sign for nothing."""
    column = corpus.column(name)
    return column.is_bag or bool(np.any(column.codes != column.strings.find(NOTHING)))


def _tagged(
    corpus: Corpus, dev: Corpus | None, tag: str, options: ParserOptions, report: Report
) -> tuple[Model | None, Corpus, Corpus | None]:
    """The tagger, and both corpora with the tags that the parser will see in use."""
    if options.tags == GOLD:
        return None, corpus, dev
    words = _words(corpus, tag)
    learning: dict[str, Any] = {
        **({} if "learner" in options.tagger else _TAGGER), "seed": options.seed, "attributes": options.attributes,
        "sentence_attributes": options.sentence_attributes, **options.tagger, "label": tag,
    }  # fmt: skip
    folds = min(options.folds_of_tags, len(words))
    report(Progress("tagging", f"tags: jackknifing the column {tag} in {folds} folds"))
    by = "sentences" if len(words.documents) - 1 < folds else None
    tags = jackknife(words, folds=folds, by=by, jobs=options.threads, on_progress=_finished_folds(report), **learning)
    tagger = train(words, on_progress=_whole_or_none, **learning)
    report(Progress("tagging", f"tags: {tags.score.value:.2f} of the training data's are right when jackknifed"))
    told = None if dev is None else dev.with_column(tag, tagger.tag_corpus(dev, options.threads))
    return tagger, corpus.with_column(tag, tags.tags), told


def _finished_folds(report: Report) -> Callable[[str | None, Progress], None]:
    def told(name: str | None, progress: Progress) -> None:
        if progress.phase == "finished":
            report(Progress("tagging", f"tags: {name}, {progress.message}", seconds=progress.seconds))

    return told


def _whole_or_none(progress: Progress) -> None:
    """Half a tagger is none: Ctrl-C ends the whole training."""
    if progress.phase == "interrupted":
        raise KeyboardInterrupt


def _words(corpus: Corpus, tag: str) -> Corpus:
    """Words and tags alone: no feature of the tagger can see a tree."""
    main = "form" if "form" in corpus.columns else corpus.names[0]
    if len(corpus) < 2:
        raise DataError(f"{corpus.source}: {len(corpus)} sentence, too few to predict tags; pass tags='gold'")
    columns = {name: corpus.column(name) for name in (main, tag)}
    return Corpus(columns, corpus.sentences, corpus.documents, corpus.has_documents, corpus.source)


def _projective(corpus: Corpus, options: ParserOptions) -> ProjectiveTrees:
    trees = _trees(corpus, options)
    try:
        ready = projective_trees(trees, options.non_projective)
    except DataError as error:  # a relation that looks like one of lifted arcs
        raise DataError(f"{corpus.source}: {error}") from None
    if not np.any(ready.used & (trees.lengths > 0)):
        raise DataError(f"{corpus.source}: no tree to learn from: all are non-projective; pass non_projective='lift'")
    return ready


def _vocabulary(corpus: Corpus, options: ParserOptions) -> Vocabulary:
    """What attributes may be of: no feature can see a tree."""
    of_trees = {options.head, options.relation, *_OF_TREES}
    names = tuple(name for name in corpus.names if name not in of_trees)
    resources = {name: load_resource(name, source) for name, source in options.resources.items()}
    return Vocabulary(names, frozenset(), options.attributes, options.sentence_attributes, resources)


def _relations(corpus: Corpus, trees: ProjectiveTrees) -> Relations:
    relations = Relations.of(_only(trees.trees, trees.used))
    if relations.count > _MOST_RELATIONS:
        raise DataError(
            f"{corpus.source}: {relations.count:,} relations, a parser has at most {_MOST_RELATIONS:,}; "
            "name their column with relation, or leave them out with relations=False"
        )
    return relations


def _treebank(
    corpus: Corpus,
    trees: ProjectiveTrees,
    relations: Relations,
    templates: StateTemplateSet,
    encoder: FeatureEncoder,
    tag: str,
) -> Treebank:
    data = encode_sentences(encoder, corpus, relations, trees.trees)
    return Treebank(corpus, trees, relations, templates, encoder, tag, data)


def _only(trees: Trees, used: Any) -> Trees:
    """The trees to learn from; what does not occur in them is no relation of the parser."""
    if used.all() or trees.relations is None:
        return trees
    tokens = np.repeat(used, trees.lengths)
    kept = type(trees.relations)(trees.relations.codes[tokens], trees.relations.strings)
    return Trees(trees.heads[tokens], kept, np.concatenate([[0], np.cumsum(trees.lengths[used])]))


def _tell(bank: Treebank, options: ParserOptions, report: Report, seconds: float) -> None:
    count = bank.trees.non_projective
    if count:
        what = "left out" if options.non_projective == SKIP else "lifted"
        report(Progress("note", f"{count:,} of {len(bank.corpus):,} trees are not projective; they are {what}"))
    relations, templates = len(bank.relations.names), len(bank.templates.templates)
    size = f"{len(bank.examples):,} trees, {relations} relations, {templates} templates"
    report(Progress("encoded", size, epochs=options.most_epochs, seconds=seconds))


class TreeScorer:
    """Scores weights on held-out trees: LAS, or UAS without relations, of all tokens."""

    def __init__(self, bank: Treebank, corpus: Corpus, gold: Trees, options: ParserOptions) -> None:
        self.gold, self.threads, self.non_projective = gold, options.threads, options.non_projective
        self.relations, self.templates = bank.relations, bank.templates.compile(bank.tag)
        self.search = _search(options)
        self.data, self.sentences = encode_sentences(bank.encoder, corpus, bank.relations), corpus.sentences

    def __call__(self, weights: Any, total: object = None) -> float:
        core = _core.ParserCore(self.templates, self.relations.count, **weights)
        heads, numbers, _ = core.parse(self.data, self.search, self.threads)
        found = restored(heads, self.relations.column(numbers, heads), self.sentences, self.non_projective)
        return score_trees(self.gold, found).value


def _search(options: ParserOptions) -> _core.SearchSettings:
    numbers = options.settings.of(options.chosen_learner)
    return search_of(numbers).core(numbers.get("C", 0.0), max_violation=numbers.get("update") != "early")


class ParserLearning(Learning):
    """The passes of a parser: those of all learners, with weights that come with their features."""

    def __init__(
        self,
        bank: Treebank,
        options: ParserOptions,
        scorer: TreeScorer | None,
        report: Report,
        started: float,
        checkpoint: Checkpoint | None,
    ) -> None:
        self.bank, self.search = bank, _search(options)
        super().__init__(None, options.chosen_learner, options, scorer, report, started, checkpoint=checkpoint)  # type: ignore[arg-type]

    def _fitted(self, dev_score: Any) -> Any:
        return dev_score

    def _total(self) -> None:
        return None

    def _begin(self) -> Any:
        bank, templates = self.bank, self.bank.templates.compile(self.bank.tag)
        return ParserTraining(self.learner, self.search, templates, bank.relations.count, bank.data, bank.examples)

    def _first_weights(self) -> None:
        return None

    def _check_best(self, best: Best) -> None:
        arrays: Any = best.weights
        check_weights(arrays["weights"])
        _core.ParserCore(self.bank.templates.compile(self.bank.tag), self.bank.relations.count, **arrays)


#: Options that do not decide what is learned, and options that are told by what became of them.
_NOT_TOLD = {"threads", "learner", "templates", "attributes", "sentence_attributes", "resources", "tagger"}


def _identity(bank: Treebank, options: ParserOptions, dev: Corpus | None) -> dict[str, str]:
    """Everything that decides what is learned; tags of a tagger are part of the data."""
    resources = [a for name in sorted(bank.encoder.vocabulary.resources)
                 for a in bank.encoder.vocabulary.resources[name].to_tensors().values()]  # fmt: skip
    return {
        "tagloom": __version__,
        "system": "parser",
        "data": bank.corpus.checksum(),
        "dev": "none" if dev is None else dev.checksum(),
        "learner": repr(options.chosen_learner),
        "templates": str(bank.templates),
        "resources": checksum_of(resources),
        "functions": " ".join([*options.attributes, *options.sentence_attributes]),
        **{f.name: repr(getattr(options, f.name)) for f in fields(options) if f.name not in _NOT_TOLD},
    }


def _parser(bank: Treebank, options: ParserOptions, learned: Learned, tagger: Model | None, data: str) -> Parser:
    learner, vocabulary = options.chosen_learner, bank.encoder.vocabulary
    numbers = options.settings.of(learner)
    search: dict[str, int] = {name: int(numbers[name]) for name in LIMITS if name in numbers}
    spec = ParserSpec(
        templates=bank.templates,
        columns=vocabulary.columns,
        tag=bank.tag,
        tags=options.tags,
        head=options.head,
        relation=options.relation,
        root=bank.relations.root,
        learner=learner.name,
        settings=options.settings.stated(),
        search=search,
        seed=options.seed,
        data=data,
        version=__version__,
        non_projective=options.non_projective,
        word_functions=tuple(vocabulary.word_functions),
        sentence_functions=tuple(vocabulary.sentence_functions),
        resources={name: list(resource.names) for name, resource in vocabulary.resources.items()},
        history=learned.history,
        best_epoch=learned.best_epoch,
    )
    arrays: Any = learned.weights
    parameters = ParserParameters(relations=bank.relations.names, **arrays)
    functions = {**options.attributes, **options.sentence_attributes}
    return Parser(spec, parameters, tagger, vocabulary.resources, functions)
