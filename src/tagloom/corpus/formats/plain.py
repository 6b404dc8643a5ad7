"""Plain text: a sentence a line, tokens between white space; only the column ``form``. The input of a tagger."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tagloom.corpus.corpus import Corpus
from tagloom.corpus.files import decode_lines
from tagloom.corpus.layout import Layout, Names
from tagloom.corpus.writable import by_sentence, chosen, writable_texts

FORBIDDEN = re.compile(r"\s|\0|^$")


def read_text(data: bytes, source: str, layout: Layout) -> Corpus:
    sentences = [words for line in decode_lines(data, source) if (words := line.split())]
    forms = [word for words in sentences for word in words]
    return Corpus.from_columns({"form": forms}, [len(words) for words in sentences], source=source)


def write_text(corpus: Corpus, columns: Names | None) -> str:
    (name,) = chosen(corpus, columns, "text", limit=1)
    return line_text(map(" ".join, by_sentence(corpus, writable_texts(corpus, name, FORBIDDEN, "text"))))


def line_text(lines: Iterable[str]) -> str:
    """A line a sentence."""
    return "".join(f"{line}\n" for line in lines)
