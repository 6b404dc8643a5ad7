"""A dependency tree as text: one word per line with arcs to the left, or an outline if that is too wide."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from tagloom.arguments import check_arguments, check_methods
from tagloom.errors import ConfigError, unknown_name

TAG_COLUMNS = ("upos", "xpos", "pos", "tag")  # where tags are looked for, best first
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


@check_methods()
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


ARCS, INDENTED = "arcs", "indented"
STYLES = (ARCS, INDENTED)

_ASCII = str.maketrans("╭╰┬┴│─┼▸├", ",`++|-+>|")


@check_arguments
def draw_tree_text(
    tree: SentenceTree, style: str | None = None, *, width: int | None = None, plain: bool = False
) -> str:
    """Return the tree as lines of text.

    Args:
        tree: The sentence to draw.
        style: "arcs", or "indented" for dependents below their heads; if None arcs, unless a line is too long.
        width: The longest line if ``style`` is None.
        plain: Draw lines and corners in ASCII; words stay as they are.

    Raises:
        ConfigError: The style is unknown.

    Examples:
        >>> tree = SentenceTree.of(["The", "dog", "sleeps"], [2, 3, 0], ["det", "nsubj", "root"])
        >>> print(draw_tree_text(tree))
          ╭─▸ 1 The    det   2
        ╭─┴─▸ 2 dog    nsubj 3
        ╰──── 3 sleeps root  0
        >>> print(draw_tree_text(tree, "indented", plain=True))
        3 sleeps root
        `- 2 dog nsubj
           `- 1 The det
    """
    if style is not None and style not in STYLES:
        raise unknown_name("style of drawing", style, STYLES)
    lines = _draw_outline(tree) if style == INDENTED else _draw_arcs(tree)
    if style is None and width is not None and any(measure_width(line) > width for line in lines):
        lines = _draw_outline(tree)
    text = "\n".join(lines)
    return _to_ascii(text) if plain else text


def _to_ascii(text: str) -> str:
    """Translate what is drawn: the first columns of a line, up to the number of its word."""
    lines = text.split("\n")
    drawn = [next((place for place, c in enumerate(line) if c.isdigit()), len(line)) for line in lines]
    return "\n".join(line[:end].translate(_ASCII) + line[end:] for line, end in zip(lines, drawn))


def _draw_arcs(tree: SentenceTree) -> list[str]:
    heights = assign_levels(tree.arcs(), touching=False)
    top = max(heights.values(), default=0)
    columns = [
        [str(number) for number in range(1, len(tree.words) + 1)],
        tree.words,
        tree.tags,
        tree.relations,
        [str(head) for head in tree.heads],
    ]
    texts = _align([column for column in columns if any(column)])
    return [f"{_draw_row(word, tree, heights, top)} {text}" for word, text in enumerate(texts, 1)]


def _align(columns: Sequence[Sequence[str]]) -> list[str]:
    """Rows of aligned texts; the first column holds numbers and is aligned to the right."""
    widths = [max(map(measure_width, column), default=0) for column in columns]
    rows = []
    for row in zip(*columns):
        pads = [" " * (width - measure_width(cell)) for cell, width in zip(row, widths)]
        rows.append(" ".join([pads[0] + row[0], *(cell + pad for cell, pad in zip(row[1:], pads[1:]))]).rstrip())
    return rows


def _draw_row(word: int, tree: SentenceTree, heights: dict[Arc, int], top: int) -> str:
    """The arcs on the line of a word: lines that pass it, and corners of arcs that end here."""
    cells = [" "] * (2 * top + 1)
    ends: dict[int, bool] = {}  # place -> whether the arc goes down from here
    for arc, height in heights.items():
        place = 2 * (top - height)
        if arc.low < word < arc.high:
            cells[place] = "│"
        elif word in (arc.low, arc.high):
            ends[place] = word == arc.low
    if ends:
        first = min(ends)
        for place in range(first, len(cells)):
            cells[place] = "┼" if cells[place] == "│" else "─"
        for place, down in ends.items():
            cells[place] = ("╭" if down else "╰") if place == first else ("┬" if down else "┴")
        if tree.heads[word - 1]:
            cells[-1] = "▸"
    return "".join(cells)


def _draw_outline(tree: SentenceTree) -> list[str]:
    """Every word under its head, with its number in the sentence."""
    dependents: list[list[int]] = [[] for _ in range(len(tree.words) + 1)]
    for word, head in enumerate(tree.heads, 1):
        dependents[head].append(word)
    lines = []
    waiting = [
        (word, "", "") for word in reversed(dependents[0])
    ]  # with the text before its line, and before the lines below it
    while waiting:
        word, before, below = waiting.pop()
        parts = (str(word), tree.words[word - 1], tree.tags[word - 1], tree.relations[word - 1])
        lines.append(before + " ".join(part for part in parts if part))
        for dependent in reversed(dependents[word]):
            last = dependent == dependents[word][-1]
            waiting.append((dependent, below + ("╰─ " if last else "├─ "), below + ("   " if last else "│  ")))
    return lines
