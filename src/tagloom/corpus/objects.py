"""Corpora from Python objects: lists of sentences, and the dicts of Hugging Face datasets."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable, Mapping, Sequence, Sized
from typing import Any

from tagloom.corpus.corpus import Corpus
from tagloom.corpus.layout import check_width, choose_names, split_names
from tagloom.corpus.spans import check_spans, encode_spans
from tagloom.errors import ConfigError, DataError, unknown_name

_MEMORY = "<memory>"


def from_sentences(
    sentences: Iterable[Sequence[str] | Sequence[Sequence[str]]],
    tags: Iterable[Sequence[str]] | None = None,
    columns: str | Sequence[str] | None = None,
) -> Corpus:
    """A corpus from lists of words, of (word, ..., label) tuples, or of words with parallel lists of tags.

    >>> from_sentences([["He", "left"], ["Yes"]]).names
    ['form']
    >>> from_sentences([[("He", "PRP"), ("left", "VBD")]]).sentence(0, "label")
    ['PRP', 'VBD']
    >>> from_sentences([["He", "left"]], tags=[["O", "O"]], columns="form ner").names
    ['form', 'ner']
    """
    rows = list(sentences)
    for number, row in enumerate(rows, 1):
        if isinstance(row, str):
            raise DataError(f"{_MEMORY}: sentence {number} is a string, expected a list of tokens; split it first")
        if not isinstance(row, Sized):
            raise DataError(f"{_MEMORY}: sentence {number}: expected a list of tokens, got {row!r:.60}")
    lengths = list(map(len, rows))
    flat = list(itertools.chain.from_iterable(rows))
    fields: list[Any] = _transposed(flat) if tags is None else [flat, _parallel(lengths, tags, "tags")]
    names = split_names(columns) or choose_names(len(fields))
    check_width(names, len(fields), _MEMORY)
    return Corpus.from_columns(dict(zip(names, fields)), lengths)


def from_spans(pairs: Iterable[tuple[Sequence[str], Iterable[tuple[int, int, str]]]]) -> Corpus:
    """A corpus from pairs of words and spans (start, stop, category): columns form and label, in IOB2.

    >>> from_spans([(["in", "New", "York"], [(1, 3, "LOC")])]).sentence(0, "label")
    ['O', 'B-LOC', 'I-LOC']
    """
    sentences, tags = [], []
    for number, pair in enumerate(pairs, 1):
        match pair:
            case [words, spans] if isinstance(words, Sequence) and not isinstance(words, str):
                sentences.append(words)
            case _:
                raise DataError(f"{_MEMORY}: sentence {number}: expected words and spans, got {pair!r:.60}")
        tags.append(encode_spans(check_spans(spans, len(words), f"{_MEMORY}: sentence {number}"), len(words)))
    return from_sentences(sentences, tags)


def from_hf(
    data: Mapping[str, Any] | Iterable[Mapping[str, Any]],
    names: Any = None,
    *,
    tokens: str = "tokens",
    tags: str | None = "ner_tags",
) -> Corpus:
    """A corpus from a dict of lists, a list of row dicts, or a ``datasets.Dataset``.

    ``names`` turns integer tags into strings: a list, or the dataset's own ``features["ner_tags"]``. Without
    ``tags`` only the tokens are taken.

    >>> from_hf({"tokens": [["Bonn"]], "ner_tags": [[1]]}, names=["O", "B-LOC"]).sentence(0, "label")
    ['B-LOC']
    """
    rows = data if isinstance(data, Mapping) else list(data)
    sentences = _field(rows, tokens)
    if tags is None:
        return from_sentences(sentences)
    classes = _class_names(names)
    return from_sentences(sentences, [[_tag_name(tag, classes) for tag in row] for row in _field(rows, tags)])


def _transposed(flat: list[Any]) -> list[Any]:
    """Columns of tokens that are strings, or tuples of one length."""
    if not flat or isinstance(flat[0], str):
        return [flat]
    width = len(flat[0])
    for number, token in enumerate(flat, 1):
        if isinstance(token, str) or len(token) != width:
            raise DataError(f"{_MEMORY}: token {number} is {token!r}, expected {width} fields like the first token")
    return list(zip(*flat))


def _parallel(lengths: Sequence[int], tags: Iterable[Sequence[str]], what: str) -> list[str]:
    lists = list(tags)
    if len(lists) != len(lengths):
        raise DataError(f"{_MEMORY}: {len(lengths)} sentences, but {len(lists)} lists of {what}")
    for number, (row, length) in enumerate(zip(lists, lengths), 1):
        if len(row) != length:
            raise DataError(f"{_MEMORY}: sentence {number} has {length} tokens, but {len(row)} {what}")
    return list(itertools.chain.from_iterable(lists))


def _field(rows: Mapping[str, Any] | list[Mapping[str, Any]], name: str) -> list[Any]:
    try:
        return list(rows[name]) if isinstance(rows, Mapping) else [row[name] for row in rows]
    except KeyError:
        known = rows if isinstance(rows, Mapping) else rows[0]
        raise unknown_name("field", name, known) from None


def _class_names(names: Any) -> list[str] | None:
    """The names of integer classes: a list, a ClassLabel (``.names``) or a sequence of them (``.feature.names``)."""
    names = getattr(names, "feature", names)
    names = getattr(names, "names", names)
    return None if names is None else list(names)


def _tag_name(tag: Any, classes: list[str] | None) -> str:
    if isinstance(tag, str):
        return tag
    if classes is None:
        raise ConfigError("integer tags need names: pass names=, a list or the dataset's features")
    number = operator.index(tag)
    if not 0 <= number < len(classes):
        raise DataError(f"{_MEMORY}: tag {number} has no name, expected 0 to {len(classes) - 1}")
    return classes[number]
