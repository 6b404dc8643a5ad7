"""Attributes of a token in its sentence or document that the core computes, from resources or the tokens alone.

There is one row per name; ``fill`` computes the values of all tokens of a batch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from tagloom._core import AttributeStore
from tagloom.features import masking
from tagloom.features.statistics import SIZES

#: The column that holds what a first stage predicts: the probabilities of its labels, for every token.
STAGE = "stage1"

# Arguments: store, number of the attribute, resource, number in its name (0: none), strings, codes, sentence offsets;
# for attributes of documents also their offsets into the sentences. Those of a second stage get the labels of the first
# before the strings: their table, codes, offsets and weights.
Fill = Callable[..., None]


@dataclass(frozen=True)
class Matched:
    """An attribute of a token: its name, the kind of resource it needs, and whether a number follows the name."""

    name: str
    resource: str | None
    number: Literal["none", "may", "must"]
    help: str
    fill: Fill
    numbers: tuple[int, ...] = ()  # legal numbers; (): any
    group: str | None = masking.LISTS  # of word dropout; None: never masked
    of_document: bool = False  # looks beyond the sentence, at the whole document
    of_stage: bool = False  # looks at what a first stage predicts

    def __repr__(self) -> str:
        return f"Matched({self.name!r}, resource={self.resource!r}, number={self.number!r}, help={self.help!r})"


def _phrases(store: AttributeStore, attribute: int, phrases: Any, n: int, *batch: Any) -> None:
    store.match_phrases(attribute, phrases.trie, phrases.names, False, *batch)


def _positions(store: AttributeStore, attribute: int, phrases: Any, n: int, *batch: Any) -> None:
    store.match_phrases(attribute, phrases.trie, phrases.names, True, *batch)


def _cut(backward: bool, sizes: bool = False) -> Fill:
    return lambda store, attribute, words, n, *batch: store.cut_words(attribute, words.trie, backward, sizes, *batch)


def _words(at_end: bool, length_only: bool = False) -> Fill:
    return lambda store, attribute, words, n, *batch: store.find_words(
        attribute, words.trie, at_end, n, length_only, *batch
    )


def _categories(backward: bool) -> Fill:
    return lambda store, attribute, categories, n, *batch: store.find_categories(
        attribute, categories.codes, categories.trie, backward, n, *batch
    )


def _levels(table: str) -> Fill:
    # Mutual information has no number in its name: it is that of two characters. Only "right" looks at their end.
    return lambda store, attribute, statistics, n, *batch: store.find_levels(
        attribute, getattr(statistics, table), n or 2, table == "right", *batch
    )


_LEFT, _RIGHT, _MUTUAL = _levels("left"), _levels("right"), _levels("mutual")


def _vectors(store: AttributeStore, attribute: int, vectors: Any, n: int, *batch: Any) -> None:
    store.find_vectors(attribute, vectors.core, *batch)


def _same(store: AttributeStore, attribute: int, nothing: None, n: int, *batch: Any) -> None:
    store.find_same(attribute, n, *batch)


def _context(store: AttributeStore, attribute: int, nothing: None, n: int, *batch: Any) -> None:
    store.aggregate_context(attribute, None, 0, *batch)


def _context_clusters(store: AttributeStore, attribute: int, clusters: Any, n: int, *batch: Any) -> None:
    store.aggregate_context(attribute, clusters.lookup, n, *batch)


def _kind(store: AttributeStore, attribute: int, nothing: None, n: int, *batch: Any) -> None:
    store.find_document_kinds(attribute, *batch)


def _place(store: AttributeStore, attribute: int, nothing: None, n: int, *batch: Any) -> None:
    store.find_sentence_places(attribute, *batch)


def _case(store: AttributeStore, attribute: int, nothing: None, n: int, *batch: Any) -> None:
    store.find_sentence_cases(attribute, *batch)


def _stage(evidence: int) -> Fill:
    return lambda store, attribute, nothing, n, *batch: store.read_stage(attribute, evidence, *batch)


_ROWS = (
    Matched(
        "same", None, "must", "yes if the token n places to the right is the same word, else none", _same, group=None
    ),
    Matched("gazetteer", "gazetteer", "none", "B-LIST or I-LIST in the longest match of every list", _phrases),
    Matched(
        "gazetteer_bioes",
        "gazetteer",
        "none",
        "S-, B-, I- or E-LIST in the longest match of every list, from a word with a capital or a first digit on",
        _positions,
    ),
    Matched("gazetteer_folded", "gazetteer_folded", "none", "the same, ignoring case", _positions),
    Matched("entities", "entities", "none", "gazetteer for one-character tokens", _phrases),
    Matched("lexicon", "lexicon", "none", "S, B, M, E by forward maximum matching", _cut(False)),
    Matched("lexicon_backward", "lexicon", "none", "S, B, M, E by backward maximum matching", _cut(True)),
    Matched("lexicon_begin", "lexicon", "must", "words of up to n characters that begin here", _words(False)),
    Matched("lexicon_end", "lexicon", "must", "words of up to n characters that end here", _words(True)),
    Matched("lexicon_begin_length", "lexicon", "must", "length of the longest of them", _words(False, True)),
    Matched("lexicon_end_length", "lexicon", "must", "length of the longest of them", _words(True, True)),
    Matched(
        "category", "category", "may", "first n characters of the codes of the word, cut forward", _categories(False)
    ),
    Matched("category_backward", "category", "may", "the same, cut backward", _categories(True)),
    Matched("category_cut", "category", "none", "S, B, M, E by forward maximum matching", _cut(False)),
    Matched("category_cut_backward", "category", "none", "S, B, M, E by backward maximum matching", _cut(True)),
    Matched(
        "category_size", "category", "none", "single or multiple: number of characters of the word", _cut(False, True)
    ),
    Matched("category_size_backward", "category", "none", "the same, cut backward", _cut(True, True)),
    Matched("av_left", "statistics", "must", "left accessor variety of the n characters from here on", _LEFT, SIZES),
    Matched("av_right", "statistics", "must", "right accessor variety of the n characters up to here", _RIGHT, SIZES),
    Matched(
        "context",
        None,
        "none",
        "words and capitals around the other occurrences of the word in the document",
        _context,
        group=masking.CONTEXT,
        of_document=True,
    ),
    Matched(
        "context_brown",
        "brown",
        "may",
        "first n bits of the clusters around these occurrences",
        _context_clusters,
        group=masking.CONTEXT,
        of_document=True,
    ),
    Matched("document_kind", None, "none", "table, mixed, headline or story", _kind, group=None, of_document=True),
    Matched(
        "sentence_place",
        None,
        "none",
        "number of the sentence in the document, up to 5",
        _place,
        group=None,
        of_document=True,
    ),
    Matched(
        "sentence_case",
        None,
        "none",
        "caps, title, mixed or none: how the sentence is written",
        _case,
        group=None,
        of_document=True,
    ),
    Matched(
        "stage_word",
        None,
        "none",
        "types that the first stage predicts for the word elsewhere in the document",
        _stage(0),
        of_document=True,
        group=masking.STAGE,
        of_stage=True,
    ),
    Matched(
        "stage_pair",
        None,
        "none",
        "the same, for the word and the next one together",
        _stage(1),
        of_document=True,
        group=masking.STAGE,
        of_stage=True,
    ),
    Matched(
        "stage_entity",
        None,
        "none",
        "B-TYPE, I-TYPE, E-TYPE, S-TYPE in an entity that it finds elsewhere",
        _stage(2),
        of_document=True,
        group=masking.STAGE,
        of_stage=True,
    ),
    Matched(
        "stage_longer",
        None,
        "none",
        "place and type of the word in longer entities that it finds elsewhere",
        _stage(3),
        of_document=True,
        group=masking.STAGE,
        of_stage=True,
    ),
    Matched(
        "stage_cell",
        None,
        "none",
        "types that it predicts for the name at this place in rows of the same form",
        _stage(4),
        of_document=True,
        group=masking.STAGE,
        of_stage=True,
    ),
    Matched("mi", "statistics", "none", "mutual information with the next character", _MUTUAL),
    Matched(
        "vector",
        "vectors",
        "none",
        "every dimension of the word's vector, weighted with its number",
        _vectors,
        group=masking.CLUSTERS,
    ),
)
MATCHED: dict[str, Matched] = {row.name: row for row in _ROWS}
