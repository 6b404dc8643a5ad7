"""Sentences of Python's as a corpus with the columns that a model reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

import tagloom._core as _core
from tagloom.corpus import Column, Corpus
from tagloom.errors import DataError


def corpus_of(sentences: Sequence[object], names: Sequence[str]) -> Corpus:
    """Lists of words, of rows where there are several columns, or mappings from column to words.

    >>> corpus_of([["He", "left"], []], ["form"]).sentences.tolist()
    [0, 2, 2]
    """
    if isinstance(sentences, str) or not isinstance(sentences, Iterable):
        raise DataError(f"expected a list of sentences, got {sentences!r:.60}")
    rows = [_rows(n, s, names) if isinstance(s, Mapping) else s for n, s in enumerate(sentences, 1)]
    tables = [_core.StringTable() for _ in names]
    try:
        codes, offsets = _core.intern_sentences(tables, rows)
    except ValueError as error:
        raise DataError(f"{error} (this model reads: {' '.join(names)})") from None
    columns = {name: Column(code, table) for name, code, table in zip(names, codes, tables, strict=True)}
    return Corpus(columns, offsets, np.array([0, len(offsets) - 1], np.int64))


def _rows(number: int, sentence: Mapping[str, Iterable[str]], names: Sequence[str]) -> list[object]:
    for name in names:
        if name not in sentence:
            raise DataError(f"sentence {number}: this model reads the columns {' '.join(names)}; missing: {name}")
    columns = [list(sentence[name]) for name in names]
    if len(set(map(len, columns))) > 1:
        lengths = ", ".join(f"{name} {len(column)}" for name, column in zip(names, columns, strict=True))
        raise DataError(f"sentence {number}: the columns differ in length: {lengths}")
    return list(columns[0]) if len(names) == 1 else list(zip(*columns, strict=True))
