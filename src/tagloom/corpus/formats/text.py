"""Plain text: one sentence per line, tokens between white space; only the column ``form``. The input of a tagger."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tagloom.corpus.corpus import Column, Corpus
from tagloom.corpus.formats.conll import annotate_columns, annotate_columns_nbest
from tagloom.corpus.formats.conllu import annotate_treebank
from tagloom.corpus.formats.format import Format, choose_columns, get_texts, join_lines, split_sentences
from tagloom.corpus.layers import HEADS, Layer
from tagloom.corpus.layout import Layout, Names
from tagloom.corpus.streams import Piece

FORBIDDEN = re.compile(r"\s|\0|^$")


def read_text(piece: Piece, layout: Layout) -> Corpus:
    """Read words."""
    sentences = [words for line in piece.lines() if (words := line.split())]
    forms = [word for words in sentences for word in words]
    return Corpus.from_columns({"form": forms}, [len(words) for words in sentences], source=piece.source)


def write_text(corpus: Corpus, columns: Names | None) -> str:
    """Write one column, with blanks between words."""
    (name,) = choose_columns(corpus, columns, TEXT.name, limit=1)
    return join_lines(map(" ".join, split_sentences(corpus, get_texts(corpus, name, FORBIDDEN, TEXT.name))))


def annotate_text(corpus: Corpus, predicted: Mapping[str, Column], layers: Sequence[Layer], main: str) -> str:
    """Write words with their labels as columns, words with their trees as CoNLL-U."""
    annotate = annotate_treebank if any(layer.kind == HEADS for layer in layers) else annotate_columns
    return annotate(corpus, predicted, layers, main)


TEXT = Format(
    "text", "plain text", read_text, write_text, annotate_text, annotate_columns_nbest, is_running_text=True, width=1
)
