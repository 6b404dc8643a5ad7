"""A category lexicon in the form of Tongyici Cilin: a code and its words a line, ``Af10B05# 省长 市长 县长``.

A word may stand under several codes. The first 1, 2, 4, 5 and 7 characters of a code are its levels, from the most
general to the most special category.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tagloom._core import Lookup, PhraseTrie
from tagloom.corpus.streams import decode_lines, load
from tagloom.errors import DataError
from tagloom.features.tensors import Tensors, lookup_from_tensors, lookup_to_tensors


@dataclass(frozen=True)
class Categories:
    """Word -> codes, joined by blanks; and the words as a trie over characters."""

    codes: Lookup
    trie: PhraseTrie

    @classmethod
    def read(cls, path: Path) -> Categories:
        name, data = load(path)
        found: dict[str, dict[str, None]] = {}
        for number, line in enumerate(decode_lines(data, name), 1):
            code, *words = line.split() or [""]
            if code and not words:
                raise DataError(f"{path}:{number}: expected a code and its words, found {line[:60]!r}")
            for word in words:
                found.setdefault(word, {})[code] = None
        return cls.build(found)

    @classmethod
    def build(cls, codes: Mapping[str, Iterable[str]]) -> Categories:
        """From the codes of every word."""
        lookup = Lookup()
        for word, its in codes.items():
            lookup.add(word, " ".join(its))
        return cls(lookup, _trie(codes))

    @property
    def names(self) -> tuple[str, ...]:
        return ()  # it has no lists

    def to_tensors(self) -> Tensors:
        return lookup_to_tensors(self.codes)

    @classmethod
    def from_tensors(cls, tensors: Tensors, names: list[str]) -> Categories:
        codes = lookup_from_tensors(tensors)
        return cls(codes, _trie(codes.words().strings()))


def _trie(words: Iterable[str]) -> PhraseTrie:
    trie = PhraseTrie()
    for word in words:
        trie.add(0, False, list(word))
    return trie
