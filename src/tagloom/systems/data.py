"""Data that users hand in, as corpora."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from tagloom.corpus import Corpus, from_sentences, read
from tagloom.corpus.normalise import normal_form, normalised
from tagloom.corpus.objects import from_spans
from tagloom.errors import DataError

#: A path, a corpus, pairs of words and labels or of words and spans, columns by name, a data set, a data frame.
Data: TypeAlias = str | os.PathLike[str] | Corpus | Iterable[Any] | Mapping[str, Any]


def to_corpus(
    data: Any,
    columns: str | Sequence[str] | None = None,
    format: str | None = None,  # noqa: A002
    normalise: str | None = None,
) -> Corpus:
    """Convert data of any accepted kind to a corpus."""
    if isinstance(data, (str, os.PathLike)):
        return read(data, format, columns, normalise=normalise)
    corpus = data if isinstance(data, Corpus) else _from_objects(data)
    return corpus if normalise is None else normalised(corpus, normal_form(normalise))


def _from_objects(data: object) -> Corpus:
    if not isinstance(data, Iterable):
        raise _not_data(data)
    rows = list(data)
    if any(_has_spans(pair) for pair in rows):
        return from_spans(rows)
    try:
        pairs = [(words, labels) for words, labels in rows]
    except (TypeError, ValueError):
        raise _not_data(rows) from None
    return from_sentences([words for words, _ in pairs], tags=[labels for _, labels in pairs])


def _not_data(data: object) -> DataError:
    return DataError(f"data: expected (words, labels) pairs, a Corpus, or the path of a file, got {data!r:.60}")


def _has_spans(pair: object) -> bool:
    """Tell whether the second of a pair is a list of tuples, not of labels."""
    if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
        return False
    return isinstance(pair[1], Sequence) and any(isinstance(each, (tuple, list)) for each in pair[1])


def read_training_data(
    data: Any,
    columns: str | Sequence[str] | None = None,
    format: str | None = None,  # noqa: A002
    normalise: str | None = None,
) -> Corpus:
    """Convert data to a corpus; raises :class:`DataError` if there is nothing to learn from."""
    corpus = to_corpus(data, columns, format, normalise)
    if corpus.token_count == 0:
        raise DataError(f"{corpus.source}: no tokens to learn from")
    return corpus
