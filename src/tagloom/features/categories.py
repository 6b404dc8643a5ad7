"""A category lexicon in the format of Tongyici Cilin: one code with its words per line, ``Af10B05# 省长 市长 县长``.

A word may have several codes. The first 1, 2, 4, 5 and 7 characters of a code are its levels, from the most general to
the most specific category.
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
    """The codes of every word, and the words as a trie of characters."""

    codes: Lookup  # word -> codes, separated by blanks
    trie: PhraseTrie

    def __repr__(self) -> str:
        return f"Categories({len(self.codes):,} words)"

    @classmethod
    def read(cls, path: Path) -> Categories:
        """Read a file.

        Raises:
            DataError: A line has a code without words.
        """
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
        """Build the lexicon from the codes of every word."""
        lookup = Lookup()
        for word, its in codes.items():
            lookup.add(word, " ".join(its))
        return cls(lookup, _trie(codes))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its lists; it has none."""
        return ()

    def to_tensors(self) -> Tensors:
        """Return the arrays that a model file holds."""
        return lookup_to_tensors(self.codes)

    @classmethod
    def from_tensors(cls, tensors: Tensors, names: list[str]) -> Categories:
        """Restore the lexicon from what ``to_tensors`` returned."""
        codes = lookup_from_tensors(tensors)
        return cls(codes, _trie(codes.words().strings()))


def _trie(words: Iterable[str]) -> PhraseTrie:
    trie = PhraseTrie()
    for word in words:
        trie.add(0, False, list(word))
    return trie
