"""CoNLL columns: one token per line, fields separated by blanks or tabs, a blank line between sentences.

A line ``-DOCSTART- ...`` begins a document, with or without a blank line after it (CoNLL-2002, 2003), and so does
``###MEDLINE:<id>`` (JNLPBA). Comment lines stand before the first token of a sentence and are kept for writing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import tagloom._core as _core
from tagloom.corpus.corpus import FIRST_LINES, Column, Corpus
from tagloom.corpus.formats.format import (
    CONTINUES_DOCUMENT,
    Comments,
    DocumentMarks,
    Format,
    choose_columns,
    find_block_end,
    get_texts,
    join_blocks,
    join_comments,
    split_sentences,
)
from tagloom.corpus.formats.nbest import Copies
from tagloom.corpus.layers import Labelling, Layer
from tagloom.corpus.layout import Layout, Names, check_width, choose_names, measure, sample_lines
from tagloom.corpus.streams import Piece
from tagloom.errors import DataError

_MEDLINE = re.compile(rb"^###MEDLINE:[^\r\n]*", re.MULTILINE)
_DOCUMENT_LINE = re.compile(rb"-DOCSTART-(?=[ \t\r\n]|\Z)|###MEDLINE:")
_BEFORE_DOCUMENT = re.compile(rb"(?:[ \t]*\r?\n|#(?!##MEDLINE:)[^\n]*\n)*[ \t]*")
_LINES = "conll"  # key of Corpus.extras


@dataclass(frozen=True)
class ColumnLines:
    """What a column file holds beside its tokens."""

    separator: str
    comments: Comments = ()


def settle_columns(piece: Piece, layout: Layout) -> Layout:
    """Measure separator, comments and the number of columns on the beginning of the text."""
    shape = measure(sample_lines(piece.data), layout)
    names = layout.columns or choose_names(max(shape.width, 1))
    if shape.width:
        check_width(names, shape.width, piece.place(shape.first))
    return replace(layout, columns=names, separator=shape.separator, comment=shape.comment)


def read_conll(piece: Piece, layout: Layout) -> Corpus:
    """Read columns in a layout that ``settle_columns`` has completed."""
    assert layout.columns is not None
    assert layout.separator is not None
    assert layout.comment is not None
    if b"###MEDLINE:" in piece.data:  # the native parser knows one kind of document line
        piece = replace(piece, data=_MEDLINE.sub(b"-DOCSTART-", piece.data))
    parsed = parse(piece, layout.columns, layout.separator, layout.comment)
    lines = ColumnLines(layout.separator, tuple(parsed["comments"]))
    return replace(
        build_corpus(parsed, layout.columns, piece.source),
        extras={_LINES: lines, FIRST_LINES: parsed["sentence_lines"]},
    )


def parse(piece: Piece, names: Names, separator: str, comment: str) -> dict[str, Any]:
    """Run the native parser (see ``_core.parse_columns``); what it refuses becomes a DataError."""
    parsed = _core.parse_columns(piece.data, len(names), separator, comment)
    if isinstance(parsed, tuple):
        line, message = parsed
        expected = f"expected {len(names)} columns"
        raise DataError(f"{piece.place(line)}: " + message.replace(expected, f"{expected} ({' '.join(names)})"))
    found: dict[str, Any] = parsed
    found["sentence_lines"] = found["sentence_lines"] + (piece.first_line - 1)
    return found


def build_corpus(parsed: Mapping[str, Any], names: Names, source: str) -> Corpus:
    """Build a corpus from what the native parser returns."""
    columns = {name: Column(*pair) for name, pair in zip(names, parsed["columns"])}
    return Corpus(columns, parsed["sentences"], parsed["documents"], parsed["has_documents"], source)


def find_last_document(data: bytes) -> int:
    """Get the offset of the last document line, -1 if there is none."""
    starts = []
    for mark in (b"-DOCSTART-", b"###MEDLINE:"):
        at = data.rfind(mark)
        while at > 0 and not (data[at - 1] == 10 and _DOCUMENT_LINE.match(data, at)):
            at = data.rfind(mark, 0, at)
        starts.append(at)
    return max(starts)


def start_document(_before: bytes, data: bytes) -> bool:
    """Check whether a document line stands before the first token."""
    head = _BEFORE_DOCUMENT.match(data)
    return head is not None and _DOCUMENT_LINE.match(data, head.end()) is not None


def write_conll(corpus: Corpus, columns: Names | None) -> str:
    """Write columns with the separator they were read with, otherwise with blanks, or tabs if a string has a blank.

    A single column shows no separator, so that its strings cannot have blanks.
    """
    names = choose_columns(corpus, columns, CONLL.name)
    lines = get_lines(corpus, names)
    separator = lines.separator if len(names) > 1 else " "
    forbidden = [_build_forbidden(i == 0, name == names[-1], separator) for i, name in enumerate(names)]
    texts = [get_texts(corpus, name, pattern, CONLL.name) for name, pattern in zip(names, forbidden)]
    rows = list(map(lines.separator.join, zip(*texts)))
    return join_blocks(split_sentences(corpus, rows), _sentence_heads(corpus, lines, len(names)))


def get_lines(corpus: Corpus, names: Names) -> ColumnLines:
    """Get what the corpus was read with, or a separator that its columns do not hold."""
    kept = corpus.extras.get(_LINES)
    if isinstance(kept, ColumnLines):
        return kept
    has_blank = any(" " in text for name in names for text in corpus.column(name).strings.strings())
    return ColumnLines("\t" if has_blank else " ")


def _sentence_heads(corpus: Corpus, lines: ColumnLines, width: int) -> dict[int, str]:
    """Get what stands before a sentence: a document line, comments."""
    starts: list[int] = corpus.documents[:-1].tolist() if corpus.has_documents else []
    fields = ["-DOCSTART-", *["-X-"] * (width - 2), "O"][:width]
    line = lines.separator.join(fields) + "\n\n"
    return join_comments(lines.comments, dict.fromkeys(starts[CONTINUES_DOCUMENT in corpus.extras :], line))


def _build_forbidden(first: bool, last: bool, separator: str) -> re.Pattern[str]:
    """Match strings that would not be read back: separators, line ends, document lines, a line of blanks only."""
    pattern = r"[\t\r\n\0]|^$" if separator == "\t" else r"[ \t\r\n\0]|^$"
    if first:
        pattern += r"|^-DOCSTART-$|^###MEDLINE:"
    if last:
        pattern += r"|^ +$"
    return re.compile(pattern)


def annotate_columns(corpus: Corpus, predicted: Mapping[str, Column], layers: Sequence[Layer], main: str) -> str:
    """Write all columns that a line can hold, and the layers as the last ones (``predicted-NAME`` where taken)."""
    names = _line_columns(corpus)
    for layer in layers:
        name = layer.column
        while name in corpus.columns:
            name = f"predicted-{name}"
        names.append(name)
        corpus = corpus.with_column(name, predicted[layer.column])
    return write_conll(corpus, tuple(names))


def _line_columns(corpus: Corpus) -> list[str]:
    return [name for name, column in corpus.columns.items() if not column.is_bag]


def annotate_columns_nbest(
    corpus: Corpus, lists: Sequence[Sequence[Labelling]], layer: Layer, main: str, *, by_document: bool = False
) -> str:
    """Write every labelling after a line ``# RANK SCORE [PROBABILITY]`` as CRF++ does, the best being 0."""
    copies = Copies.build(corpus, lists, by_document=by_document)
    lines = get_lines(corpus, tuple(_line_columns(corpus)))
    copied = copies.copy_corpus(corpus, {_LINES: replace(lines, comments=copies.copy_comments(lines.comments, "# "))})
    return annotate_columns(copied, {layer.column: copies.labels}, [layer], main)


CONLL = Format(
    "conll",
    "CoNLL columns",
    read_conll,
    write_conll,
    annotate_columns,
    annotate_columns_nbest,
    settle=settle_columns,
    find_end=find_block_end,
    is_measured=True,
    documents=DocumentMarks(find_last_document, start_document),
)
