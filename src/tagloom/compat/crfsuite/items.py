"""ItemSequence: the attributes of the items of one sequence, prepared once and used any number of times."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

from tagloom.compat.crfsuite.errors import raise_as
from tagloom.corpus import Corpus, from_feature_dicts
from tagloom.corpus.feature_dicts import ATTRIBUTES


class ItemSequence:
    """A sequence of items with their attributes.

    Items are dicts or collections of strings, see :func:`tagloom.corpus.from_feature_dicts`.

    >>> sequence = ItemSequence([["foo"], {"bar": {"baz": 1}}])
    >>> sequence
    <ItemSequence of size 2>
    >>> sequence.items()
    [{'foo': 1.0}, {'bar:baz': 1.0}]
    """

    def __init__(self, pyseq: Iterable[Any] | ItemSequence) -> None:
        self._corpus = encode_sequence(pyseq)

    @property
    def corpus(self) -> Corpus:
        """The sequence as a corpus of one sentence."""
        return self._corpus

    def items(self) -> list[dict[str, float]]:
        """List the attributes of every item with their values."""
        return list_items(self._corpus)

    def __len__(self) -> int:
        return self._corpus.token_count

    def __repr__(self) -> str:
        return f"<ItemSequence of size {len(self)}>"


def encode_sequence(sequence: Iterable[Any] | ItemSequence) -> Corpus:
    """Build a corpus of one sentence, or take the one that is prepared."""
    if isinstance(sequence, ItemSequence):
        return sequence.corpus
    with raise_as(ValueError):
        return from_feature_dicts([sequence])


def list_items(corpus: Corpus) -> list[dict[str, float]]:
    """List the attributes of all items of a corpus with their values."""
    column = corpus.column(ATTRIBUTES)
    assert column.offsets is not None
    names = list(map(column.strings.strings().__getitem__, column.codes.tolist()))
    values = [1.0] * len(names) if column.values is None else column.values.tolist()
    return [dict(zip(names[a:b], values[a:b])) for a, b in itertools.pairwise(column.offsets.tolist())]
