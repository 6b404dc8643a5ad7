"""Treebank: what a parser learns from, checked and encoded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import tagloom._core as _core
from tagloom.corpus import Corpus
from tagloom.corpus.corpus import IntArray
from tagloom.corpus.trees import Trees, trees_of
from tagloom.errors import DataError
from tagloom.features import FeatureEncoder, Vocabulary
from tagloom.features.state_templates import StateTemplateSet
from tagloom.structures.projective import ProjectiveTrees, projective_trees
from tagloom.systems.labels import training_labels
from tagloom.systems.parser.encode import Relations, encode_sentences
from tagloom.systems.parser.options import ParserOptions
from tagloom.systems.resources import build_resources

#: Columns of CoNLL-U that no feature reads.
_OF_TREES = ("id", "feats", "deps", "misc")
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

    @property
    def examples(self) -> IntArray:
        """The numbers of the sentences to learn from."""
        return np.flatnonzero(self.trees.used).astype(np.int64)


def gold_trees(corpus: Corpus, options: ParserOptions) -> Trees:
    """Read the trees of a corpus."""
    return trees_of(corpus, options.head, options.relation if options.relations else None)


def prepare_trees(corpus: Corpus, options: ParserOptions) -> ProjectiveTrees:
    """Lift or skip the trees that are not projective."""
    trees = gold_trees(corpus, options)
    try:
        ready = projective_trees(trees, options.non_projective)
    except DataError as error:  # a relation that looks like one of lifted arcs
        raise DataError(f"{corpus.source}: {error}") from None
    if not np.any(ready.used & (trees.lengths > 0)):
        raise DataError(f"{corpus.source}: no tree to learn from: all are non-projective; pass non_projective='lift'")
    return ready


def build_vocabulary(corpus: Corpus, options: ParserOptions, tag: str) -> Vocabulary:
    """Build the vocabulary of the features, none of which can see a tree."""
    of_trees = {options.head, options.relation, *_OF_TREES}
    names = tuple(name for name in corpus.names if name not in of_trees)
    labels = training_labels(corpus, tag, None)  # resources may be built from them
    resources = build_resources(options.resources, corpus, labels, options.seed).whole
    return Vocabulary(names, frozenset(), options.attributes, options.sentence_attributes, resources)


def relations_of(corpus: Corpus, trees: ProjectiveTrees) -> Relations:
    """Collect the relations of the trees to learn from."""
    relations = Relations.of(_only(trees.trees, trees.used))
    if relations.count > _MOST_RELATIONS:
        raise DataError(
            f"{corpus.source}: {relations.count:,} relations, a parser has at most {_MOST_RELATIONS:,}; "
            "name their column with relation, or leave them out with relations=False"
        )
    return relations


def encode_treebank(
    corpus: Corpus,
    trees: ProjectiveTrees,
    relations: Relations,
    templates: StateTemplateSet,
    encoder: FeatureEncoder,
    tag: str,
) -> Treebank:
    """Encode the trees of a corpus with the tags that the parser will read."""
    data = encode_sentences(encoder, corpus, relations, trees.trees)
    return Treebank(corpus, trees, relations, templates, encoder, tag, data)


def _only(trees: Trees, used: Any) -> Trees:
    """Select the trees to learn from; the parser has only relations that occur in them."""
    if used.all() or trees.relations is None:
        return trees
    tokens = np.repeat(used, trees.lengths)
    kept = type(trees.relations)(trees.relations.codes[tokens], trees.relations.strings)
    return Trees(trees.heads[tokens], kept, np.concatenate([[0], np.cumsum(trees.lengths[used])]))
