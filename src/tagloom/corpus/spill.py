"""Joins batches of a corpus to one whose columns are in temporary files, for corpora that are larger than memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from tagloom._core import StringTable
from tagloom.corpus.corpus import Column, Corpus, IntArray
from tagloom.corpus.formats.format import CONTINUES_DOCUMENT
from tagloom.corpus.mapped import SpilledArray
from tagloom.errors import DataError


def spill_batches(batches: Iterable[Corpus]) -> Corpus:
    """Join the batches of a corpus to one whose columns are mapped; what formats keep beside tokens is left out."""
    first: Corpus | None = None
    columns: dict[str, _SpilledColumn] = {}
    sentences, documents = _Offsets(), _Offsets()
    for batch in batches:
        if first is None:
            first, columns = batch, {name: _SpilledColumn() for name in batch.columns}
        for name, column in batch.columns.items():
            columns[name].append(column)
        sentences.append(batch.sentences)
        documents.append(batch.documents, joins=bool(batch.extras.get(CONTINUES_DOCUMENT)) or not batch.has_documents)
    if first is None:
        raise DataError("no sentences to learn from")
    mapped = {name: column.finish() for name, column in columns.items()}
    return replace(first, columns=mapped, sentences=sentences.join(), documents=documents.join(), extras={})


class _Offsets:
    """Offsets of batches, joined to those of the whole."""

    def __init__(self) -> None:
        self.parts: list[IntArray] = [np.zeros(1, np.int64)]

    def append(self, offsets: IntArray, *, joins: bool = False) -> None:
        """Add the offsets of a batch; with ``joins``, its first range continues the last one."""
        end = int(self.parts[-1][-1]) if len(self.parts[-1]) else 0
        if joins and len(self.parts) > 1 and len(offsets) > 1:
            self.parts[-1] = self.parts[-1][:-1]
        self.parts.append(end + offsets[1:])

    def join(self) -> IntArray:
        return np.concatenate(self.parts)


class _SpilledColumn:
    """A column whose codes are in a file, and its strings in memory."""

    def __init__(self) -> None:
        self.strings = StringTable()
        self.codes = SpilledArray(np.int32)
        self.offsets: SpilledArray | None = None
        self.values: SpilledArray | None = None

    def append(self, column: Column) -> None:
        """Write a batch in the codes of the whole."""
        if column.offsets is not None:
            self._append_bags(column, column.offsets)
        numbers = self.strings.intern_all(column.strings.strings())
        self.codes.append(numbers[column.codes])

    def _append_bags(self, column: Column, offsets: IntArray) -> None:
        if self.offsets is None:
            self.offsets = SpilledArray(np.int64)
            self.offsets.append(np.zeros(1, np.int64))
        self.offsets.append(len(self.codes) + offsets[1:])
        if column.values is not None and self.values is None:
            self.values = SpilledArray(np.float32)
            self.values.append(np.ones(len(self.codes), np.float32))
        if self.values is not None:
            self.values.append(np.ones(len(column.codes), np.float32) if column.values is None else column.values)

    def finish(self) -> Column:
        """Map what was written."""
        given = (None if each is None else each.view() for each in (self.offsets, self.values))
        return Column(self.codes.view(), self.strings, *given)
