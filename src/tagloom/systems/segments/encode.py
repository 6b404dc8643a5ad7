"""Encoding: features of tokens and of segments, as the data of a chain with segments."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus import Corpus
from tagloom.corpus.corpus import CodeArray, IntArray
from tagloom.corpus.schemes import Scheme, split_labels
from tagloom.errors import ConfigError
from tagloom.features import FeatureEncoder, Phrases, TemplateSet, Vocabulary
from tagloom.features.segment_templates import SegmentTemplateSet
from tagloom.systems.tagger.encode import SparseRows, prepare_batch

_NO_EDGES = np.zeros(0, np.uint64)
NO_GOLD: CodeArray = np.zeros(0, np.int32)


def find_roles(labels: Sequence[str], scheme: Scheme) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """List the types of segments, and for each the labels of a first, inner, last and single token; -1 for none."""
    numbers = {label: number for number, label in enumerate(labels)}
    types = tuple(split_labels(labels, scheme.roles).type_names)
    prefixes = scheme.begin, scheme.inside, scheme.end, scheme.single
    roles = [[numbers.get(f"{prefix}-{name}" if name else prefix, -1) for prefix in prefixes] for name in types]
    return types, np.array(roles, np.int32).reshape(-1)


class SegmentEncoder:
    """The features of tokens and of segments over the columns of a corpus; immutable, shared by threads."""

    def __init__(self, templates: TemplateSet, segments: SegmentTemplateSet, vocabulary: Vocabulary) -> None:
        self.tokens = FeatureEncoder(templates, vocabulary)
        self.segments, self.vocabulary = segments, vocabulary
        if self.tokens.templates.edges:
            raise ConfigError(
                f"{templates.name}: features of label pairs do not go with segments; leave out the lines with / edge, "
                "but for plain label pairs"
            )
        self._attributes = [
            FeatureEncoder(TemplateSet.of_parts(segments.name, [part]), vocabulary) for part in segments.attributes
        ]
        self._compiled = segments.compile()
        self._lists = [_get_lists(vocabulary, name) for name in segments.resources]

    @property
    def main(self) -> str:
        """The column of the words."""
        return self.vocabulary.main

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns that features read."""
        used = {self.main, *(name for each in (self.tokens, *self._attributes) for name in each.columns)}
        return tuple(name for name in self.vocabulary.columns if name in used)

    def find_features(self, corpus: Corpus, threads: int) -> _core.SegmentFeatures:
        """Compute what the features of segments are made of: attributes of tokens, and entries of lists."""
        forms = corpus.column(self.main)
        attributes = [_find_values(encoder, corpus, threads) for encoder in self._attributes]
        entries = [lists.trie.entries(forms.strings, forms.codes, corpus.sentences) for lists in self._lists]
        return _core.SegmentFeatures(self._compiled, attributes, entries, corpus.sentences)

    def find_rows(self, corpus: Corpus, nodes: _core.FeatureTable, threads: int) -> SparseRows:
        """Look up the features of tokens."""
        store, batch = prepare_batch(self.tokens, corpus)
        rows: SparseRows
        rows, _ = _core.encode(store, batch.codes, batch.sentences, nodes, _core.FeatureTable(_NO_EDGES), threads)
        return rows


class SegmentTables:
    """Feature tables, roles of labels and the chain that lays out the weights: what data is encoded with."""

    def __init__(
        self, chain: _core.Chain, nodes: _core.FeatureTable, segments: _core.FeatureTable, roles: NDArray[np.int32],
        longest: int,
    ) -> None:  # fmt: skip
        self.chain, self.nodes, self.segments, self.roles, self.longest = chain, nodes, segments, roles, longest

    def encode(
        self, encoder: SegmentEncoder, corpus: Corpus, threads: int, gold: CodeArray = NO_GOLD,
        rows: SparseRows | None = None,
    ) -> _core.ChainData:  # fmt: skip
        """Encode a corpus; ``rows`` are those of the features of tokens, if they are known."""
        found = encoder.find_rows(corpus, self.nodes, threads) if rows is None else rows
        features = encoder.find_features(corpus, threads)
        return self.join(found, features, corpus.sentences, threads, gold)

    def join(
        self, rows: SparseRows, features: _core.SegmentFeatures, sentences: IntArray, threads: int,
        gold: CodeArray = NO_GOLD,
    ) -> _core.ChainData:  # fmt: skip
        """Join features of tokens and of segments."""
        no_edges = np.zeros(len(rows[0]), np.int64), np.zeros(0, np.uint32), np.zeros(0, np.float32)
        data = _core.ChainData(self.chain, *rows, *no_edges, sentences, gold)
        found = features.rows(self.longest, self.segments, len(self.nodes), threads)
        return data.with_segments(self.longest, *found, self.roles)


def _get_lists(vocabulary: Vocabulary, name: str) -> Phrases:
    found = vocabulary.resources.get(name)
    if not isinstance(found, Phrases):
        known = [each for each, resource in vocabulary.resources.items() if isinstance(resource, Phrases)]
        what = f"has {', '.join(known)}" if known else "has none"
        raise ConfigError(f"{name}[entry]: expected a resource of lists of phrases, this model {what}")
    return found


def _find_values(encoder: FeatureEncoder, corpus: Corpus, threads: int) -> tuple[IntArray, NDArray[np.uint32]]:
    """Compute the values of an attribute as numbers: hashes of 32 bits, which are hashed again."""
    store, batch = prepare_batch(encoder, corpus)
    every, none = _core.FeatureTable.hashed(2**32 - 1), _core.FeatureTable(_NO_EDGES)
    (offsets, rows, _), _ = _core.encode(store, batch.codes, batch.sentences, every, none, threads)
    return offsets, rows
