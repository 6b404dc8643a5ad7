"""Treebank: what a parser learns from, checked and encoded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus import Column, Corpus
from tagloom.corpus.corpus import CodeArray, IntArray
from tagloom.corpus.schemes import BoolArray
from tagloom.corpus.trees import Trees, read_trees
from tagloom.errors import ConfigError, DataError
from tagloom.features import FeatureEncoder, Vocabulary
from tagloom.features.state_templates import StateTemplateSet, load_state_templates
from tagloom.structures.projective import LIFT, ProjectiveTrees, deprojectivize, make_projective
from tagloom.systems.labels import prepare_labels
from tagloom.systems.parser.options import ParserOptions
from tagloom.systems.parser.spec import ARC_HYBRID
from tagloom.systems.resources import build_resources

_NO_TREES: CodeArray = np.zeros(0, np.int32)
_LONGEST = 1_000_000  # words of a sentence


@dataclass(frozen=True)
class Relations:
    """Numbered relations. The relation of the root is not among them."""

    names: tuple[str, ...] = ()  # empty if trees have no relations
    root: str | None = None

    @classmethod
    def of(cls, trees: Trees, used: BoolArray) -> Relations:
        """Collect the relations of the tokens in use; the root takes the relation that most roots have."""
        if trees.relations is None:
            return cls()
        strings = trees.relations.strings.strings()
        is_root = trees.heads == 0
        counts = np.bincount(trees.relations.codes[is_root & used], minlength=len(strings))
        names = sorted(strings[code] for code in np.unique(trees.relations.codes[~is_root & used]).tolist())
        return cls(tuple(names), strings[int(np.argmax(counts))] if counts.any() else "root")

    @property
    def count(self) -> int:
        """The number of relations for the core, which needs at least one."""
        return max(len(self.names), 1)

    def hashes(self) -> NDArray[np.uint64]:
        """Hash the names of the relations."""
        return np.array([_core.hash_string(name) | 1 for name in self.names or ("",)], np.uint64)

    def numbers(self, column: Column) -> CodeArray:
        """Number the relation of every token; that of the root becomes 0, which nothing reads."""
        known = {name: number for number, name in enumerate(self.names)}
        return np.array([known.get(text, 0) for text in column.strings.strings()], np.int32)[column.codes]

    def column(self, numbers: CodeArray, heads: CodeArray) -> Column | None:
        """Invert ``numbers``, with the relation of the root."""
        if self.root is None:
            return None
        names = Column.from_strings([*self.names, self.root])
        places = np.where(heads == 0, len(self.names), numbers)
        return Column(names.codes[places], names.strings)


def encode_sentences(
    encoder: FeatureEncoder, corpus: Corpus, relations: Relations, trees: Trees | None = None
) -> _core.TreeData:
    """Encode the sentences of a corpus, with or without gold trees."""
    if len(corpus) and int(np.diff(corpus.sentences).max()) > _LONGEST:
        raise DataError(f"{corpus.source}: a sentence has more than {_LONGEST:,} words")
    store, batch = encoder.new_store(), encoder.batch(corpus)
    encoder.prepare(store, batch)
    hashes = _core.attribute_hashes(store, batch.codes, batch.sentences)
    heads, numbers = _NO_TREES, _NO_TREES
    if trees is not None:
        heads = trees.heads
        if trees.relations is not None and relations.names:
            numbers = relations.numbers(trees.relations)
    return _core.TreeData(hashes, len(encoder.attributes), relations.hashes(), corpus.sentences, heads, numbers)


def parse_trees(
    core: _core.ParserCore, data: _core.TreeData, relations: Relations, search: _core.SearchSettings, corpus: Corpus,
    non_projective: str, threads: int,
) -> Trees:  # fmt: skip
    """Parse the encoded sentences of a corpus; arcs that were lifted in training return to their places."""
    heads, numbers, _ = core.parse(data, search, threads)
    trees = Trees(heads, relations.column(numbers, heads), corpus.sentences)
    return deprojectivize(trees) if non_projective == LIFT else trees


#: Columns of CoNLL-U that no feature reads, and one that is read only if a template names it.
_OF_TREES = ("id", "deps", "misc")
_FEATS = "feats"
_MOST_RELATIONS = 2048  # the limit of the core


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

    @classmethod
    def encode(cls, corpus: Corpus, options: ParserOptions, tag: str) -> Treebank:
        """Check and encode the trees of a corpus."""
        trees, relations, templates, encoder = cls.check(corpus, options, tag)
        data = encode_sentences(encoder, corpus, relations, trees.trees)
        return cls(corpus, trees, relations, templates, encoder, tag, data)

    @classmethod
    def check(
        cls, corpus: Corpus, options: ParserOptions, tag: str
    ) -> tuple[ProjectiveTrees, Relations, StateTemplateSet, FeatureEncoder]:
        """Check the trees and build their features; what is refused is refused here, before the long work."""
        trees = prepare_trees(corpus, options)
        relations = collect_relations(corpus, trees)
        templates = load_state_templates(options.chosen_templates)
        if templates.reads_queue_children and options.transitions != ARC_HYBRID:
            raise ConfigError(
                f"{templates.name}: words of the queue have children in arc-hybrid only; pass transitions='arc-hybrid'"
            )
        attributes = templates.attributes(tag)
        reads_feats = any(
            _FEATS in (part.name, part.column) for template in attributes.templates for part in template.parts
        )
        encoder = FeatureEncoder(attributes, build_vocabulary(corpus, options, tag, reads_feats=reads_feats))
        return trees, relations, templates, encoder

    @property
    def examples(self) -> IntArray:
        """The numbers of the sentences to learn from."""
        return np.flatnonzero(self.trees.used).astype(np.int64)


def read_gold_trees(corpus: Corpus, options: ParserOptions) -> Trees:
    """Read the trees of a corpus."""
    return read_trees(corpus, options.head, options.relation if options.relations else None)


def prepare_trees(corpus: Corpus, options: ParserOptions) -> ProjectiveTrees:
    """Lift or skip the trees that are not projective."""
    trees = read_gold_trees(corpus, options)
    try:
        ready = make_projective(trees, options.non_projective)
    except DataError as error:  # a relation that looks like one of lifted arcs
        raise DataError(f"{corpus.source}: {error}") from None
    if not np.any(ready.used & (trees.lengths > 0)):
        raise DataError(f"{corpus.source}: no tree to learn from: all are non-projective; pass non_projective='lift'")
    return ready


def build_vocabulary(corpus: Corpus, options: ParserOptions, tag: str, *, reads_feats: bool = False) -> Vocabulary:
    """Build the vocabulary of the features, none of which can see a tree."""
    of_trees = {options.head, options.relation, *_OF_TREES, *([] if reads_feats or tag == _FEATS else [_FEATS])}
    names = tuple(name for name in corpus.names if name not in of_trees)
    labels = prepare_labels(corpus, tag, None)  # resources may be built from them
    resources = build_resources(options.resources, corpus, labels, options.seed).whole
    return Vocabulary(
        names, frozenset(), options.attributes, options.sentence_attributes, resources, options.document_attributes
    )


def collect_relations(corpus: Corpus, trees: ProjectiveTrees) -> Relations:
    """Collect the relations of the trees to learn from; the parser has no others."""
    relations = Relations.of(trees.trees, np.repeat(trees.used, trees.trees.lengths))
    if relations.count > _MOST_RELATIONS:
        raise DataError(
            f"{corpus.source}: {relations.count:,} relations, a parser has at most {_MOST_RELATIONS:,}; "
            "name their column with relation, or leave them out with relations=False"
        )
    return relations
