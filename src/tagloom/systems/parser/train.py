"""Training a parser: trees checked, tags read, passes, the best weights kept."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from tagloom._version import __version__
from tagloom.corpus import Corpus
from tagloom.features import FeatureEncoder
from tagloom.features.state_templates import load_state_templates
from tagloom.files.checkpoint import Checkpoint, checksum_of
from tagloom.structures.projective import SKIP
from tagloom.systems.learning import Learned, Progress, Report
from tagloom.systems.parser.learn import ParserLearning, TreeScorer
from tagloom.systems.parser.model import Parser, ParserParameters
from tagloom.systems.parser.options import LIMITS, ParserOptions, checked_parser_options
from tagloom.systems.parser.spec import ParserSpec
from tagloom.systems.parser.tags import tag_column, with_read_tags
from tagloom.systems.parser.treebank import (
    Treebank,
    encoded_treebank,
    gold_trees,
    made_projective,
    parser_vocabulary,
    relations_of,
)
from tagloom.systems.tagger.model import Model
from tagloom.systems.tagger.train import read_data


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
    options: the fields of :class:`~tagloom.systems.parser.options.ParserOptions`.

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
    tag = tag_column(corpus, options)
    trees = made_projective(corpus, options)  # what is refused is refused before the long work
    relations = relations_of(corpus, trees)
    dev_trees = None if dev is None else gold_trees(dev, options)
    templates = load_state_templates(options.templates)
    encoder = FeatureEncoder(templates.attributes(tag), parser_vocabulary(corpus, options))
    tagger, read, dev_read = with_read_tags(corpus, dev, tag, options, report)
    bank = encoded_treebank(read, trees, relations, templates, encoder, tag)
    _tell(bank, options, report, time.perf_counter() - started)
    scorer = None if dev_read is None or dev_trees is None else TreeScorer(bank, dev_read, dev_trees, options)
    kept = None if checkpoint is None else Checkpoint(Path(checkpoint), _identity(bank, options, dev_read))
    learned = ParserLearning(bank, options, scorer, report, started, kept).run()
    parser = _parser(bank, options, learned, tagger, corpus.checksum())
    if kept is not None and not learned.interrupted and not keep_checkpoint:
        kept.remove()
    return parser


def _tell(bank: Treebank, options: ParserOptions, report: Report, seconds: float) -> None:
    count = bank.trees.non_projective
    if count:
        what = "left out" if options.non_projective == SKIP else "lifted"
        report(Progress("note", f"{count:,} of {len(bank.corpus):,} trees are not projective; they are {what}"))
    relations, templates = len(bank.relations.names), len(bank.templates.templates)
    size = f"{len(bank.examples):,} trees, {relations} relations, {templates} templates"
    report(Progress("encoded", size, epochs=options.most_epochs, seconds=seconds))


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
