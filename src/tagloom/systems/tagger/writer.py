"""LabelWriter: the labels that a tagger decided on, in the scheme that it writes.

Which label a token gets in another scheme depends on its own label and on those of its neighbours, because a decoder
gives well-formed sequences only. So every triple of neighbours is converted once, by ``convert_labels``, and is
remembered.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

import tagloom._core as _core
from tagloom.corpus import Column
from tagloom.corpus.corpus import CodeArray, IntArray
from tagloom.corpus.schemes import Scheme
from tagloom.corpus.spans import convert_labels

_FEW = 256  # tokens for which a loop is faster than arrays


class LabelWriter:
    """Writes labels of one tagger; shared freely by threads (what is remembered depends on nothing else)."""

    def __init__(self, labels: Sequence[str], decided: Scheme | None, written: Scheme | None) -> None:
        self.labels = list(labels)
        self.strings = _core.StringTable()
        self.strings.intern_all(self.labels)
        self.decided, self.written = decided, written
        self.converts = decided is not None and written is not None and decided != written
        self._known: dict[tuple[int, int, int], str] = {}  # by the numbers of a label and its neighbours, -1 for none

    def write_lists(self, codes: CodeArray, sentences: IntArray) -> list[list[str]]:
        """Write the labels of some sentences as lists of strings."""
        if not self.converts:
            return _core.label_lists(codes, sentences, self.labels)
        if len(codes) <= _FEW:
            numbers = codes.tolist()
            return [self._write(numbers[start:stop]) for start, stop in itertools.pairwise(sentences.tolist())]
        column = self.write_column(codes, sentences)
        return _core.label_lists(column.codes, sentences, column.strings.strings())

    def _write(self, numbers: list[int]) -> list[str]:
        known, found = self._known, []
        for triple in zip([-1, *numbers], numbers, [*numbers[1:], -1]):
            label = known.get(triple)
            found.append(self._convert(triple) if label is None else label)
        return found

    def write_column(self, codes: CodeArray, sentences: IntArray) -> Column:
        """Write the labels of a corpus as a column."""
        if not self.converts:
            return Column(codes, self.strings)
        before, after = np.roll(codes, 1), np.roll(codes, -1)
        starts, stops = sentences[:-1], sentences[1:]
        full = stops > starts
        before[starts[full]], after[stops[full] - 1] = -1, -1
        base = len(self.labels) + 1
        keys = ((before.astype(np.int64) + 1) * base + codes) * base + after + 1
        distinct, places = _number_distinct(keys, base**3)
        texts = []
        for key in distinct.tolist():
            rest, following = divmod(key, base)
            previous, number = divmod(rest, base)
            triple = (previous - 1, number, following - 1)
            texts.append(self._known.get(triple) or self._convert(triple))
        column = Column.from_strings(texts)
        return Column(column.codes[places], column.strings)

    def _convert(self, triple: tuple[int, int, int]) -> str:
        assert self.decided is not None
        assert self.written is not None
        names = [self.labels[number] for number in triple if number >= 0]
        place = int(triple[0] >= 0)
        converted = convert_labels(Column.from_strings(names), np.array([0, len(names)]), self.decided, self.written)
        label = self._known[triple] = converted.texts()[place]
        return label


def _number_distinct(keys: IntArray, bound: int) -> tuple[IntArray, IntArray]:
    """List the distinct keys in their order, and the place of every key in the list; keys are below ``bound``."""
    if bound > len(keys):
        return np.unique(keys, return_inverse=True)
    distinct = np.flatnonzero(np.bincount(keys, minlength=bound))  # without sorting
    places = np.zeros(bound, np.int64)
    places[distinct] = np.arange(len(distinct))
    return distinct, places[keys]
