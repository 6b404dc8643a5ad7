"""WordClusters: words with the bit strings of their clusters, as files and resources hold them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagloom._core import Lookup
from tagloom.arguments import check_methods
from tagloom.corpus.streams import store
from tagloom.features.resources import Clusters

Numbers = NDArray[np.int32]


@check_methods()
@dataclass(frozen=True, eq=False)
class WordClusters:
    """Words and their clusters, the leaves of a binary tree.

    Attributes:
        words: The words, by path, by falling count, and in the order of their characters.
        paths: The way from the root of the tree to the cluster of every word: 0 for the left branch, 1 for the right.
        counts: How often every word occurs in the text; None for clusters of vectors.
    """

    words: tuple[str, ...]
    paths: tuple[str, ...]
    counts: tuple[int, ...] | None = None

    @classmethod
    def build(cls, words: Sequence[str], paths: Sequence[str], counts: Sequence[int] | None = None) -> WordClusters:
        """Build sorted clusters from words in any order."""

        def sort_key(number: int) -> tuple[str, int, str]:
            return paths[number], 0 if counts is None else -counts[number], words[number]

        order = sorted(range(len(words)), key=sort_key)
        ordered_counts = None if counts is None else tuple(counts[number] for number in order)
        return cls(tuple(words[n] for n in order), tuple(paths[n] for n in order), ordered_counts)

    def __len__(self) -> int:
        """Number of words."""
        return len(self.words)

    def __repr__(self) -> str:
        return f"WordClusters({len(self):,} words, {self.cluster_count:,} clusters)"

    @property
    def cluster_count(self) -> int:
        """Number of clusters."""
        return len(set(self.paths))

    def to_text(self) -> str:
        """Write one word per line: bit string, tab, word, and, if there are counts, tab and count."""
        fields = (self.paths, self.words) if self.counts is None else (self.paths, self.words, map(str, self.counts))
        return "".join(f"{line}\n" for line in map("\t".join, zip(*fields)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file that the resource ``brown`` reads. It is compressed if its name ends in ``.gz`` or ``.xz``."""
        store(path, self.to_text())

    def to_resource(self) -> Clusters:
        """Build the resource ``brown``, for a training in the same program."""
        lookup = Lookup()
        for word, path in zip(self.words, self.paths):
            lookup.add(word, path)
        return Clusters(lookup)


def is_writable(word: str) -> bool:
    """Tell whether a line of a file can hold the word: resources cut lines at tabs, and blanks off their ends."""
    return word == word.strip() != "" and not set(word) & set("\t\n\r\0")


def build_paths(into: Numbers, other: Numbers, clusters: int) -> dict[int, str]:
    """Build the bit strings of some clusters from the merges that make one of them, first merge first."""
    if clusters == 1:
        return {0: "0"}
    paths = {int(into[-1]): ""} if clusters else {}
    for first, second in zip(into[::-1].tolist(), other[::-1].tolist()):
        paths[second] = paths[first] + "1"
        paths[first] += "0"
    return paths
