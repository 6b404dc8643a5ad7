"""FeatureEncoder: templates and attributes, compiled for the core, that turn batches of words into feature rows."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom._core import StringTable
from tagloom.arguments import is_iterable
from tagloom.corpus import Column, Corpus
from tagloom.corpus.corpus import CodeArray, IntArray
from tagloom.errors import ConfigError, DataError
from tagloom.features.attributes import AttributeSpec, Value, Vocabulary
from tagloom.features.casing import Casing
from tagloom.features.masking import GROUPS, MaskArray, repeat_offsets
from tagloom.features.matched import MATCHED, STAGE
from tagloom.features.resources import Clusters, WordList
from tagloom.features.templates import Part, Template, TemplateSet
from tagloom.schema import limits


@dataclass(frozen=True)
class Batch:
    """Sentences for the core.

    ``codes[c][t]`` is the number of token t in ``tables[c]``. Columns with several strings per token are in ``bags``.
    Where features were looked up while the sentences were read, ``rows`` holds them, and there are no strings. With
    ``masks``, every sentence stands for several copies of it, of which each has masks of its own.
    """

    codes: list[CodeArray]
    tables: list[StringTable]
    sentences: IntArray
    bags: Mapping[int, Column]
    rows: _core.ItemRows | None = None
    masks: MaskArray | None = None  # [copies][N] bits of groups, flattened
    documents: IntArray | None = None  # [D + 1] offsets into the sentences; None: every sentence is a document

    def __repr__(self) -> str:
        count, tokens = len(self.sentences) - 1, int(self.sentences[-1])
        return f"Batch({count:,} sentences, {tokens:,} tokens, {len(self.codes)} columns)"

    @property
    def copies(self) -> int:
        """The number of copies of every sentence."""
        return 1 if self.masks is None else len(self.masks) // int(self.sentences[-1])

    @property
    def copied_sentences(self) -> IntArray:
        """The offsets of all copies of the sentences, each sentence followed by its copies."""
        return repeat_offsets(self.sentences, self.copies)

    @classmethod
    def from_corpus(cls, corpus: Corpus, columns: Sequence[str]) -> Batch:
        """Build a batch from some columns of a corpus."""
        layers = [corpus.column(name) for name in columns]
        bags = {i: layer for i, layer in enumerate(layers) if layer.is_bag}
        codes = [np.zeros(len(layer), np.int32) if layer.is_bag else layer.codes for layer in layers]
        tables = [_BAG_TABLE if layer.is_bag else layer.strings for layer in layers]
        documents = corpus.documents if corpus.has_documents else None
        return cls(codes, tables, corpus.sentences, bags, documents=documents)

    @classmethod
    def of_bag(cls, bag: Column, sentences: IntArray) -> Batch:
        """Build a batch from one column with several strings per token."""
        return cls([np.zeros(len(bag), np.int32)], [_BAG_TABLE], sentences, {0: bag})

    @classmethod
    def of_rows(cls, rows: _core.ItemRows) -> Batch:
        """Build a batch from features that were looked up."""
        sentences = rows.sentences
        return cls([np.zeros(sentences[-1], np.int32)], [_BAG_TABLE], sentences, {}, rows)

    @property
    def document_offsets(self) -> IntArray:
        """Where documents begin and end, as numbers of sentences [D + 1]."""
        if self.documents is not None:
            return self.documents
        return np.arange(len(self.sentences), dtype=np.int64)

    def texts(self, column: int, start: int, stop: int) -> list[str]:
        """The strings of a range of tokens."""
        table = self.tables[column]
        return [table[code] for code in self.codes[column][start:stop].tolist()]


_BAG_TABLE = StringTable()
_BAG_TABLE.intern("")

_ADD_LISTED = {
    "lowercased": _core.Encoder.add_listed,
    "functional": _core.Encoder.add_functional,
    "word_type": _core.Encoder.add_typed,
}
NO_VALUES: NDArray[np.float32] = np.zeros(0, np.float32)
_LARGEST_WEIGHT = float(np.finfo(np.float32).max)
_Function = TypeVar("_Function")


@dataclass(frozen=True)
class Feature:
    """One feature of one token, spelled out for explanations and tests."""

    name: str
    key: int
    value: float
    edge: bool


#: Kinds of attributes that are computed for every batch.
_DYNAMIC = ("word", "sentence", "document", "matched", "bag", "place")
#: Those of them whose values belong to tokens, not to words.
_OF_TOKEN = _DYNAMIC[1:]


class FeatureEncoder:
    """Templates over a vocabulary; compiled once, immutable, shared by threads. Values are in an ``AttributeStore``."""

    def __init__(self, templates: TemplateSet, vocabulary: Vocabulary) -> None:
        templates = templates.fit({*vocabulary.columns, *vocabulary.resources})
        if len(templates.templates) > limits.MOST_TEMPLATES:
            raise ConfigError(
                f"{templates.name}: expected at most {limits.MOST_TEMPLATES:,} templates, "
                f"got {len(templates.templates):,}"
            )
        self.templates = templates
        self.vocabulary = vocabulary
        self.core = _core.Encoder()
        specs = {part.attribute: vocabulary.resolve(part) for t in templates.templates for part in t.parts}
        self.attributes = list(specs.values())
        self._numbers = {text: number for number, text in enumerate(specs)}
        #: Numbers of values that are known to fit: batches with no more need no check.
        self._fitting = [1] * len(specs)
        used = {spec.column for spec in self.attributes} or {vocabulary.main}
        if any(spec.kind == "matched" and MATCHED[spec.name].of_stage for spec in self.attributes):
            used.add(STAGE)
        #: The columns that a batch must have: those that a template looks at, in the order of the corpus.
        self.columns: tuple[str, ...] = tuple(name for name in vocabulary.columns if name in used)
        #: The group of word dropout of every attribute; None: it is never masked.
        self.groups = [vocabulary.find_group(spec) for spec in self.attributes]
        for number, (spec, group) in enumerate(zip(self.attributes, self.groups)):
            self._add(spec)
            if group is not None:
                self.core.set_group(number, GROUPS.index(group))
        #: Attributes whose values do not follow from the words alone.
        self._dynamic = [(n, spec) for n, spec in enumerate(self.attributes) if spec.kind in _DYNAMIC]
        for template in templates.templates:
            if len(template.parts) > limits.MOST_PARTS:
                raise ConfigError(
                    f"{templates.name}: expected at most {limits.MOST_PARTS} parts in a template, got {template!s:.60}"
                )
            parts = [(self._numbers[part.attribute], part.offset) for part in template.parts]
            self.core.add_template(template.seed, parts, template.edge)

    def __repr__(self) -> str:
        return f"FeatureEncoder({self.templates!r}, {len(self.attributes)} attributes, columns={list(self.columns)})"

    @property
    def sees_documents(self) -> bool:
        """Whether some attribute looks at the whole document, so that documents must not be parted."""
        return any(
            spec.kind == "document" or (spec.kind == "matched" and MATCHED[spec.name].of_document)
            for spec in self.attributes
        )

    @property
    def main(self) -> str:
        """The column of the words, or the first used column if no template looks at words."""
        return self.vocabulary.main if self.vocabulary.main in self.columns else self.columns[0]

    def words(self, batch: Batch) -> tuple[_core.StringTable, CodeArray]:
        """The main column of a batch: a string table, and the number of every token in it."""
        column = self.columns.index(self.main)
        return batch.tables[column], batch.codes[column]

    def _add(self, spec: AttributeSpec) -> None:
        column = self._column(spec)
        if spec.kind == "native":
            self.core.add_native(spec.name, spec.number, column)
        elif spec.kind == "lookup":
            clusters = self.vocabulary.resources[spec.resource]
            assert isinstance(clusters, Clusters)
            self.core.add_lookup(clusters.lookup, spec.number, spec.name == "brown_folded", column)
        elif spec.kind == "listed":
            listed = self.vocabulary.resources[spec.resource]
            if isinstance(listed, Casing):
                self.core.add_casing(listed.table, column)
            else:
                assert isinstance(listed, WordList)
                _ADD_LISTED[spec.name](self.core, listed.words, column)
        elif spec.kind == "macro":
            assert spec.macro is not None
            self.core.add_macro(spec.macro.compile(), column)
        elif spec.kind == "word":
            self.core.add_given(column)
        else:
            self.core.add_per_token()

    def _column(self, spec: AttributeSpec) -> int:
        return self.columns.index(spec.column)

    @cached_property
    def item_seed(self) -> str | None:
        """The seed of the only template, if features are the attributes of a bag at the token itself; else None."""
        match self.templates.templates:
            case [Template(parts=(Part(offset=0),), edge=False) as only] if self.attributes[0].kind == "bag":
                return only.seed
        return None

    def find_rows(self, table: _core.FeatureTable, sequences: object) -> _core.ItemRows:
        """Look up the features of feature dicts; the encoder must have an ``item_seed``."""
        assert self.item_seed is not None
        try:
            return _core.find_items(table, self.item_seed, sequences)
        except ValueError as error:
            raise DataError(str(error)) from None

    def new_store(self) -> _core.AttributeStore:
        """Create an empty store for the values of attributes."""
        return _core.AttributeStore(self.core)

    def prepare(self, store: _core.AttributeStore, batch: Batch) -> None:
        """Compute the attributes of all words that the store does not have, and of the tokens of the batch."""
        if batch.rows is not None:
            return
        store.extend(batch.tables)
        for number, spec in self._dynamic:
            if spec.kind == "word":
                self._append_words(store, number, spec, batch)
            elif spec.kind == "sentence":
                self._append_tokens(store, number, spec, batch)
            elif spec.kind == "document":
                self._append_documents(store, number, spec, batch)
            elif spec.kind == "matched":
                self._match(store, number, spec, batch)
            elif spec.kind == "bag":
                self._set_bag(store, number, spec, batch)
            elif spec.kind == "place":
                self._find_place(store, number, spec, batch)
        self._check_combinations(store)

    def _check_combinations(self, store: _core.AttributeStore) -> None:
        """Refuse templates that join so many values that their features would not fit into memory."""
        most = [store.most(number) for number in range(len(self.attributes))]
        if all(map(operator.le, most, self._fitting)):
            return
        larger = list(map(max, most, self._fitting))
        if self._find_excess(larger) is None:
            self._fitting = larger
        elif (excess := self._find_excess(most)) is not None:
            template, counts = excess
            raise ConfigError(
                f"template {template}: its attributes have up to {' x '.join(map(str, counts))} values per "
                f"token, more than {_core.MAX_COMBINATIONS:,} features; join fewer attributes"
            )

    def _find_excess(self, most: Sequence[int]) -> tuple[Template, list[int]] | None:
        """Find a template that joins too many values, and the largest numbers of values of its parts."""
        for template in self.templates.templates:
            counts = [max(most[self._numbers[part.attribute]], 1) for part in template.parts]
            if math.prod(counts) > _core.MAX_COMBINATIONS:
                return template, counts
        return None

    def _append_words(self, store: _core.AttributeStore, number: int, spec: AttributeSpec, batch: Batch) -> None:
        function = _require_loaded(spec.name, self.vocabulary.word_functions[spec.name])
        table = batch.tables[self._column(spec)]
        for item in range(store.items(number), len(table)):
            _append(store, number, spec.name, function(table[item]))

    def _append_tokens(self, store: _core.AttributeStore, number: int, spec: AttributeSpec, batch: Batch) -> None:
        function = _require_loaded(spec.name, self.vocabulary.sentence_functions[spec.name])
        store.clear(number)
        for start, stop in itertools.pairwise(batch.sentences.tolist()):
            returned = function(batch.texts(self._column(spec), start, stop))
            _append_sentence(store, number, spec.name, returned, stop - start)

    def _append_documents(self, store: _core.AttributeStore, number: int, spec: AttributeSpec, batch: Batch) -> None:
        function = _require_loaded(spec.name, self.vocabulary.document_attributes[spec.name])
        store.clear(number)
        for first, last in itertools.pairwise(batch.document_offsets.tolist()):
            spans = list(itertools.pairwise(batch.sentences[first : last + 1].tolist()))
            returned = function([batch.texts(self._column(spec), *span) for span in spans])
            if not is_iterable(returned):
                raise ConfigError(f"attribute {spec.name!r} returned {returned!r}: expected values for every sentence")
            sentences = list(returned)
            if len(sentences) != len(spans):
                message = f"expected values for the {len(spans)} sentences of a document"
                raise ConfigError(f"attribute {spec.name!r}: {message}, got {len(sentences)}")
            for (start, stop), values in zip(spans, sentences, strict=True):
                _append_sentence(store, number, spec.name, values, stop - start)

    def _match(self, store: _core.AttributeStore, number: int, spec: AttributeSpec, batch: Batch) -> None:
        row, column = MATCHED[spec.name], self._column(spec)
        resource = self.vocabulary.resources[spec.resource] if spec.resource else None
        tokens = batch.tables[column], batch.codes[column], batch.sentences
        stage = self._read_stage(batch) if row.of_stage else ()
        documents = (batch.document_offsets,) if row.of_document else ()
        row.fill(store, number, resource, spec.number, *stage, *tokens, *documents)

    def _read_stage(self, batch: Batch) -> tuple[StringTable, CodeArray, IntArray, NDArray[np.float32]]:
        """The labels that a first stage gives the tokens of a batch."""
        bag = batch.bags[self.columns.index(STAGE)]
        assert bag.offsets is not None
        return bag.strings, bag.codes, bag.offsets, NO_VALUES if bag.values is None else bag.values

    def _find_place(self, store: _core.AttributeStore, number: int, spec: AttributeSpec, batch: Batch) -> None:
        assert spec.macro is not None
        assert spec.macro.place is not None
        column = self._column(spec)
        tokens = batch.tables[column], batch.codes[column], batch.sentences
        store.find_place(number, spec.macro.compile(), spec.macro.place, *tokens)

    def _set_bag(self, store: _core.AttributeStore, number: int, spec: AttributeSpec, batch: Batch) -> None:
        bag = batch.bags[self._column(spec)]
        assert bag.offsets is not None
        store.set_bag(number, bag.strings, bag.codes, bag.offsets, NO_VALUES if bag.values is None else bag.values)

    def batch(self, corpus: Corpus) -> Batch:
        """Build the batch of a corpus."""
        return Batch.from_corpus(corpus, self.columns)

    def part_names(self, templates: Sequence[Template]) -> list[list[str]]:
        """The names of the parts of templates, as they stand in the names of features."""
        return [[f"{template.prefix}{part}" for part in template.parts] for template in templates]

    def describe(self, store: _core.AttributeStore, batch: Batch, sentence: int) -> list[list[Feature]]:
        """Spell out the features of every token of one sentence, in the order of the templates."""
        span = int(batch.sentences[sentence]), int(batch.sentences[sentence + 1])
        templates = self.templates.templates
        spelled = [(t, names, t.seed) for t, names in zip(templates, self.part_names(templates))]
        return [
            [f for each in spelled for f in self._instances(store, batch, *each, token, span)] for token in range(*span)
        ]

    def attribute_texts(self, corpus: Corpus, sentence: int) -> dict[str, list[str]]:
        """The values of every attribute at the tokens of one sentence; several values of a token are joined by +."""
        store, batch = self.new_store(), self.batch(corpus)
        self.prepare(store, batch)
        span = int(batch.sentences[sentence]), int(batch.sentences[sentence + 1])
        return {
            spec.text: ["+".join(text for text, _ in self._values_at(store, batch, n, t, span)) for t in range(*span)]
            for n, spec in enumerate(self.attributes)
        }

    def _instances(
        self,
        store: _core.AttributeStore,
        batch: Batch,
        template: Template,
        names: list[str],
        seed: str,
        token: int,
        span: tuple[int, int],
    ) -> Iterator[Feature]:
        combinations: list[tuple[list[str], float]] = [([], 1.0)]
        for part in template.parts:
            values = self._values_at(store, batch, self._numbers[part.attribute], token + part.offset, span)
            combinations = [([*texts, text], w * weight) for texts, w in combinations for text, weight in values]
        for texts, weight in combinations:
            name = " ".join([f"{part}={text}" for part, text in zip(names, texts, strict=True)])
            yield Feature(name or "bias", _core.feature_key(seed, texts), weight, template.edge)

    def _values_at(
        self, store: _core.AttributeStore, batch: Batch, number: int, token: int, span: tuple[int, int]
    ) -> list[tuple[str, float]]:
        start, stop = span
        spec = self.attributes[number]
        if not start <= token < stop:
            distance = token - start if token < start else token - stop + 1
            of_macro = None if spec.macro is None else spec.macro.compile().apply_outside(distance)
            return [(_core.boundary_text(distance) if of_macro is None else of_macro, 1.0)]
        of_token = spec.kind in _OF_TOKEN
        return store.values(number, token if of_token else int(batch.codes[self._column(spec)][token]))


def _append_sentence(store: _core.AttributeStore, number: int, name: str, returned: object, tokens: int) -> None:
    """Append what a function returned for the tokens of a sentence."""
    if not is_iterable(returned):
        raise ConfigError(f"attribute {name!r} returned {returned!r}: expected a value for every token")
    values = list(returned)
    if len(values) != tokens:
        message = f"expected {tokens} values for the {tokens} tokens of a sentence"
        raise ConfigError(f"attribute {name!r}: {message}, got {len(values)}")
    for value in values:
        _append(store, number, name, value)


def _append(store: _core.AttributeStore, number: int, name: str, value: Value) -> None:
    try:
        store.append(number, _plain(value))
    except (TypeError, RuntimeError):
        message = f"attribute {name!r} returned {value!r}: expected a string, strings, {{string: number}} or None"
        raise ConfigError(message) from None


def _plain(value: Value) -> Value:
    """Convert mappings to dicts, and sets to lists in an order that does not depend on the hash seed of Python."""
    if isinstance(value, Mapping):
        if not all(abs(weight) <= _LARGEST_WEIGHT for weight in value.values()):
            raise TypeError("a weight is not a finite number")
        return dict(value)
    return sorted(value) if isinstance(value, (set, frozenset)) else value


def _require_loaded(name: str, function: _Function | None) -> _Function:
    if function is None:
        raise ConfigError(f"this model uses the attribute function {name!r}: load it with functions={{{name!r}: ...}}")
    return function
