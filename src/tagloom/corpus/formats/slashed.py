"""``word/TAG`` lines (Brown corpus, People's Daily): a sentence a line; the last slash separates word and tag."""

from __future__ import annotations

import itertools
import re

from tagloom.corpus.corpus import Corpus
from tagloom.corpus.distinct import distinct_strings, spread
from tagloom.corpus.files import decode_lines
from tagloom.corpus.formats.plain import line_text
from tagloom.corpus.layout import Layout, Names
from tagloom.corpus.writable import by_sentence, chosen, writable_texts
from tagloom.errors import DataError

_TOKEN = re.compile(r"[^ \t]+")  # only these are blanks: an ideographic space is a word of People's Daily
_PAIR = re.compile(r"(.+)/([^/]+)", re.DOTALL)
_FORBIDDEN_FORM = re.compile(r"[ \t\r\n\0]|^$")
_FORBIDDEN_TAG = re.compile(r"[ \t\r\n\0/]|^$")


def read_slashed(data: bytes, source: str, layout: Layout) -> Corpus:
    lines = [_TOKEN.findall(line) for line in decode_lines(data, source)]
    distinct, codes = distinct_strings(itertools.chain.from_iterable(lines))
    pairs = [_PAIR.fullmatch(token) for token in distinct]
    if None in pairs:
        raise _malformed(source, lines, distinct[pairs.index(None)])
    forms, tags = zip(*(pair.groups() for pair in pairs if pair)) if pairs else ((), ())
    columns = {"form": spread(forms, codes), "label": spread(tags, codes)}
    return Corpus.from_columns(columns, [len(tokens) for tokens in lines if tokens], source=source)


def _malformed(source: str, lines: list[list[str]], token: str) -> DataError:
    number = next(n for n, tokens in enumerate(lines, 1) if token in tokens)
    return DataError(f"{source}:{number}: expected word/TAG, found {token!r}")


def write_slashed(corpus: Corpus, columns: Names | None) -> str:
    form, tag = chosen(corpus, columns, "slashed", limit=2)
    forms = writable_texts(corpus, form, _FORBIDDEN_FORM, "slashed")
    tags = writable_texts(corpus, tag, _FORBIDDEN_TAG, "slashed")
    return line_text(map(" ".join, by_sentence(corpus, list(map("/".join, zip(forms, tags))))))
