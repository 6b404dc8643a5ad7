"""A corpus encoded twice: by the package, and by the plain encoder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain, pairwise

import numpy as np

import tagloom._core as core
from tagloom.corpus import Corpus
from tagloom.features import FeatureEncoder, TemplateSet, Vocabulary
from tests.features.vocabulary import sentence_of, truth, vocabulary
from tests.oracle import encoder

Rows = tuple[np.ndarray, np.ndarray, np.ndarray]


class Encoded:
    """The features of a corpus: rows from the core, ``sentences`` from the plain encoder.

    ``known`` and ``truths`` stand for attributes other than those of the vocabulary that tests share.
    """

    def __init__(
        self,
        templates: TemplateSet,
        corpus: Corpus,
        known: Vocabulary | None = None,
        truths: Mapping[str, encoder.Attribute] | None = None,
    ) -> None:
        self.encoder = FeatureEncoder(templates, known or vocabulary(*corpus.names))
        templates = self.encoder.templates  # those that fit the columns
        self.store, self.batch = self.encoder.new_store(), self.encoder.batch(corpus)
        self.encoder.prepare(self.store, self.batch)
        truths = {p.attribute: truth(p) for t in templates.templates for p in t.parts} | dict(truths or {})
        self.sentences = [encoder.encode(templates, truths, sentence_of(corpus, s)) for s in range(len(corpus))]

    def collect(self, cutoff: int = 1, buckets: int = 0) -> core.Collected:
        return core.collect_features(self.store, self.batch.codes, self.batch.sentences, cutoff, buckets)

    def rows(self, nodes: core.FeatureTable, edges: core.FeatureTable) -> tuple[Rows, Rows]:
        return core.encode(self.store, self.batch.codes, self.batch.sentences, nodes, edges)

    def fired(self, edge: bool) -> list[list[encoder.Fired]]:
        """Of every token of the corpus."""
        return [[f for f in token if f.edge == edge] for token in chain.from_iterable(self.sentences)]


def by_token(rows: Rows) -> list[list[tuple[int, float]]]:
    offsets, numbers, values = rows
    pairs = list(zip(numbers.tolist(), values.tolist() if len(values) else [1.0] * len(numbers), strict=True))
    return [pairs[start:stop] for start, stop in pairwise(offsets)]


def key(identity: tuple[str, tuple[str, ...]]) -> int:
    return core.feature_key(*identity)


def expected(tokens: Iterable[Iterable[encoder.Fired]], table: core.FeatureTable) -> list[list[tuple[int, float]]]:
    """Row and value of every feature that the table knows."""
    found = [[(table.find(key(f.identity)), float(f.weight)) for f in token] for token in tokens]
    return [[(row, value) for row, value in token if row >= 0] for token in found]
