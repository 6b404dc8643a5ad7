"""JSONL: one object a line, with tokens and tags, or with a text and character spans.

``{"tokens": ["He", "left"], "tags": ["O", "O"]}`` is read as columns ``form`` and ``label``; further lists beside
``tokens`` become columns when they are named; ``heads`` and ``relations`` are the columns ``head`` and ``deprel``.
``{"text": "...", "spans": [[start, end, label], ...]}`` (or spans ``{"start", "end", "label"}``) is read with IOB2
labels; without ``tokens`` the text is cut by ``characters.TOKEN``. Without ``text`` spans count tokens.
Without tags and spans there is no label. Lines in a row with one value of ``doc`` (or ``document``) form a document.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Mapping, Sequence

import numpy as np

from tagloom.corpus.corpus import Column, Corpus
from tagloom.corpus.distinct import distinct_strings, spread
from tagloom.corpus.files import decode_lines
from tagloom.corpus.formats.json_record import DOCUMENT_KEYS, JsonRecord
from tagloom.corpus.formats.plain import line_text
from tagloom.corpus.layout import Layout, Names
from tagloom.corpus.schemes import IOB2
from tagloom.corpus.spans import Spans, labels_from_spans
from tagloom.corpus.writable import by_sentence, chosen, writable_texts
from tagloom.errors import ConfigError, DataError, unknown_name

_KEYS = {"form": "tokens", "label": "tags"}
_TREE_KEYS = {"head": "heads", "deprel": "relations"}  # as parsers write them
_NOTHING = re.compile(r"(?!)")


def read_jsonl(data: bytes, source: str, layout: Layout) -> Corpus:
    lines = enumerate(decode_lines(data, source), 1)
    records = [JsonRecord.parse(line, f"{source}:{number}") for number, line in lines if line.strip(" \t\r")]
    if not records:
        raise DataError(f"{source}: no tokens found")
    keys = _keys_of_columns(records[0], layout.columns)
    tokens = [record.tokens() for record in records]
    lengths = list(map(len, tokens))
    columns = {name: _column(records, tokens, lengths, key) for name, key in keys.items()}
    return Corpus.from_columns(columns, lengths, _document_lengths(records), source)


def _keys_of_columns(first: JsonRecord, columns: Names | None) -> dict[str, str]:
    """Which list each column is read from, as the first record shows."""
    present = first.content.keys()
    trees = [name for name, key in _TREE_KEYS.items() if {"heads", key} <= present]
    names = columns or ("form", *(["label"] if present & {"tags", "spans"} else []), *trees)
    keys = {_form_of(names): "tokens"}
    for name in names:
        fallbacks = ("tags", "spans") if name == names[-1] else ()
        found = [key for key in (_KEYS.get(name, name), name, _TREE_KEYS.get(name), *fallbacks) if key in present]
        if name not in keys and not found:
            raise unknown_name(f"field of {first.where}", name, present)
        keys.setdefault(name, *found[:1])
    return {name: keys[name] for name in names}


def _form_of(names: Names) -> str:
    return "form" if "form" in names else names[0]


def _column(records: Sequence[JsonRecord], tokens: list[list[str]], lengths: list[int], key: str) -> Column:
    if key == "spans":
        return _span_column(records, lengths)
    lists = tokens if key == "tokens" else [record.strings(key) for record in records]
    for record, strings, length in zip(records, lists, lengths):
        if len(strings) != length:
            raise DataError(f"{record.where}: {length} tokens, but {len(strings)} {key}")
    return Column.from_strings(itertools.chain.from_iterable(lists))


def _span_column(records: Sequence[JsonRecord], lengths: list[int]) -> Column:
    """IOB2 labels of the records' spans."""
    starts: list[int] = []
    stops: list[int] = []
    types: list[str] = []
    for record, offset in zip(records, itertools.accumulate(lengths, initial=0)):
        for start, stop, label in record.spans():
            starts.append(offset + start)
            stops.append(offset + stop)
            types.append(label)
    names, codes = distinct_strings(types)
    spans = Spans(np.zeros_like(codes), np.array(starts, np.int64), np.array(stops, np.int64), codes, names)
    return spread(*labels_from_spans(spans, sum(lengths), IOB2))


def _document_lengths(records: Sequence[JsonRecord]) -> list[int] | None:
    """Sentences of each document; None where no record names one."""
    if not any(key in record.content for record in records for key in DOCUMENT_KEYS):
        return None
    return [len(list(group)) for _, group in itertools.groupby(records, JsonRecord.document)]


def write_jsonl(corpus: Corpus, columns: Names | None) -> str:
    """``tokens``, ``tags`` (the column ``label``), the other columns by their names; ``doc`` counts documents."""
    names = chosen(corpus, columns, "jsonl")
    keys = ["tokens" if name == _form_of(names) else _KEYS.get(name, name) for name in names]
    if len(set(keys)) < len(keys) or not {"text", "spans", *DOCUMENT_KEYS}.isdisjoint(keys):
        raise ConfigError(f"{corpus.source}: jsonl uses some of these column names itself: {' '.join(names)}; rename")
    lists = zip(*(by_sentence(corpus, writable_texts(corpus, name, _NOTHING, "jsonl")) for name in names))
    return line_text(map(_dump, _document_numbers(corpus), (dict(zip(keys, row)) for row in lists)))


def _document_numbers(corpus: Corpus) -> list[int | None]:
    if not corpus.has_documents:
        return [None] * len(corpus)
    spans = enumerate(corpus.document_spans())
    return [number for number, (start, stop) in spans for _ in range(start, stop)]


def _dump(document: int | None, lists: Mapping[str, list[str]]) -> str:
    head = {} if document is None else {"doc": document}
    return json.dumps({**head, **lists}, ensure_ascii=False)
