"""``word/TAG`` lines (Brown corpus, People's Daily): one sentence per line; the last slash separates word and tag."""

from __future__ import annotations

import itertools
import re

from tagloom.corpus.corpus import Corpus, distinct_strings, spread
from tagloom.corpus.formats.conll import annotate_columns, annotate_columns_nbest
from tagloom.corpus.formats.format import Format, choose_columns, get_texts, join_lines, split_sentences
from tagloom.corpus.layout import Layout, Names
from tagloom.corpus.streams import Piece
from tagloom.errors import DataError

_TOKEN = re.compile(r"[^ \t]+")  # only these are blanks: an ideographic space is a word of People's Daily
_PAIR = re.compile(r"(.+)/([^/]+)", re.DOTALL)
_FORBIDDEN_FORM = re.compile(r"[ \t\r\n\0]|^$")
_FORBIDDEN_TAG = re.compile(r"[ \t\r\n\0/]|^$")


def read_slashed(piece: Piece, layout: Layout) -> Corpus:
    """Read words and tags."""
    lines = [_TOKEN.findall(line) for line in piece.lines()]
    distinct, codes = distinct_strings(itertools.chain.from_iterable(lines))
    pairs = [_PAIR.fullmatch(token) for token in distinct]
    if None in pairs:
        raise _build_error_of_line(piece, lines, distinct[pairs.index(None)])
    forms, tags = zip(*(pair.groups() for pair in pairs if pair)) if pairs else ((), ())
    columns = {"form": spread(forms, codes), "label": spread(tags, codes)}
    return Corpus.from_columns(columns, [len(tokens) for tokens in lines if tokens], source=piece.source)


def _build_error_of_line(piece: Piece, lines: list[list[str]], token: str) -> DataError:
    number = next(n for n, tokens in enumerate(lines, 1) if token in tokens)
    return DataError(f"{piece.place(number)}: expected word/TAG, found {token!r}")


def write_slashed(corpus: Corpus, columns: Names | None) -> str:
    """Write two columns, words and tags."""
    form, tag = choose_columns(corpus, columns, SLASHED.name, limit=2)
    forms = get_texts(corpus, form, _FORBIDDEN_FORM, SLASHED.name)
    tags = get_texts(corpus, tag, _FORBIDDEN_TAG, SLASHED.name)
    return join_lines(map(" ".join, split_sentences(corpus, list(map("/".join, zip(forms, tags))))))


SLASHED = Format(
    "slashed", "word/TAG lines", read_slashed, write_slashed, annotate_columns, annotate_columns_nbest, width=2
)
