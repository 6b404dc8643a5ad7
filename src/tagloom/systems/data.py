"""Data that users hand in, as corpora."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from tagloom.corpus import Corpus, read_batches
from tagloom.corpus.objects import to_corpus as to_corpus
from tagloom.corpus.spill import spill_batches
from tagloom.errors import DataError
from tagloom.text import Tokenizer

#: A path, a corpus, pairs of words and labels or of words and spans, columns by name, a data set, a data frame.
Data: TypeAlias = str | os.PathLike[str] | Corpus | Iterable[Any] | Mapping[str, Any]


def read_training_data(
    data: Any, columns: str | Sequence[str] | None = None, format: str | None = None,  # noqa: A002
    normalise: str | None = None, tokenizer: Tokenizer | None = None, *, on_disk: bool = False,
) -> Corpus:  # fmt: skip
    """Convert data to a corpus; raises :class:`DataError` if there is nothing to learn from.

    With ``on_disk``, a file is read in batches, and the columns of the corpus are in temporary files.
    """
    if on_disk and isinstance(data, (str, os.PathLike)):
        corpus = spill_batches(read_batches(data, format, columns, normalise=normalise, tokenizer=tokenizer))
    else:
        corpus = to_corpus(data, columns, format, normalise, tokenizer)
    if corpus.token_count == 0:
        raise DataError(f"{corpus.source}: no tokens to learn from")
    return corpus
