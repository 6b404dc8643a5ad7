"""Data that users hand in, as corpora."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from tagloom.corpus import Corpus
from tagloom.corpus.objects import to_corpus as to_corpus
from tagloom.errors import DataError
from tagloom.text import Tokenizer

#: A path, a corpus, pairs of words and labels or of words and spans, columns by name, a data set, a data frame.
Data: TypeAlias = str | os.PathLike[str] | Corpus | Iterable[Any] | Mapping[str, Any]


def read_training_data(
    data: Any, columns: str | Sequence[str] | None = None, format: str | None = None,  # noqa: A002
    normalise: str | None = None, tokenizer: Tokenizer | None = None,
) -> Corpus:  # fmt: skip
    """Convert data to a corpus; raises :class:`DataError` if there is nothing to learn from."""
    corpus = to_corpus(data, columns, format, normalise, tokenizer)
    if corpus.token_count == 0:
        raise DataError(f"{corpus.source}: no tokens to learn from")
    return corpus
