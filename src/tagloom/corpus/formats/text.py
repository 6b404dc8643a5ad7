"""Running text, the input of a model; only the column ``form``.

With a tokenizer, the text is cut line by line, or, if its beginning has blank lines, paragraph by paragraph; the corpus
keeps the text and the places of all tokens. Without one, tokens stand between white space, with one sentence per line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tagloom.corpus.corpus import Column, Corpus
from tagloom.corpus.formats.conll import CONLL, annotate_columns_nbest
from tagloom.corpus.formats.conllu import CONLLU, CONLLU_COLUMNS
from tagloom.corpus.formats.format import Format, choose_columns, get_texts, join_lines, split_sentences
from tagloom.corpus.layers import HEADS, Layer
from tagloom.corpus.layout import SAMPLE_BYTES, Layout, Names
from tagloom.corpus.running_text import cut_text, get_running_text
from tagloom.corpus.streams import Content, Piece

FORBIDDEN = re.compile(r"\s|\0|^$")


def settle_text(piece: Piece, layout: Layout) -> Layout:
    """Find out whether blank lines part the text into paragraphs."""
    if layout.tokenizer is None:
        return layout
    lines = piece.data[:SAMPLE_BYTES].strip().split(b"\n")
    return replace(layout, has_paragraphs=not all(line.strip() for line in lines))


def read_text(piece: Piece, layout: Layout) -> Corpus:
    """Read words."""
    if layout.tokenizer is not None:
        text = piece.decode()
        places = _find_paragraphs(text) if layout.has_paragraphs else _find_lines(text)
        return cut_text(text, places, layout.tokenizer, "form", piece.source)
    sentences = [words for line in piece.lines() if (words := line.split())]
    forms = [word for words in sentences for word in words]
    return Corpus.from_columns({"form": forms}, [len(words) for words in sentences], source=piece.source)


def _find_lines(text: str) -> Iterator[tuple[int, int]]:
    """Find the lines that hold more than white space, without their ends."""
    start = 0
    for line in text.split("\n"):
        if line and not line.isspace():
            yield start, start + len(line) - line.endswith("\r")
        start += len(line) + 1


def _find_paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Find the runs of such lines."""
    first, last = -1, -1
    for start, end in _find_lines(text):
        if first >= 0 and text.count("\n", last, start) > 1:
            yield first, last
            first = -1
        first, last = start if first < 0 else first, end
    if first >= 0:
        yield first, last


def write_text(corpus: Corpus, columns: Names | None) -> str:
    """Write one column, with blanks between words."""
    (name,) = choose_columns(corpus, columns, TEXT.name, limit=1)
    return join_lines(map(" ".join, split_sentences(corpus, get_texts(corpus, name, FORBIDDEN, TEXT.name))))


def annotate_text(corpus: Corpus, predicted: Mapping[str, Column], layers: Sequence[Layer], main: str) -> Content:
    """Write words with their labels as columns; trees, several columns of CoNLL-U and bare tokens as CoNLL-U."""
    return choose_output(corpus, layers).annotate(corpus, predicted, layers, main)


def choose_output(corpus: Corpus, layers: Sequence[Layer]) -> Format:
    """Choose the format in which annotated text is written if the user names none."""
    own = [layer for layer in layers if layer.column in CONLLU_COLUMNS]
    is_treebank = len(own) > 1 or any(layer.kind == HEADS for layer in layers)
    return CONLLU if is_treebank or (not layers and get_running_text(corpus) is not None) else CONLL


TEXT = Format(
    "text",
    "plain text",
    read_text,
    write_text,
    annotate_text,
    annotate_columns_nbest,
    settle=settle_text,
    is_running_text=True,
    width=1,
)
