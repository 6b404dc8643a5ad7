"""The output of a model that cut the text itself, brought to the tokens of gold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagloom.corpus import Column, Corpus, read_trees
from tagloom.corpus.corpus import IntArray, spread
from tagloom.corpus.schemes import BoolArray
from tagloom.evaluate.alignment import Segmentation, align_words, segment
from tagloom.report.diagnosis.task import NOTHING
from tagloom.report.diagnosis.trees import ABSENT


@dataclass(frozen=True)
class Projection:
    """Which token of the model every token of gold is."""

    gold: Segmentation
    system: Segmentation
    made: Corpus  # the treebank of the model
    partners: IntArray  # [N] words of the model, -1 for none

    @classmethod
    def of(cls, gold: Corpus, system: Corpus) -> Projection:
        """Align two treebanks of the same text."""
        mine, theirs = segment(gold), segment(system)
        pairs = align_words(mine, theirs)
        partners = np.full(gold.token_count, -1, np.int64)
        partners[pairs.gold] = pairs.system
        return cls(mine, theirs, system, partners)

    @property
    def present(self) -> BoolArray:
        """Mark the tokens of gold that the model has, too: [N]."""
        return np.asarray(self.partners >= 0)

    def project(self, column: Column) -> Column:
        """Bring a column of the model to the tokens of gold; those that it does not have hold ``NOTHING``."""
        strings = [*column.strings.strings(), NOTHING]
        codes = np.append(column.codes, np.int32(len(strings) - 1))[self.partners]
        return spread(strings, codes)

    def project_heads(self, sentences: IntArray) -> NDArray[np.int32]:
        """Bring heads to the tokens of gold, as places in the sentences of gold; ``ABSENT`` where they are no such."""
        trees = read_trees(self.made, relation=None, strict=False)
        above = np.where(trees.heads > 0, trees.firsts() + trees.heads - 1, -1)  # [M] words of the model, -1: root
        back = np.full(len(above) + 1, -1, np.int64)  # [M + 1] tokens of gold; the last place is the root's
        back[self.partners[self.present]] = np.flatnonzero(self.present)
        head = above[np.maximum(self.partners, 0)]
        token = np.where(head >= 0, back[head], -1)
        first = np.repeat(sentences[:-1], np.diff(sentences))
        last = np.repeat(sentences[1:], np.diff(sentences))
        inside = (token >= first) & (token < last)
        found = np.where(inside, token - first + 1, ABSENT)
        found = np.where((head < 0) & self.present, 0, found)
        return np.where(self.present, found, ABSENT).astype(np.int32)
