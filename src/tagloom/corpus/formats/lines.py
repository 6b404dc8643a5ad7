"""Writing text line by line: the columns to write, strings that a format would not read back, and joined lines."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from tagloom.corpus.corpus import Corpus
from tagloom.corpus.layout import Names
from tagloom.errors import ConfigError, DataError


def choose_columns(corpus: Corpus, columns: Names | None, format_name: str, limit: int | None = None) -> Names:
    """Get the names of the columns to write: those that were asked for, or all; the format holds ``limit`` of them."""
    names = tuple(corpus.names) if columns is None else columns
    if limit is not None and len(names) != limit:
        raise ConfigError(
            f"{corpus.source}: {format_name} holds {limit} column{'s' * (limit > 1)}, got {len(names)} "
            f"({' '.join(names)}); choose with columns="
        )
    return names


def get_texts(corpus: Corpus, name: str, forbidden: re.Pattern[str], format_name: str, hint: str = "") -> list[str]:
    """Get one string per token of a column; raise DataError if one of them matches ``forbidden``."""
    column = corpus.column(name)
    if column.is_bag:
        raise DataError(
            f"{corpus.source}: column {name!r} holds several strings per token; write it in the format it was read from"
        )
    refuse_strings(corpus, name, forbidden, format_name, hint)
    return column.texts()


def refuse_strings(corpus: Corpus, name: str, forbidden: re.Pattern[str], format_name: str, hint: str = "") -> None:
    """Raise DataError on a string in use that matches (the table may hold more than the codes use)."""
    column = corpus.column(name)
    for code in np.unique(column.codes).tolist():
        text = column.strings[code]
        if forbidden.search(text):
            raise DataError(f"{corpus.source}: {format_name} cannot hold {text!r} of column {name!r}{hint}")


def split_sentences(corpus: Corpus, items: list[str]) -> Iterator[list[str]]:
    """Cut one item per token into sentences."""
    for start, stop in itertools.pairwise(corpus.sentences.tolist()):
        yield items[start:stop]


def join_lines(lines: Iterable[str]) -> str:
    """Join sentences, one per line."""
    return "".join(f"{line}\n" for line in lines)


def join_blocks(sentences: Iterable[list[str]], heads: Mapping[int, str] | None = None) -> str:
    """Join tokens, one per line, with a blank line after each sentence.

    Args:
        sentences: The lines of each sentence. One without tokens leaves no trace: blank lines cannot show it.
        heads: Lines that stand before the sentence of their number.
    """
    blocks = ["\n".join(lines) + "\n\n" if lines else "" for lines in sentences]
    for number, head in (heads or {}).items():
        if number < len(blocks):
            blocks[number] = head + blocks[number]
        else:
            blocks.append(head)
    return "".join(blocks)
