"""Corpora from lists: sentences of words or tuples, pairs of words and labels or spans, sentences for a model."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence, Sized
from typing import Any

import numpy as np

import tagloom._core as _core
from tagloom.corpus.corpus import Column, Corpus
from tagloom.corpus.layout import ColumnNames, check_width, choose_names, split_names
from tagloom.corpus.spans import check_spans, encode_spans
from tagloom.errors import DataError

MEMORY = "<memory>"


def from_sentences(
    sentences: Iterable[Sequence[str] | Sequence[Sequence[str]]],
    tags: Iterable[Sequence[str]] | None = None,
    columns: ColumnNames = None,
) -> Corpus:
    """Build a corpus from lists of words, of (word, ..., label) tuples, or of words with parallel lists of tags.

    >>> from_sentences([["He", "left"], ["Yes"]]).names
    ['form']
    >>> from_sentences([[("He", "PRP"), ("left", "VBD")]]).sentence(0, "label")
    ['PRP', 'VBD']
    >>> from_sentences([["He", "left"]], tags=[["O", "O"]], columns="form ner").names
    ['form', 'ner']
    """
    rows: list[Any] = [_check_sentence(number, row) for number, row in enumerate(sentences, 1)]
    lengths = list(map(len, rows))
    flat = list(itertools.chain.from_iterable(rows))
    fields: list[Any] = _transpose(flat) if tags is None else [flat, check_parallel(lengths, tags, "tags")]
    names = split_names(columns) or choose_names(len(fields))
    check_width(names, len(fields), MEMORY)
    return Corpus.from_columns(dict(zip(names, fields)), lengths)


def _check_sentence(number: int, row: object) -> Sized:
    if isinstance(row, str):
        raise DataError(f"{MEMORY}: sentence {number} is a string, expected a list of tokens; split it first")
    if isinstance(row, bytes) or not isinstance(row, Iterable):
        raise DataError(f"{MEMORY}: sentence {number}: expected a list of tokens, got {row!r:.60}")
    return row if isinstance(row, Sized) else list(row)


def _transpose(flat: list[Any]) -> list[Any]:
    """Turn tokens that are strings, or tuples of one length, into columns."""
    if not flat or isinstance(flat[0], str):
        return [flat]
    if not isinstance(flat[0], Sequence):
        raise DataError(f"{MEMORY}: token 1 is {flat[0]!r:.60}, expected a word or a tuple of strings")
    width = len(flat[0])
    for number, token in enumerate(flat, 1):
        if isinstance(token, str) or not isinstance(token, Sequence) or len(token) != width:
            raise DataError(f"{MEMORY}: token {number} is {token!r}, expected {width} fields like the first token")
    return list(zip(*flat))


def check_parallel(lengths: Sequence[int], tags: Iterable[Sequence[str]], what: str) -> list[str]:
    """Join lists that have one string per token; raise DataError if one has another length than its sentence."""
    lists = list(tags)
    if len(lists) != len(lengths):
        raise DataError(f"{MEMORY}: {len(lengths)} sentences, but {len(lists)} lists of {what}")
    for number, (row, length) in enumerate(zip(lists, lengths), 1):
        if len(row) != length:
            raise DataError(f"{MEMORY}: sentence {number} has {length} tokens, but {len(row)} {what}")
    return list(itertools.chain.from_iterable(lists))


def are_pairs(items: list[Any]) -> bool:
    """Tell pairs of words and labels from sentences of two tokens: a token is a tuple, and a sentence a list."""
    if not items:
        return False
    if isinstance(items[0], tuple) and len(items[0]) == 2 and is_list(items[0][0]):
        return True
    return all(
        isinstance(item, Sequence)
        and not isinstance(item, str)
        and len(item) == 2
        and is_list(item[0])
        and not (isinstance(item, list) and isinstance(item[0], tuple))
        for item in items
    )


def from_pairs(pairs: list[Any], columns: ColumnNames) -> Corpus:
    """Build a corpus from pairs of words and labels, or of words and spans."""
    lists: list[tuple[Any, Any]] = []
    for number, pair in enumerate(pairs, 1):
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2 or not all(map(is_list, pair)):
            where = f"{MEMORY}: sentence {number}"
            raise DataError(f"{where}: expected (words, labels) or (words, spans) like the first, got {pair!r:.60}")
        words, labels = (part if isinstance(part, Sequence) else list(part) for part in pair)
        lists.append((words, labels))
    if any(not isinstance(label, str) for _, labels in lists for label in labels):
        return from_spans(lists, columns)
    return from_sentences([words for words, _ in lists], [labels for _, labels in lists], columns)


def from_spans(pairs: Iterable[tuple[Sequence[str], Iterable[Any]]], columns: ColumnNames = None) -> Corpus:
    """Build a corpus from pairs of words and spans (start, stop, category): columns form and label, in IOB2.

    >>> from_spans([(["in", "New", "York"], [(1, 3, "LOC")])]).sentence(0, "label")
    ['O', 'B-LOC', 'I-LOC']
    """
    sentences, tags = [], []
    for number, pair in enumerate(pairs, 1):
        match pair:
            case [words, spans] if isinstance(words, Sequence) and not isinstance(words, str):
                sentences.append(words)
            case _:
                raise DataError(f"{MEMORY}: sentence {number}: expected words and spans, got {pair!r:.60}")
        tags.append(encode_spans(check_spans(spans, len(words), f"{MEMORY}: sentence {number}"), len(words)))
    return from_sentences(sentences, tags, columns)


def rows_to_corpus(sentences: Any, names: Sequence[str]) -> Corpus:
    """Build a corpus with the columns that a model reads.

    Args:
        sentences: Lists of words, of rows if there are several columns, or mappings from column to words.
        names: The columns.

    >>> rows_to_corpus([["He", "left"], []], ["form"]).sentences.tolist()
    [0, 2, 2]
    """
    if isinstance(sentences, (str, bytes)) or not isinstance(sentences, Iterable):
        raise DataError(f"expected a list of sentences, got {sentences!r:.60}")
    rows = [_read_rows(number, sentence, names) for number, sentence in enumerate(sentences, 1)]
    tables = [_core.StringTable() for _ in names]
    try:
        codes, offsets = _core.intern_sentences(tables, rows)
    except ValueError as error:
        raise DataError(f"{error} (this model reads: {' '.join(names)})") from None
    columns = {name: Column(code, table) for name, code, table in zip(names, codes, tables, strict=True)}
    return Corpus(columns, offsets, np.array([0, len(offsets) - 1], np.int64))


def _read_rows(number: int, sentence: Any, names: Sequence[str]) -> Any:
    if not isinstance(sentence, Mapping):
        return sentence if isinstance(sentence, (Sized, str)) or not isinstance(sentence, Iterable) else list(sentence)
    for name in names:
        if name not in sentence:
            raise DataError(f"sentence {number}: this model reads the columns {' '.join(names)}; missing: {name}")
        if not is_list(sentence[name]):
            raise DataError(f"sentence {number}: expected a list of words as column {name!r}")
    columns = [list(sentence[name]) for name in names]
    if len(set(map(len, columns))) > 1:
        lengths = ", ".join(f"{name} {len(column)}" for name, column in zip(names, columns, strict=True))
        raise DataError(f"sentence {number}: the columns differ in length: {lengths}")
    return columns[0] if len(names) == 1 else list(zip(*columns, strict=True))


def is_list(value: object) -> bool:
    """Check for a list of any kind, but not a string or a mapping."""
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping))
