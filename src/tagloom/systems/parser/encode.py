"""Encoding: words, tags and trees as the core reads them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus import Column, Corpus
from tagloom.corpus.corpus import CodeArray, IntArray
from tagloom.corpus.trees import Trees
from tagloom.errors import DataError
from tagloom.features import FeatureEncoder
from tagloom.structures.projective import LIFT, deprojectivize

_NO_TREES: CodeArray = np.zeros(0, np.int32)
_LONGEST = 1_000_000  # words of a sentence


@dataclass(frozen=True)
class Relations:
    """Numbered relations. The relation of the root is not among them."""

    names: tuple[str, ...] = ()  # empty if trees have no relations
    root: str | None = None

    @classmethod
    def of(cls, trees: Trees) -> Relations:
        """Collect the relations of some trees; the root takes the relation that most roots have."""
        if trees.relations is None:
            return cls()
        strings = trees.relations.strings.strings()
        is_root = trees.heads == 0
        counts = np.bincount(trees.relations.codes[is_root], minlength=len(strings))
        used = np.unique(trees.relations.codes[~is_root]).tolist()
        names = sorted(strings[code] for code in used)
        return cls(tuple(names), strings[int(np.argmax(counts))] if counts.any() else "root")

    @property
    def count(self) -> int:
        """The number of relations for the core, which needs at least one."""
        return max(len(self.names), 1)

    def hashes(self) -> NDArray[np.uint64]:
        """Hash the names of the relations."""
        return np.array([_core.hash_string(name) | 1 for name in self.names or ("",)], np.uint64)

    def numbers(self, column: Column) -> CodeArray:
        """Number the relation of every token; that of the root becomes 0, which nothing reads."""
        known = {name: number for number, name in enumerate(self.names)}
        return np.array([known.get(text, 0) for text in column.strings.strings()], np.int32)[column.codes]

    def column(self, numbers: CodeArray, heads: CodeArray) -> Column | None:
        """Invert ``numbers``, with the relation of the root."""
        if self.root is None:
            return None
        names = Column.from_strings([*self.names, self.root])
        places = np.where(heads == 0, len(self.names), numbers)
        return Column(names.codes[places], names.strings)


def encode_sentences(
    encoder: FeatureEncoder, corpus: Corpus, relations: Relations, trees: Trees | None = None
) -> _core.TreeData:
    """Encode the sentences of a corpus, with or without gold trees."""
    if len(corpus) and int(np.diff(corpus.sentences).max()) > _LONGEST:
        raise DataError(f"{corpus.source}: a sentence has more than {_LONGEST:,} words")
    store, batch = encoder.new_store(), encoder.batch(corpus)
    encoder.prepare(store, batch)
    hashes = _core.attribute_hashes(store, batch.codes, batch.sentences)
    heads, numbers = _NO_TREES, _NO_TREES
    if trees is not None:
        heads = trees.heads
        if trees.relations is not None and relations.names:
            numbers = relations.numbers(trees.relations)
    return _core.TreeData(hashes, len(encoder.attributes), relations.hashes(), corpus.sentences, heads, numbers)


def restored(heads: CodeArray, relations: Column | None, sentences: IntArray, non_projective: str) -> Trees:
    """Build trees from the output of the core; arcs that were lifted in training return to their places."""
    trees = Trees(heads, relations, sentences)
    return deprojectivize(trees) if non_projective == LIFT else trees
