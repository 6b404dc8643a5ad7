"""CoNLL columns: one token a line, fields separated by blanks or tabs, a blank line between sentences.

A line ``-DOCSTART- ...`` begins a document, with or without a blank line after it (CoNLL-2002, 2003), and so does
``###MEDLINE:<id>`` (JNLPBA). Comment lines stand before the first token of a sentence and are kept for writing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Any

import tagloom._core as _core
from tagloom.corpus.corpus import FIRST_LINES, Column, Corpus
from tagloom.corpus.layout import Layout, Names, check_width, default_names, measure, sample_lines
from tagloom.corpus.writable import block_text, by_sentence, chosen, writable_texts
from tagloom.errors import DataError

_MEDLINE = re.compile(rb"^###MEDLINE:[^\r\n]*", re.MULTILINE)


@dataclass(frozen=True)
class ColumnLines:
    """What a column file holds beside its tokens."""

    separator: str
    comments: tuple[tuple[int, str], ...] = ()  # (sentence that follows, line)


def read_conll(data: bytes, source: str, layout: Layout) -> Corpus:
    shape = measure(sample_lines(data), layout)
    names = layout.columns or default_names(max(shape.width, 1))
    if shape.width:
        check_width(names, shape.width, f"{source}:{shape.first}")
    if b"###MEDLINE:" in data:  # the native parser knows one kind of document line
        data = _MEDLINE.sub(b"-DOCSTART-", data)
    parsed = parse(data, names, shape.separator, shape.comment, source)
    lines = ColumnLines(shape.separator, tuple(parsed["comments"]))
    return replace(to_corpus(parsed, names, source), extras={"conll": lines, FIRST_LINES: parsed["sentence_lines"]})


def parse(data: bytes, names: Names, separator: str, comment: str, source: str) -> dict[str, Any]:
    """The native parser's arrays (see ``_core.parse_columns``), its refusal turned into an error."""
    parsed = _core.parse_columns(data, len(names), separator, comment)
    if isinstance(parsed, tuple):
        line, message = parsed
        expected = f"expected {len(names)} columns"
        raise DataError(f"{source}:{line}: " + message.replace(expected, f"{expected} ({' '.join(names)})"))
    return parsed


def to_corpus(parsed: dict[str, Any], names: Names, source: str) -> Corpus:
    columns = {name: Column(*pair) for name, pair in zip(names, parsed["columns"])}
    return Corpus(columns, parsed["sentences"], parsed["documents"], parsed["has_documents"], source)


def write_conll(corpus: Corpus, columns: Names | None) -> str:
    """Columns as text, by the separator they were read with, else by blanks, or tabs where a string has a blank."""
    names = chosen(corpus, columns, "conll")
    kept = corpus.extras.get("conll")
    lines = kept if isinstance(kept, ColumnLines) else ColumnLines(separator_for(corpus, names))
    forbidden = [_forbidden(i == 0, name == names[-1], lines.separator) for i, name in enumerate(names)]
    texts = [writable_texts(corpus, name, pattern, "conll") for name, pattern in zip(names, forbidden)]
    rows = list(map(lines.separator.join, zip(*texts)))
    return block_text(by_sentence(corpus, rows), _sentence_heads(corpus, lines, len(names)))


def _sentence_heads(corpus: Corpus, lines: ColumnLines, width: int) -> dict[int, str]:
    """What stands before a sentence: a document line, comments."""
    heads: dict[int, str] = defaultdict(str)
    if corpus.has_documents:
        fields = ["-DOCSTART-", *["-X-"] * (width - 2), "O"][:width]
        for start, _ in corpus.document_spans():
            heads[start] = lines.separator.join(fields) + "\n\n"
    for sentence, comment in lines.comments:
        heads[sentence] += comment + "\n"
    return heads


def separator_for(corpus: Corpus, names: Names) -> str:
    blank = any(" " in text for name in names for text in corpus.column(name).strings.strings())
    return "\t" if blank else " "


def _forbidden(first: bool, last: bool, separator: str) -> re.Pattern[str]:
    """Strings that would not be read back: separators, line ends, document lines, a line of blanks only."""
    pattern = r"[\t\r\n\0]|^$" if separator == "\t" else r"[ \t\r\n\0]|^$"
    if first:
        pattern += r"|^-DOCSTART-$|^###MEDLINE:"
    if last:
        pattern += r"|^ +$"
    return re.compile(pattern)
