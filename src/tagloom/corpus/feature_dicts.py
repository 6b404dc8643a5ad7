"""Corpora from feature dicts, the input of python-crfsuite and sklearn-crfsuite: tokens come with their attributes.

A sequence is a list of items, and an item stands for one token. It is a dict, or any other collection of strings:

===============================  ==============================
``["a", "b"]``                   ``a`` and ``b``, each with 1.0
``{"a": 0.5}``                   ``a`` with 0.5
``{"a": True, "b": False}``      ``a`` with 1.0, ``b`` with 0.0
``{"a": "x"}``                   ``a:x`` with 1.0
``{"a": ["x", "y"]}``            ``a:x`` and ``a:y``, with 1.0
``{"a": {"b": 2, "c": "x"}}``    ``a:b`` with 2.0, ``a:c:x`` with 1.0
===============================  ==============================
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

import tagloom._core as _core
from tagloom.arguments import is_iterable
from tagloom.corpus.corpus import Column, Corpus, IntArray
from tagloom.errors import DataError, show_value

LABEL, ATTRIBUTES = "label", "attributes"


def from_feature_dicts(sequences: Iterable[Any], labels: Iterable[Sequence[str]] | None = None) -> Corpus:
    """Build a corpus from sequences of feature dicts.

    Args:
        sequences: One list of items per sentence. An item is a dict, or a collection of strings. Objects with a method
            ``items()`` that returns a list of items, such as ``ItemSequence``, are sequences, too.
        labels: One list of labels per sentence, if there are any.

    Returns:
        A corpus with the bag column ``attributes``, and with the column ``label`` before it if there are labels.

    Raises:
        DataError: Something has another type, a value is not a finite number, or the lengths differ.

    >>> corpus = from_feature_dicts([[{"word": "He", "bias": 1}, ["word:left"]]], [["PRP", "VBD"]])
    >>> corpus.names, corpus.column("attributes").strings.strings()
    (['label', 'attributes'], ['word:He', 'bias', 'word:left'])
    """
    if not is_iterable(sequences):
        raise DataError(f"expected a list of sentences, each a list of feature dicts; got {show_value(sequences)}")
    strings = _core.StringTable()
    try:
        codes, values, offsets, sentences = _core.intern_items(strings, sequences)
    except ValueError as error:
        raise DataError(str(error)) from None
    columns = {} if labels is None else {LABEL: _read_labels(labels, sentences)}
    columns[ATTRIBUTES] = Column(codes, strings, offsets, values)
    return Corpus(columns, sentences, np.array([0, len(sentences) - 1], np.int64))


def _read_labels(labels: Iterable[Sequence[str]], sentences: IntArray) -> Column:
    strings = _core.StringTable()
    try:
        lists = [row if isinstance(row, (list, tuple, str)) else list(row) for row in labels]
        (codes,), bounds = _core.intern_sentences([strings], lists)
    except (TypeError, ValueError) as error:
        raise DataError(f"labels: {error}") from None
    if len(bounds) != len(sentences):
        raise DataError(f"{len(sentences) - 1} sentences of feature dicts, but {len(bounds) - 1} lists of labels")
    for number, (tokens, own) in enumerate(zip(np.diff(sentences).tolist(), np.diff(bounds).tolist()), 1):
        if tokens != own:
            raise DataError(f"sentence {number}: {tokens} tokens, but {own} labels")
    return Column(codes, strings)
