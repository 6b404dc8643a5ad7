"""Non-local features of a tagger, and how those of a batch of documents are computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus.corpus import CodeArray
from tagloom.features import Batch, Document, DocumentFunction, DocumentRows, FeatureEncoder
from tagloom.features.documents import extract_document
from tagloom.structures.consistency import SpanClasses, document_features
from tagloom.structures.sequences import Sequences

Weights = NDArray[np.float32]


@dataclass(frozen=True)
class NonlocalParts:
    """Families that the core counts, the user's functions, and the strings that these returned in training."""

    families: tuple[str, ...]
    functions: Mapping[str, DocumentFunction | None]
    classes: SpanClasses
    labels: tuple[str, ...]
    names: _core.StringTable = field(default_factory=_core.StringTable)

    def feature_names(self) -> list[str]:
        """List the names of all rows, those of the core before those of functions."""
        native = self.classes.feature_names() if self.families else []
        return [*native, *self.names.strings()]


@dataclass(frozen=True)
class Total:
    """How candidates are chosen: by which features, and among how many."""

    parts: NonlocalParts
    has_second: bool  # candidates are chosen by other weights than those that find them
    candidates: int  # n' of kazama-torisawa-2007

    def split(self, weights: Weights, size: int) -> tuple[Weights, Weights, Weights]:
        """Split weights into those that find candidates, those that choose (if they differ), and non-local ones."""
        second = 2 * size if self.has_second else size
        return weights[:size], weights[size:second], weights[second:]


@dataclass(frozen=True)
class EncodedDocuments:
    """Documents in the features of a tagger, with what non-local features read."""

    data: _core.ChainData  # cut into the sequences
    encoder: FeatureEncoder
    batch: Batch
    sequences: Sequences

    def cut_into(self, sequences: Sequences) -> EncodedDocuments:
        """Cut the same tokens into other sequences."""
        return replace(self, data=sequences.cut(self.data), sequences=sequences)

    def features(
        self, parts: NonlocalParts, *, grows: bool = False
    ) -> tuple[_core.NonlocalFeatures, DocumentRows | None]:
        """Build the non-local features; with ``grows``, strings that functions return for the first time are added."""
        rows = None
        if parts.functions:
            rows = DocumentRows(parts.functions, self.document, parts.labels, parts.names, grows=grows)
        table, codes = self.encoder.words(self.batch)
        return document_features(self.data, parts.classes, parts.families, (codes, table), rows), rows

    def decode(
        self, total: Total, weights: tuple[Weights, Weights, Weights], flags: NDArray[np.uint8], threads: int
    ) -> tuple[CodeArray, NDArray[np.float64]]:
        """Decode by total scores; return labels, and the total score of every document."""
        features, rows = self.features(total.parts)
        first, second, nonlocal_ = weights
        threads = threads if rows is None else 1  # the user's functions run one at a time
        return self.data.decode_rescored(first, features, nonlocal_, second, flags, total.candidates, threads)

    def document(self, number: int) -> Document:
        """Build one sequence as the user's functions see it."""
        start, stop = self.sequences.offsets[number : number + 2].tolist()
        return extract_document(self.encoder, self.batch, start, stop)
