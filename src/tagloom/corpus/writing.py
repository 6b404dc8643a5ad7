"""Writing a corpus: to a path, by way of a temporary file, or to a stream; or to a string."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from tagloom.corpus.compression import COMPRESSIONS
from tagloom.corpus.corpus import Corpus
from tagloom.corpus.files import Target, store
from tagloom.corpus.formats import FORMATS, format_named
from tagloom.corpus.layout import column_names


def write(
    corpus: Corpus,
    target: Target,
    format: str | None = None,  # noqa: A002
    columns: str | Sequence[str] | None = None,
) -> None:
    """Write a corpus to a path (``-``: stdout; compressed if it ends in ``.gz`` or ``.xz``) or stream.

    Without ``format`` the name decides (``x.jsonl``, ``x.conllu.gz``), else the format the corpus was read from, else
    ``conll``. ``columns`` chooses columns and their order. A file that exists is replaced only by a complete one.
    """
    store(target, to_string(corpus, format or format_for(corpus, target), columns))


def to_string(corpus: Corpus, format: str, columns: str | Sequence[str] | None = None) -> str:  # noqa: A002
    """The corpus as text.

    >>> to_string(Corpus.from_columns({"form": ["He", "left"], "label": ["PRP", "VBD"]}, [2]), "slashed")
    'He/PRP left/VBD\\n'
    """
    return format_named(format).write(corpus, column_names(columns))


def format_for(corpus: Corpus, target: Target) -> str:
    """The format in which a corpus is written to a target, if none is named."""
    if isinstance(target, (str, os.PathLike)):
        path = Path(target)
        name = (path.with_suffix("") if path.suffix in COMPRESSIONS else path).suffix[1:]
        if name in FORMATS:
            return name
    return str(corpus.extras.get("format", "conll"))
