"""Word lists with tags, and patterns that spell new words: the vocabulary of the newswire generator.

The file format is described in ``data/newswire.lexicon``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

# The only source of chance: a draw from [0, 1). ``random.Random.random`` keeps its sequence on every Python version.
Draw = Callable[[], float]

_PART = re.compile(r"\{(\w+)\}")


def skew(count: int, draw: Draw) -> int:
    """A number below ``count``: squaring the draw makes few of them frequent and many rare, as words are in text."""
    chance = draw()
    return int(count * chance * chance)


@dataclass(frozen=True)
class WordList:
    """Words of one tag, the frequent ones first; ``label`` is the entity type of all of them, if they have one."""

    words: tuple[str, ...]
    tag: str = ""
    label: str = ""


@dataclass(frozen=True)
class Lexicon:
    """Word lists by name."""

    lists: dict[str, WordList]

    @classmethod
    def parse(cls, text: str) -> Lexicon:
        """Read the lists of a rule file."""
        return cls({name: words for header, lines in blocks(text) for name, words in _columns(header, lines)})

    def word(self, words: WordList, draw: Draw) -> str:
        """A word of the list."""
        return self._spell(words.words[skew(len(words.words), draw)], draw)

    def _spell(self, pattern: str, draw: Draw) -> str:
        """The pattern with a word in the place of each ``{part}``, capitalised for ``{Part}``."""
        if "{" not in pattern:
            return pattern

        def part(match: re.Match[str]) -> str:
            words = self.lists[match[1].lower()].words
            word = words[int(len(words) * draw())]
            return word.capitalize() if match[1][0].isupper() else word

        return _PART.sub(part, pattern)


def blocks(text: str) -> Iterator[tuple[str, list[str]]]:
    """Each unindented line with the indented lines below it; lines that open with ``#`` are comments."""
    header, body = "", list[str]()
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line[0] == " ":
            body.append(line.strip())
            continue
        if header:
            yield header, body
        header, body = line.strip(), []
    yield header, body


def _columns(header: str, lines: list[str]) -> Iterator[tuple[str, WordList]]:
    name, *tags = header.split()
    words = " ".join(lines).split()
    if not tags:
        yield name, WordList(tuple(words))
    for column, heading in enumerate(tags):
        shared, _, label = heading.partition("/")
        for tag in shared.split("+"):
            yield f"{name}.{tag}", WordList(tuple(words[column :: len(tags)]), tag, label)
