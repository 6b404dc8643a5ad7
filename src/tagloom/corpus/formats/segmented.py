"""Segmented text (SIGHAN bakeoffs): a sentence a line, words between blanks; read as characters with BMES labels.

Unsegmented text, the input of a segmenter, is the format ``characters``: the same tokens without labels. Blanks are
what Unicode calls white space, so the ideographic space separates words too.
"""

from __future__ import annotations

import re

import numpy as np

from tagloom.corpus.corpus import Corpus
from tagloom.corpus.distinct import spread
from tagloom.corpus.files import decode_lines
from tagloom.corpus.formats.plain import FORBIDDEN, line_text
from tagloom.corpus.layout import Layout, Names
from tagloom.corpus.normalise import normalised_words
from tagloom.corpus.schemes import BMES
from tagloom.corpus.spans import Spans, labels_from_spans, spans_from_labels
from tagloom.corpus.writable import by_sentence, chosen, refuse_strings, writable_texts

_NOT_BMES = re.compile(r"^(?![BMES]\Z)", re.DOTALL)
_HINT = ", expected B, M, E or S; to write each token as a word choose one column with columns="


def read_segmented(data: bytes, source: str, layout: Layout) -> Corpus:
    lines = [words for line in decode_lines(data, source) if (words := line.split())]
    flat = normalised_words((word for words in lines for word in words), layout.normal_form)
    sizes = np.array(list(map(len, flat)), dtype=np.int64)
    stops = np.cumsum(sizes)
    zeros = np.zeros(len(flat), dtype=np.int32)
    characters = "".join(flat)
    labels = spread(*labels_from_spans(Spans(zeros, stops - sizes, stops, zeros, [""]), len(characters), BMES))
    ends = np.cumsum([0, *map(len, lines)])
    lengths = np.diff(np.concatenate([[0], stops])[ends]).tolist()
    return Corpus.from_columns({"form": characters, "label": labels}, lengths, source=source)


def read_characters(data: bytes, source: str, layout: Layout) -> Corpus:
    lines = ["".join(line.split()) for line in normalised_words(decode_lines(data, source), layout.normal_form)]
    lengths = [len(text) for text in lines if text]
    return Corpus.from_columns({"form": "".join(lines)}, lengths, source=source)


def write_segmented(corpus: Corpus, columns: Names | None) -> str:
    """Words between two blanks: tokens joined by a BMES column, or, with one column chosen, each token a word."""
    if len(columns or corpus.names) == 1:
        (name,) = chosen(corpus, columns, "segmented")
        words = by_sentence(corpus, writable_texts(corpus, name, FORBIDDEN, "segmented"))
        return line_text(map("  ".join, words))
    form, label = chosen(corpus, columns, "segmented", limit=2)
    characters = writable_texts(corpus, form, FORBIDDEN, "segmented")
    refuse_strings(corpus, label, _NOT_BMES, "segmented", _HINT)
    codes, names = corpus.column(label).codes, corpus.column(label).strings.strings()
    lines: list[list[str]] = [[] for _ in range(len(corpus))]
    for sentence, start, stop, _ in spans_from_labels(names, codes, corpus.sentences, BMES).tuples():
        lines[sentence].append("".join(characters[start:stop]))
    return line_text(map("  ".join, lines))


def write_characters(corpus: Corpus, columns: Names | None) -> str:
    """Tokens with nothing between them."""
    (name,) = chosen(corpus, columns, "characters", limit=1)
    return line_text(map("".join, by_sentence(corpus, writable_texts(corpus, name, FORBIDDEN, "characters"))))
