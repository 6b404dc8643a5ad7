"""Encoding: the only place that builds a ``PhraseData`` of the core from a corpus.

Phi_w are templates of words. Phi_p is made by the core of predicates of single words (``around`` a phrase, ``inside``
it), of forms, of the types of words, and of lists that words and phrases stand in (phrase_features.hpp).
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus import Column, Corpus
from tagloom.corpus.corpus import IntArray, ranges, spread
from tagloom.corpus.schemes import IOB2, Scheme, detect_scheme, get_scheme, labels_in_use
from tagloom.corpus.spans import Spans, decode_spans, label_spans
from tagloom.errors import ConfigError, DataError
from tagloom.features import Batch, FeatureEncoder, Phrases, TemplateSet, Vocabulary, WordList
from tagloom.learners.phrases import GoldPhrases
from tagloom.schema import limits
from tagloom.structures.candidates import to_offsets
from tagloom.systems.labels import get_labels

_MOST_CATEGORIES = 10_000  # the limit of the core


@dataclass(frozen=True)
class Gold:
    """Phrases of training data, and the scheme their labels are written in."""

    label: str
    scheme: Scheme
    spans: Spans
    categories: tuple[str, ...]
    sentences: IntArray

    @classmethod
    def of(cls, corpus: Corpus, label: str | None, scheme: str | None) -> Gold:
        """Read the phrases of a corpus from its labels."""
        name = label or corpus.label
        column = get_labels(corpus, name)
        found = _scheme(column, corpus, name, scheme)
        try:
            spans = decode_spans(column.strings.strings(), column.codes, corpus.sentences, found)
        except DataError as error:
            raise DataError(f"{corpus.source}: column {name!r}: {error}") from None
        if not len(spans):
            raise DataError(f"{corpus.source}: no phrase to learn from in column {name!r}")
        categories = sorted({spans.types[number] for number in np.unique(spans.type).tolist()})
        if len(categories) > _MOST_CATEGORIES:
            raise DataError(
                f"{corpus.source}: {len(categories):,} categories in column {name!r}, a chunker has at most "
                f"{_MOST_CATEGORIES:,}; name another column with label"
            )
        return cls(name, found, spans, tuple(categories), corpus.sentences)

    @property
    def longest(self) -> int:
        """The number of words of the longest phrase."""
        return int((self.spans.stop - self.spans.start).max())

    def phrases(self) -> GoldPhrases:
        """Convert to what the core reads: categories as numbers, places within sentences."""
        spans, numbers = self.spans, {name: number for number, name in enumerate(self.categories)}
        of_type = np.array([numbers.get(name, -1) for name in spans.types], np.int32)
        counts = np.bincount(spans.sentence, minlength=len(self.sentences) - 1)
        first = self.sentences[spans.sentence]
        return GoldPhrases(to_offsets(counts), spans.start - first, spans.stop - first, of_type[spans.type])

    def flags(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.int32]]:
        """Flag words that begin a phrase and words inside one after its first, with the category or -1."""
        tokens = int(self.sentences[-1])
        words, phrases = self.words()
        begins, insides = np.zeros(tokens, np.uint8), np.zeros(tokens, np.uint8)
        categories = np.full(tokens, -1, np.int32)
        insides[words] = 1
        begins[self.spans.start], insides[self.spans.start] = 1, 0
        categories[words] = self.phrases().categories[phrases]
        return begins, insides, categories

    def words(self) -> tuple[IntArray, IntArray]:
        """List the words of all phrases, and the number of the phrase of each."""
        lengths = self.spans.stop - self.spans.start
        return ranges(self.spans.start, lengths), np.repeat(np.arange(len(lengths)), lengths)


def _scheme(column: Column, corpus: Corpus, name: str, scheme: str | None) -> Scheme:
    """Return the scheme that was named, or the one that the labels show."""
    if scheme is not None:
        return get_scheme(scheme)
    found = detect_scheme(column.strings.strings(), column.codes, corpus.sentences)
    if found is not None:
        return found
    used = labels_in_use(column.strings.strings(), column.codes)
    if used == [IOB2.outside]:
        raise DataError(f"{corpus.source}: no phrase to learn from in column {name!r}: all labels are O")
    raise DataError(
        f"{corpus.source}: column {name!r} holds plain tags such as {used[0]!r}, no phrases; expected labels such as "
        "B-NP I-NP O, or name the column with label"
    )


def labels_of(spans: Spans, tokens: int, scheme: Scheme) -> Column:
    """Write the phrases of a corpus as labels."""
    return spread(*label_spans(spans, tokens, scheme))


Keys = NDArray[np.uint64]

_NO_KEYS: Keys = np.zeros(0, np.uint64)
_NO_OFFSETS: IntArray = np.zeros(0, np.int64)
_NO_LENGTHS: NDArray[np.uint32] = np.zeros(0, np.uint32)
#: Predicates are numbered by their hash, because features of phrases are hashed once more and have a table.
PREDICATES = _core.FeatureTable.hashed(2**32 - 1)
_NO_EDGES = _core.FeatureTable(_NO_KEYS)


@dataclass(frozen=True)
class PhraseEncoder:
    """The features of a chunker over the columns of a corpus; immutable, shared by threads."""

    templates: TemplateSet
    around: TemplateSet
    inside: TemplateSet
    vocabulary: Vocabulary
    window: int

    def __post_init__(self) -> None:
        for name in ("around", "inside"):
            if any(part.offset for template in getattr(self, name).templates for part in template.parts):
                raise ConfigError(f"{name}: predicates are of one word, [0]; the window gives them their places")
        if self.gazetteer is not None and len(self.gazetteer.names) > limits.MOST_PHRASE_LISTS:
            raise ConfigError(
                f"resource 'gazetteer': expected at most {limits.MOST_PHRASE_LISTS} lists for a phrase chunker, got "
                f"{len(self.gazetteer.names):,}; join some of them"
            )
        if not self.words.templates.nodes:
            raise ConfigError(f"{self.templates.name}: no templates of words")

    @cached_property
    def words(self) -> FeatureEncoder:
        """The encoder of the features of words."""
        return FeatureEncoder(self.templates, self.vocabulary)

    @cached_property
    def predicates(self) -> tuple[FeatureEncoder, FeatureEncoder]:
        """The encoders of the predicates around and inside phrases."""
        return FeatureEncoder(self.around, self.vocabulary), FeatureEncoder(self.inside, self.vocabulary)

    @property
    def sees_documents(self) -> bool:
        """Whether some attribute looks at the whole document."""
        return any(encoder.sees_documents for encoder in (self.words, *self.predicates))

    @property
    def main(self) -> str:
        """The column of the words."""
        return self.vocabulary.main

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns that features read."""
        used = {self.main, *(name for encoder in (self.words, *self.predicates) for name in encoder.columns)}
        return tuple(name for name in self.vocabulary.columns if name in used)

    def word_keys(self, corpus: Corpus, cutoff: int) -> Keys:
        """Collect the keys of features of words that occur at least ``cutoff`` times."""
        store, batch = prepare(self.words, corpus)
        return _core.collect_features(store, batch.codes, batch.sentences, cutoff, 0).table(False).keys()

    def encode(self, corpus: Corpus, words: _core.FeatureTable) -> _core.PhraseData:
        """Encode the sentences of a corpus in the features of words that the table has."""
        forms = corpus.column(self.main)
        around, inside = (_rows(encoder, corpus, PREDICATES) for encoder in self.predicates)
        types = self.word_types(forms.strings)
        word_offsets, word_rows = _core.ascending_rows(*_rows(self.words, corpus, words))
        word_lists, entry_offsets, entry_lengths, entry_lists = self.lists(corpus)
        return _core.PhraseData(
            corpus.sentences, word_offsets, word_rows, len(words), *around, *inside,
            forms.strings.hashes()[forms.codes], types[forms.codes],
            word_lists, entry_offsets, entry_lengths, entry_lists, self.window,
        )  # fmt: skip

    def word_types(self, strings: _core.StringTable) -> NDArray[np.uint8]:
        """Compute the type of every word as the code of its letter; type f needs the resource ``functional``."""
        functional = self.vocabulary.resources.get("functional")
        return _core.word_types(strings, functional.words if isinstance(functional, WordList) else _core.StringTable())

    def lists(self, corpus: Corpus) -> tuple[Keys, IntArray, NDArray[np.uint32], Keys]:
        """Look up the gazetteer: classes of words, and of entries that begin at a word, with their lengths."""
        if self.gazetteer is None:
            return _NO_KEYS, _NO_OFFSETS, _NO_LENGTHS, _NO_KEYS
        forms, trie = corpus.column(self.main), self.gazetteer.trie
        entries = trie.entries(forms.strings, forms.codes, corpus.sentences)
        return trie.lists_of_words(forms.strings)[forms.codes], *entries

    @property
    def gazetteer(self) -> Phrases | None:
        """The gazetteer, if there is one."""
        found = self.vocabulary.resources.get("gazetteer")
        return found if isinstance(found, Phrases) else None


def prepare(encoder: FeatureEncoder, corpus: Corpus) -> tuple[_core.AttributeStore, Batch]:
    """Compute the attributes of a corpus."""
    store, batch = encoder.new_store(), encoder.batch(corpus)
    encoder.prepare(store, batch)
    return store, batch


def _rows(encoder: FeatureEncoder, corpus: Corpus, table: _core.FeatureTable) -> tuple[IntArray, NDArray[np.uint32]]:
    """Compute offsets and rows of the features of every token; features are binary, so that values are ignored."""
    store, batch = prepare(encoder, corpus)
    (offsets, rows, _), _ = _core.encode(store, batch.codes, batch.sentences, table, _NO_EDGES)
    return offsets, rows


# -- features of phrases -----------------------------------------------------------------------------------------------


def phrase_keys(data: _core.PhraseData, gold: Gold, longest: int, cutoff: int, entities: Keys) -> Keys:
    """Collect the keys of frequent features of phrases, most frequent first; ``entities`` are always included.

    Counted are the phrases of the data with their beginnings, and all words as phrases of one word.
    """
    begins, insides, categories = gold.flags()
    ones = np.ones_like(begins)
    parts = data.count(begins, insides, categories, longest), data.count(ones, np.zeros_like(ones), categories, 1)
    keys, index = np.unique(np.concatenate([part[0] for part in parts]), return_inverse=True)
    times = np.bincount(index, np.concatenate([part[1] for part in parts]), len(keys))
    frequent = np.flatnonzero(times >= cutoff)
    ordered = keys[frequent[np.argsort(-times[frequent], kind="stable")]]
    return np.concatenate([ordered, np.setdiff1d(entities, ordered)])


_ENTITY = 3  # PhraseFeatures::entity


def list_entity_keys(window: int, categories: int) -> Keys:
    """List the features of phrases to the left: place of a word before the phrase, and its category."""
    places = range(1, window + 1)
    return np.array([compute_entity_key(place, number) for place in places for number in range(categories)], np.uint64)


def compute_entity_key(place: int, category: int) -> int:
    """Compute the key of the feature that the word so many places before has a category."""
    return _core.mix(_core.mix(_ENTITY, place), category)


# -- templates ---------------------------------------------------------------------------------------------------------

_INSIDE = "form[0]\nprefix{1..4}[0]\nsuffix{1..4}[0]\n"
_AROUND = _INSIDE + "orthographic[0]\n"


def choose_templates(columns: Sequence[str], resources: Container[str]) -> dict[str, str]:
    """Choose templates of words and predicates around and inside phrases by columns and resources."""
    extra = "pos[0]\n" if "pos" in columns else ""
    extra += "functional[0]\n" if "functional" in resources else ""
    if "functional" not in resources:
        words = "ner-basic" if "pos" in columns else "words"
    else:
        words = "carreras-2003" if "pos" in columns else "carreras-2003-words"
    return {"templates": words, "around": _AROUND + extra, "inside": _INSIDE}
