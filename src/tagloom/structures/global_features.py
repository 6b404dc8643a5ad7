"""Global features: whole labellings are scored by them when candidates are chosen (collins-2002, section 3).

The core computes the templates; user functions can return further features of a labelling, as strings. A feature is a
64-bit key; the learner decides which keys are kept and which rows they have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus import Corpus
from tagloom.corpus.corpus import IntArray
from tagloom.corpus.schemes import Scheme
from tagloom.errors import ConfigError
from tagloom.features import Batch, Document, DocumentFunction, FeatureEncoder, Part, Template, TemplateSet, Vocabulary
from tagloom.features.documents import DocumentTexts, extract_document
from tagloom.features.global_templates import GlobalTemplateSet
from tagloom.structures.candidates import CandidateLists
from tagloom.structures.consistency import SpanClasses
from tagloom.structures.sequences import Sequences

Keys = NDArray[np.uint64]
Rows = NDArray[np.uint32]
_FORM = Template((Part("form", 0),))


def select_keys(keys: Keys, counts: IntArray, cutoff: int) -> Keys:
    """Select the keys that occur in at least ``cutoff`` sequences."""
    return np.ascontiguousarray(keys[counts >= cutoff])


class GlobalFeatures:
    """Templates and functions over the labels of one model; compiled once, immutable, shared by threads."""

    def __init__(
        self, templates: GlobalTemplateSet, functions: Mapping[str, DocumentFunction | None], vocabulary: Vocabulary,
        labels: Sequence[str], scheme: Scheme | None,
    ) -> None:  # fmt: skip
        for name in functions:
            if name in {template.name for template in templates.templates}:
                raise ConfigError(f"function {name!r}: a global template has the same name; rename one of them")
        self.templates, self.functions, self.labels = templates, functions, tuple(labels)
        self.encoder = FeatureEncoder(_with_words(templates, templates.has_quotations or bool(functions)), vocabulary)
        classes = SpanClasses.of(labels, scheme)
        self.core = _core.GlobalTemplates(
            templates.compiled(), self.labels, classes.names, classes.of_label, classes.begins, classes.ends
        )

    def __repr__(self) -> str:
        return f"GlobalFeatures({self.templates!r}, {len(self.functions)} functions, {len(self.labels)} labels)"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that a batch must have."""
        return self.encoder.columns

    def batch(self, corpus: Corpus) -> Batch:
        """Build the batch of a corpus with these columns."""
        return self.encoder.batch(corpus)

    def prepare(
        self, batch: Batch, sequences: Sequences, store: _core.AttributeStore | None = None
    ) -> PreparedFeatures:
        """Prepare the tokens of a batch for their candidates.

        ``store`` keeps the attributes of words between batches of the same string tables (``encoder.new_store()``).
        Prepared features are valid until the store prepares another batch.
        """
        store = self.encoder.new_store() if store is None else store
        self.encoder.prepare(store, batch)
        hashes = _core.attribute_hashes(store, batch.codes, batch.sentences)
        main, count = self.columns.index(self.encoder.main), len(self.encoder.attributes)
        words = batch.tables[main], batch.codes[main]
        data = _core.GlobalData(self.core, hashes, count, sequences.offsets, sequences.breaks, *words)
        return PreparedFeatures(self, batch, sequences, store, data)


def _with_words(templates: GlobalTemplateSet, wanted: bool) -> TemplateSet:
    """The attributes of templates and, if quotations or functions need them, the words themselves."""
    attributes = templates.attributes()
    if not wanted or _FORM in attributes.templates:
        return attributes
    return replace(attributes, templates=(*attributes.templates, _FORM))


@dataclass(frozen=True)
class PreparedFeatures:
    """The prepared sequences of a batch; lists of candidates must have the same sequences in the same order."""

    features: GlobalFeatures
    batch: Batch
    sequences: Sequences
    store: _core.AttributeStore
    data: _core.GlobalData

    def __repr__(self) -> str:
        return f"PreparedFeatures({self.sequences!r}, {self.features!r})"

    def count(self, lists: CandidateLists, threads: int = 1) -> tuple[Keys, IntArray]:
        """Count features: their keys, ascending, and the number of sequences that each occurs in."""
        keys, counts = self.data.count(lists.first, lists.begins, lists.labels, threads)
        if not self.features.functions:
            return keys, counts
        found = {(sequence, _core.hash_string(text)) for sequence, texts in self._texts(lists) for text in texts}
        return _add(keys, counts, np.array([key for _, key in found], np.uint64))

    def rows(self, lists: CandidateLists, table: _core.FeatureTable, threads: int = 1) -> tuple[IntArray, Rows]:
        """Look up the rows of known features: [C + 1] where each candidate begins, and its distinct rows."""
        offsets, rows = self.data.rows(table, lists.first, lists.begins, lists.labels, threads)
        if not self.features.functions:
            return offsets, rows
        found = [[table.find(_core.hash_string(text)) for text in texts] for _, texts in self._texts(lists)]
        return _join(offsets, rows, found)

    def describe(self, sequence: int, codes: NDArray[np.int32]) -> list[tuple[int, str]]:
        """Return key and text of every feature of one labelling."""
        native = self.data.describe(self.store, self.batch.codes, self.batch.sentences, sequence, codes)
        texts = dict.fromkeys(self._functions()(sequence, codes)) if self.features.functions else {}
        return [*native, *((_core.hash_string(text), text) for text in texts)]

    def texts_of(self, lists: CandidateLists, table: _core.FeatureTable) -> list[str]:
        """The text of every row of a table; empty if the feature does not occur in these candidates."""
        names = self.data.names(
            self.store, self.batch.codes, self.batch.sentences, table, lists.first, lists.begins, lists.labels
        )
        if self.features.functions:
            for text in (text for _, texts in self._texts(lists) for text in texts):
                if (row := table.find(_core.hash_string(text))) >= 0:
                    names[row] = text
        return names

    def _document(self, number: int) -> Document:
        start, stop = self.sequences.offsets[number : number + 2].tolist()
        return extract_document(self.features.encoder, self.batch, start, stop)

    def _functions(self) -> DocumentTexts:
        return DocumentTexts(
            self.features.functions, self._document, self.features.labels, kind="global", unit="sequence"
        )

    def _texts(self, lists: CandidateLists) -> Iterator[tuple[int, list[str]]]:
        """For every candidate, the number of its sequence and what functions return."""
        functions = self._functions()
        first, begins = lists.first.tolist(), lists.begins.tolist()
        for sequence in range(len(lists)):
            for candidate in range(first[sequence], first[sequence + 1]):
                yield sequence, functions(sequence, lists.labels[begins[candidate] : begins[candidate + 1]])


def _add(keys: Keys, counts: IntArray, more: Keys) -> tuple[Keys, IntArray]:
    """Add further keys to counts of keys; each further key occurs once per sequence that has it."""
    others, times = np.unique(more, return_counts=True)
    together, index = np.unique(np.concatenate([keys, others]), return_inverse=True)
    total = np.zeros(len(together), np.int64)
    np.add.at(total, index, np.concatenate([counts, times]))
    return together, total


def _join(offsets: IntArray, rows: Rows, more: list[list[int]]) -> tuple[IntArray, Rows]:
    """Add further rows to the rows of every candidate; rows below 0 are unknown features."""
    native = np.repeat(np.arange(len(more)), np.diff(offsets))
    owners = np.concatenate([native, np.repeat(np.arange(len(more)), list(map(len, more)))])
    numbers = np.concatenate([rows.astype(np.int64), np.array([row for each in more for row in each], np.int64)])
    known = numbers >= 0
    pairs = np.unique(np.stack([owners[known], numbers[known]]), axis=1)
    ends = np.searchsorted(pairs[0], np.arange(len(more) + 1))
    return ends.astype(np.int64), pairs[1].astype(np.uint32)
