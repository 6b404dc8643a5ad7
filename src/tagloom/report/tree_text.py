"""A dependency tree as text: a word a line, arcs to the left of the words; where that is too wide, an outline."""

from __future__ import annotations

from collections.abc import Sequence

from tagloom.errors import unknown_name
from tagloom.report.tree_layout import Arc, SentenceTree, display_width, levels

ARCS, INDENTED = "arcs", "indented"
STYLES = (ARCS, INDENTED)

_ASCII = str.maketrans("╭╰┬┴│─┼▸├", ",`++|-+>|")


def tree_text(tree: SentenceTree, style: str | None = None, *, width: int | None = None, plain: bool = False) -> str:
    """The tree as lines of text.

    style: "arcs", or "indented": dependents below their heads. Without it arcs, unless a line is longer than ``width``.
    plain: ASCII in the place of lines and corners; words are left as they are.

    >>> tree = SentenceTree.of(["The", "dog", "sleeps"], [2, 3, 0], ["det", "nsubj", "root"])
    >>> print(tree_text(tree))
      ╭─▸ 1 The    det   2
    ╭─┴─▸ 2 dog    nsubj 3
    ╰──── 3 sleeps root  0
    >>> print(tree_text(tree, "indented", plain=True))
    3 sleeps root
    `- 2 dog nsubj
       `- 1 The det
    """
    if style is not None and style not in STYLES:
        raise unknown_name("style of drawing", style, STYLES)
    lines = _outline(tree) if style == INDENTED else _arcs(tree)
    if style is None and width is not None and any(display_width(line) > width for line in lines):
        lines = _outline(tree)
    text = "\n".join(lines)
    return _plain(text) if plain else text


def _plain(text: str) -> str:
    """Only what is drawn is translated: the first columns of a line, up to the number of its word."""
    lines = text.split("\n")
    drawn = [next((place for place, c in enumerate(line) if c.isdigit()), len(line)) for line in lines]
    return "\n".join(line[:end].translate(_ASCII) + line[end:] for line, end in zip(lines, drawn))


def _arcs(tree: SentenceTree) -> list[str]:
    heights = levels(tree.arcs(), touching=False)
    top = max(heights.values(), default=0)
    columns = [
        [str(number) for number in range(1, len(tree.words) + 1)],
        tree.words,
        tree.tags,
        tree.relations,
        [str(head) for head in tree.heads],
    ]
    texts = _table([column for column in columns if any(column)])
    return [f"{_row(word, tree, heights, top)} {text}" for word, text in enumerate(texts, 1)]


def _table(columns: Sequence[Sequence[str]]) -> list[str]:
    """Rows of aligned texts; the first column, of numbers, to the right."""
    widths = [max(map(display_width, column), default=0) for column in columns]
    rows = []
    for row in zip(*columns):
        pads = [" " * (width - display_width(cell)) for cell, width in zip(row, widths)]
        rows.append(" ".join([pads[0] + row[0], *(cell + pad for cell, pad in zip(row[1:], pads[1:]))]).rstrip())
    return rows


def _row(word: int, tree: SentenceTree, heights: dict[Arc, int], top: int) -> str:
    """The arcs on the line of a word: lines that pass by, corners of those that end here."""
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


def _outline(tree: SentenceTree) -> list[str]:
    """Every word under its head, with its number in the sentence."""
    dependents: list[list[int]] = [[] for _ in range(len(tree.words) + 1)]
    for word, head in enumerate(tree.heads, 1):
        dependents[head].append(word)
    lines = []
    waiting = [(word, "", "") for word in reversed(dependents[0])]  # with what stands before its line, and below it
    while waiting:
        word, before, below = waiting.pop()
        parts = (str(word), tree.words[word - 1], tree.tags[word - 1], tree.relations[word - 1])
        lines.append(before + " ".join(part for part in parts if part))
        for dependent in reversed(dependents[word]):
            last = dependent == dependents[word][-1]
            waiting.append((dependent, below + ("╰─ " if last else "├─ "), below + ("   " if last else "│  ")))
    return lines
