"""What a text format can hold: the columns chosen for writing, and strings it would not read back, refused."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from tagloom.corpus.corpus import Corpus
from tagloom.corpus.layout import Names
from tagloom.errors import ConfigError, DataError


def chosen(corpus: Corpus, columns: Names | None, format_name: str, limit: int | None = None) -> Names:
    """Names of the columns to write: those asked for, else all; the format holds ``limit`` of them."""
    names = tuple(corpus.names) if columns is None else columns
    if limit is not None and len(names) != limit:
        raise ConfigError(
            f"{corpus.source}: {format_name} holds {limit} column{'s' * (limit > 1)}, got {len(names)} "
            f"({' '.join(names)}); choose with columns="
        )
    return names


def writable_texts(
    corpus: Corpus, name: str, forbidden: re.Pattern[str], format_name: str, hint: str = ""
) -> list[str]:
    """The strings of a column, one a token, none of which matches ``forbidden``."""
    column = corpus.column(name)
    if column.is_bag:
        raise DataError(f"{corpus.source}: column {name!r} holds several strings a token; only crfsuite files can")
    refuse_strings(corpus, name, forbidden, format_name, hint)
    return column.texts()


def refuse_strings(corpus: Corpus, name: str, forbidden: re.Pattern[str], format_name: str, hint: str = "") -> None:
    """Raise on a string in use that matches (the table may hold more than the codes use)."""
    column = corpus.column(name)
    for code in np.unique(column.codes).tolist():
        text = column.strings[code]
        if forbidden.search(text):
            raise DataError(f"{corpus.source}: {format_name} cannot hold {text!r} of column {name!r}{hint}")


def by_sentence(corpus: Corpus, items: list[str]) -> Iterator[list[str]]:
    """One item a token, cut into sentences."""
    for start, stop in itertools.pairwise(corpus.sentences.tolist()):
        yield items[start:stop]


def block_text(sentences: Iterable[list[str]], heads: Mapping[int, str] | None = None) -> str:
    """A line a token and a blank line after each sentence; ``heads`` stand before the sentence of their number.

    A sentence without tokens leaves no trace: blank lines cannot tell it.
    """
    blocks = ["\n".join(lines) + "\n\n" if lines else "" for lines in sentences]
    for number, head in (heads or {}).items():
        if number < len(blocks):
            blocks[number] = head + blocks[number]
        else:
            blocks.append(head)
    return "".join(blocks)
