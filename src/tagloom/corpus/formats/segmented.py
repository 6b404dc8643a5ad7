"""Segmented text (SIGHAN bakeoffs): one sentence per line, blanks between words; read as characters with BMES labels.

Blanks are what Unicode calls white space, so the ideographic space separates words too.
"""

from __future__ import annotations

import re

import numpy as np

from tagloom.corpus.corpus import Corpus, spread
from tagloom.corpus.formats.conll import annotate_columns, annotate_columns_nbest
from tagloom.corpus.formats.format import Format, choose_columns, get_texts, join_lines, split_sentences
from tagloom.corpus.formats.text import FORBIDDEN
from tagloom.corpus.layout import Layout, Names
from tagloom.corpus.normalise import normalise_words
from tagloom.corpus.schemes import BMES
from tagloom.corpus.spans import Spans, decode_spans, label_spans
from tagloom.corpus.streams import Piece

_NOT_BMES = re.compile(r"^(?![BMES]\Z)", re.DOTALL)
_HINT = ", expected B, M, E or S; to write each token as a word, choose one column with columns="


def read_segmented(piece: Piece, layout: Layout) -> Corpus:
    """Read words as characters with labels."""
    lines = [words for line in piece.lines() if (words := line.split())]
    flat = normalise_words((word for words in lines for word in words), layout.normal_form)
    sizes = np.array(list(map(len, flat)), dtype=np.int64)
    stops = np.cumsum(sizes)
    zeros = np.zeros(len(flat), dtype=np.int32)
    characters = "".join(flat)
    labels = spread(*label_spans(Spans(zeros, stops - sizes, stops, zeros, [""]), len(characters), BMES))
    ends = np.cumsum([0, *map(len, lines)])
    lengths = np.diff(np.concatenate([[0], stops])[ends]).tolist()
    return Corpus.from_columns({"form": characters, "label": labels}, lengths, source=piece.source)


def write_segmented(corpus: Corpus, columns: Names | None) -> str:
    """Write words with two blanks between them.

    Tokens are joined to words by a column of BMES labels; if only one column is chosen, each token is a word.
    """
    name = SEGMENTED.name
    if len(columns or corpus.names) == 1:
        (form,) = choose_columns(corpus, columns, name)
        return join_lines(map("  ".join, split_sentences(corpus, get_texts(corpus, form, FORBIDDEN, name))))
    form, label = choose_columns(corpus, columns, name, limit=2)
    characters = get_texts(corpus, form, FORBIDDEN, name)
    get_texts(corpus, label, _NOT_BMES, name, _HINT)
    codes, names = corpus.column(label).codes, corpus.column(label).strings.strings()
    lines: list[list[str]] = [[] for _ in range(len(corpus))]
    for sentence, start, stop, _ in decode_spans(names, codes, corpus.sentences, BMES).tuples():
        lines[sentence].append("".join(characters[start:stop]))
    return join_lines(map("  ".join, lines))


SEGMENTED = Format(
    "segmented",
    "segmented text",
    read_segmented,
    write_segmented,
    annotate_columns,
    annotate_columns_nbest,
    is_running_text=True,
    has_character_tokens=True,
    width=2,
)
