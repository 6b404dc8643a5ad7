"""Batch: the words of some sentences as numbers, with one string table per column, as the core reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tagloom._core import StringTable
from tagloom.corpus import Column, Corpus
from tagloom.corpus.corpus import CodeArray, IntArray


@dataclass(frozen=True)
class Batch:
    """Sentences for the core.

    ``codes[c][t]`` is the number of token t in ``tables[c]``. Columns with several strings per token are in ``bags``.
    """

    codes: list[CodeArray]
    tables: list[StringTable]
    sentences: IntArray
    bags: Mapping[int, Column]

    def __repr__(self) -> str:
        count, tokens = len(self.sentences) - 1, int(self.sentences[-1])
        return f"Batch({count:,} sentences, {tokens:,} tokens, {len(self.codes)} columns)"

    @classmethod
    def from_corpus(cls, corpus: Corpus, columns: Sequence[str]) -> Batch:
        """Build a batch from some columns of a corpus."""
        layers = [corpus.column(name) for name in columns]
        bags = {i: layer for i, layer in enumerate(layers) if layer.is_bag}
        codes = [np.zeros(len(layer), np.int32) if layer.is_bag else layer.codes for layer in layers]
        return cls(codes, [_BAG_TABLE if layer.is_bag else layer.strings for layer in layers], corpus.sentences, bags)

    @classmethod
    def of_bag(cls, bag: Column, sentences: IntArray) -> Batch:
        """Build a batch from one column with several strings per token."""
        return cls([np.zeros(len(bag), np.int32)], [_BAG_TABLE], sentences, {0: bag})

    def texts(self, column: int, start: int, stop: int) -> list[str]:
        """The strings of a range of tokens."""
        table = self.tables[column]
        return [table[code] for code in self.codes[column][start:stop].tolist()]


def _bag_table() -> StringTable:
    table = StringTable()
    table.intern("")
    return table


_BAG_TABLE = _bag_table()
