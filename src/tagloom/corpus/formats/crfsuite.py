r"""CRFsuite attribute files (http://www.chokkan.org/software/crfsuite/manual.html): features instead of words.

A line is ``label<TAB>attribute[:scale]<TAB>...``, an empty line ends a sentence; ``\:`` and ``\\`` stand for a colon
and a backslash in a name. Read as the column ``label`` and the bag column ``attributes`` with scales as values.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from dataclasses import dataclass, field

import numpy as np

from tagloom.corpus.corpus import Column, Corpus, distinct_strings, spread
from tagloom.corpus.formats.conll import annotate_columns, annotate_columns_nbest
from tagloom.corpus.formats.format import (
    Format,
    choose_columns,
    find_block_end,
    get_texts,
    join_blocks,
    refuse_strings,
    split_sentences,
)
from tagloom.corpus.layout import Layout, Names
from tagloom.corpus.streams import Piece
from tagloom.errors import DataError

_ATTRIBUTE = re.compile(r"((?:\\[\\:]|[^:])+)(?::(.*))?", re.DOTALL)
_ESCAPED = re.compile(r"\\([\\:])")
_TO_ESCAPE = re.compile(r"([\\:])")
_FORBIDDEN = re.compile(r"[\t\r\n\0]|^$")
_FORBIDDEN_LABEL = re.compile(r"[\t\r\n\0]|^ *$")
_LARGEST_SCALE = float(np.finfo(np.float32).max)


@dataclass
class _Items:
    """The fields of all tokens, before attributes are taken apart."""

    labels: list[str] = field(default_factory=list)
    attributes: list[str] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)  # attributes of each token
    lines: list[int] = field(default_factory=list)  # line number of each token
    bounds: list[int] = field(default_factory=lambda: [0])  # tokens before each sentence


def read_crfsuite(piece: Piece, layout: Layout) -> Corpus:
    """Read labels and bags of attributes."""
    items = _split(piece)
    distinct, codes = distinct_strings(items.attributes)
    parsed = [_parse(text) for text in distinct]
    pairs = [pair for pair in parsed if pair]
    if len(pairs) < len(parsed):
        raise _build_error_of_line(piece, items, distinct[parsed.index(None)])
    names = spread([name for name, _ in pairs], codes)
    scales = np.array([scale for _, scale in pairs], dtype=np.float32)[codes]
    offsets = np.concatenate([[0], np.cumsum(items.counts, dtype=np.int64)])
    columns = {
        "label": Column.from_strings(map(_unescape, items.labels)),
        "attributes": Column(names.codes, names.strings, offsets, scales),
    }
    return Corpus.from_columns(columns, np.diff(items.bounds).tolist(), source=piece.source)


def _split(piece: Piece) -> _Items:
    items = _Items()
    for number, line in enumerate([*piece.lines(), ""], 1):
        if line.strip(" \t"):
            _add_token(items, number, line, piece)
        elif items.bounds[-1] < len(items.labels):
            items.bounds.append(len(items.labels))
    return items


def _add_token(items: _Items, number: int, line: str, piece: Piece) -> None:
    label, *attributes = line.split("\t")
    if not label.strip(" "):
        raise DataError(f"{piece.place(number)}: expected label<TAB>attribute..., found an empty label")
    attributes = [text for text in attributes if text]
    items.labels.append(label)
    items.attributes += attributes
    items.counts.append(len(attributes))
    items.lines.append(number)


def _parse(text: str) -> tuple[str, float] | None:
    """Get the name and scale of one attribute, None if it is malformed."""
    match = _ATTRIBUTE.fullmatch(text)
    if match is None:
        return None
    name, scale = match.groups()
    try:
        value = 1.0 if scale is None else float(scale)
    except ValueError:
        return None
    return (_unescape(name), value) if abs(value) <= _LARGEST_SCALE else None  # refuses nan as well


def _build_error_of_line(piece: Piece, items: _Items, text: str) -> DataError:
    ends = list(itertools.accumulate(items.counts))
    line = items.lines[bisect_right(ends, items.attributes.index(text))]
    return DataError(f"{piece.place(line)}: expected attribute[:scale], found {text!r}; write a colon in a name as \\:")


def _unescape(text: str) -> str:
    return _ESCAPED.sub(r"\1", text) if "\\" in text else text


def _escape(text: str) -> str:
    return _TO_ESCAPE.sub(r"\\\1", text)


def write_crfsuite(corpus: Corpus, columns: Names | None) -> str:
    """Write a column of labels and a bag, in this order."""
    label, bag = choose_columns(corpus, columns, CRFSUITE.name, limit=2)
    labels = get_texts(corpus, label, _FORBIDDEN_LABEL, CRFSUITE.name)
    refuse_strings(corpus, bag, _FORBIDDEN, CRFSUITE.name)
    attributes, offsets = _attribute_texts(corpus.column(bag)), corpus.column(bag).offsets
    if offsets is None:
        raise DataError(
            f"{corpus.source}: crfsuite holds a bag of attributes per token; column {bag!r} has one string per token"
        )
    spans = itertools.pairwise(offsets.tolist())
    rows = ["\t".join([_escape(text), *attributes[start:stop]]) for text, (start, stop) in zip(labels, spans)]
    return join_blocks(split_sentences(corpus, rows))


def _attribute_texts(bag: Column) -> list[str]:
    names = [_escape(text) for text in bag.strings.strings()]
    if bag.values is None:
        return [names[code] for code in bag.codes.tolist()]
    scales, which = np.unique(bag.values, return_inverse=True)
    suffixes = ["" if scale == 1 else f":{scale!s}" for scale in scales]
    return [names[code] + suffixes[scale] for code, scale in zip(bag.codes.tolist(), which.tolist())]


CRFSUITE = Format(
    "crfsuite",
    "CRFsuite attributes",
    read_crfsuite,
    write_crfsuite,
    annotate_columns,
    annotate_columns_nbest,
    find_end=find_block_end,
    names_columns=True,
)
