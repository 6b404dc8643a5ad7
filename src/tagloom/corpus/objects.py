"""Corpora from whatever a user has: paths and streams, lists of sentences, records, data sets, data frames.

Data sets and data frames are known by what they can do, so neither library is imported.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from tagloom.corpus.corpus import Corpus
from tagloom.corpus.io import read
from tagloom.corpus.layout import ColumnNames
from tagloom.corpus.normalise import normal_form, normalise_corpus
from tagloom.corpus.sentences import are_pairs, from_pairs, from_sentences
from tagloom.corpus.tables import build_from_columns, from_frame, from_records
from tagloom.errors import DataError

_ACCEPTED = (
    "a path, an open file, a Corpus, a list of sentences, of (words, labels) or (words, spans) pairs or of records, "
    "a dict of columns, a Hugging Face Dataset or a pandas DataFrame"
)


def to_corpus(
    data: Any,
    columns: ColumnNames = None,
    format: str | None = None,  # noqa: A002
    normalise: str | None = None,
) -> Corpus:
    """Turn data into a corpus.

    Args:
        data: A path, an open stream, a Corpus; sentences as lists of words or of (word, ..., label) tuples; pairs of
            words and labels, or of words and spans (start, stop, category); records like the lines of a JSONL file;
            a dict of columns with one list per sentence; a Hugging Face ``Dataset``; a pandas ``DataFrame`` with one
            row per token and a column such as ``sentence_id``, or with one row per sentence and lists in its cells.
            Lists may be iterators, which are consumed.
        columns: Names of the columns. Of dicts, data sets and data frames: which columns to take.
        format: Format of a path or stream; found in the content by default.
        normalise: Unicode normal form of the words, NFC or NFKC.

    Returns:
        The corpus; without labels if the data has none.

    Raises:
        DataError: The data is of another kind, or its parts do not fit together.

    >>> to_corpus([(["He", "left"], ["PRP", "VBD"])]).sentence(0, "label")
    ['PRP', 'VBD']
    >>> to_corpus([(["in", "Bonn"], [(1, 2, "LOC")])]).sentence(0, "label")
    ['O', 'B-LOC']
    >>> to_corpus({"form": [["He", "left"], ["Yes"]]})
    <Corpus <memory>: 2 sentences, 3 tokens, columns form>
    """
    if isinstance(data, (str, os.PathLike)) or hasattr(data, "read"):
        return read(data, format, columns, normalise=normalise)
    corpus = _from_objects(data, columns)
    if normalise is None:
        return corpus
    return normalise_corpus(corpus, normal_form(normalise))


def _from_objects(data: Any, columns: ColumnNames) -> Corpus:
    if isinstance(data, Corpus):
        return data
    if hasattr(data, "iloc") and hasattr(data, "columns"):
        return from_frame(data, columns)
    if hasattr(data, "column_names") and hasattr(data, "features"):
        return build_from_columns({name: list(data[name]) for name in data.column_names}, columns, data.features or {})
    if isinstance(data, Mapping):
        splits = [name for name, value in data.items() if hasattr(value, "column_names") or hasattr(value, "iloc")]
        if splits:
            raise DataError(f"expected one data set, got a dict of them; choose one, such as data[{splits[0]!r}]")
        return build_from_columns(data, columns)
    if isinstance(data, bytes) or not isinstance(data, Iterable):
        raise DataError(f"expected {_ACCEPTED}; got {data!r:.60}")
    return _from_list(list(data), columns)


def _from_list(items: list[Any], columns: ColumnNames) -> Corpus:
    """Build a corpus from records, pairs, or sentences of words or tuples."""
    if items and all(isinstance(item, Mapping) for item in items):
        return from_records(items, columns)
    if are_pairs(items):
        return from_pairs(items, columns)
    return from_sentences(items, columns=columns)
