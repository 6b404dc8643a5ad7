"""A dependency tree as text: one word per line with arcs to the left, or an outline if that is too wide."""

from __future__ import annotations

from collections.abc import Sequence

from tagloom.errors import unknown_name
from tagloom.report.tree_layout import Arc, SentenceTree, assign_levels, measure_width

ARCS, INDENTED = "arcs", "indented"
STYLES = (ARCS, INDENTED)

_ASCII = str.maketrans("╭╰┬┴│─┼▸├", ",`++|-+>|")


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
