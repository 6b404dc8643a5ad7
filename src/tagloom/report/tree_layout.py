"""What drawings of dependency trees share: the words of a sentence, and the level of each arc."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from tagloom.corpus import Corpus, Trees
from tagloom.errors import ConfigError

_TAGS = ("upos", "xpos", "pos", "tag")
_UNSEEN = frozenset(["Cc", "Cs", "Zl", "Zp"])  # would move the cursor, or end a line
_WIDTHLESS = frozenset(["Mn", "Me", "Cf"])


@dataclass(frozen=True)
class Arc:
    """An arc from a head to its dependent; words are numbered from 1."""

    head: int
    dependent: int

    @property
    def low(self) -> int:
        """The first of the two words."""
        return min(self.head, self.dependent)

    @property
    def high(self) -> int:
        """The last of the two words."""
        return max(self.head, self.dependent)


@dataclass(frozen=True)
class SentenceTree:
    """A sentence to draw: its words, each with head (0: root), relation and tag; both may be empty strings."""

    words: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]
    tags: tuple[str, ...]

    @classmethod
    def of(
        cls, words: Sequence[str], heads: Sequence[int], relations: Sequence[str] = (), tags: Sequence[str] = ()
    ) -> SentenceTree:
        """Build a sentence. Control characters are replaced, so that words stay on their line.

        Raises:
            ConfigError: The numbers of words, heads, relations and tags differ, or a head is out of range.
        """
        blank = [""] * len(words)
        columns = [relations or blank, tags or blank]
        if not len(words) == len(heads) == len(columns[0]) == len(columns[1]):
            raise ConfigError(f"{len(words)} words need as many heads, relations and tags")
        wrong = [head for head in heads if not 0 <= head <= len(words)]
        if wrong:
            raise ConfigError(f"head {wrong[0]} is out of range, expected 0 (root) to {len(words)}")
        return cls(_clean(words), tuple(heads), _clean(columns[0]), _clean(columns[1]))

    @classmethod
    def from_corpus(cls, corpus: Corpus, trees: Trees, index: int, tags: str | None = None) -> SentenceTree:
        """Build sentence ``index`` (from 0) of a corpus.

        Args:
            corpus: The words and tags.
            trees: The heads and relations.
            index: Number of the sentence, from 0.
            tags: Column of the tags; if None the first of upos, xpos, pos and tag that there is.
        """
        form = "form" if "form" in corpus.columns else corpus.names[0]
        column = tags or next((name for name in _TAGS if name in corpus.columns), None)
        return cls.of(
            corpus.sentence(index, form),
            trees.heads_of(index),
            trees.relations_of(index) or (),
            corpus.sentence(index, column) if column else (),
        )

    def arcs(self) -> list[Arc]:
        """Return the arcs of all words that are not roots."""
        return [Arc(head, word) for word, head in enumerate(self.heads, 1) if head]


def _clean(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple("".join("\ufffd" if unicodedata.category(c) in _UNSEEN else c for c in text) for text in texts)


def measure_width(text: str) -> int:
    r"""Return the number of terminal columns that a text takes.

    >>> measure_width("cat"), measure_width("猫"), measure_width("e\u0301")
    (3, 2, 1)
    """
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if unicodedata.category(character) in _WIDTHLESS:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def assign_levels(arcs: Sequence[Arc], *, touching: bool) -> dict[Arc, int]:
    """Return the level of each arc, from 1. An arc is above all arcs below it, and arcs on one level do not overlap.

    Args:
        arcs: The arcs of a sentence.
        touching: Whether arcs that meet at a word may have the same level.
    """
    found: dict[Arc, int] = {}
    gap = 0 if touching else 1  # how many words two neighbours on a level must lie apart
    for arc in sorted(arcs, key=lambda arc: (arc.high - arc.low, arc.low)):
        others = [
            (other, level)
            for other, level in found.items()
            if other.low < arc.high + gap and arc.low - gap < other.high
        ]
        inside = [level for other, level in others if arc.low <= other.low and other.high <= arc.high]
        taken = {level for _, level in others}
        level = 1 + max(inside, default=0)
        while level in taken:
            level += 1
        found[arc] = level
    return found
