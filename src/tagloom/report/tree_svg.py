"""A dependency tree as SVG: arcs above the words, relations on the arcs, tags below the words.

The same tree gives the same bytes. Texts are texts, in whatever sans-serif font the reader has, so that widths are
estimated; no scripts, no ids, no references to anything outside.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from xml.sax.saxutils import escape

from tagloom.report.tree_layout import Arc, SentenceTree, display_width, levels

_INK, _FAINT, _ARC = "#24292f", "#57606a", "#0072B2"
_CELL, _SMALL_CELL = 8.5, 6.6  # estimated width of a character: of words, of relations and tags
_GAP, _MARGIN = 18, 12  # between words, around the drawing
_STEP, _RADIUS = 24, 9  # height of a level of arcs, of their corners
_SPREAD = 5  # arcs leave a word beside the one that comes in
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def tree_svg(tree: SentenceTree) -> str:
    """The drawing as a file of its own, or to be put into a page."""
    heights = levels(tree.arcs(), touching=True)
    top = 1 + max(heights.values(), default=0)  # the root's arrow comes from above all arcs
    centres, width = _centres(tree)
    base = _MARGIN + 14 + _STEP * top  # where arcs meet words
    parts = [_arc(arc, level, tree, centres, base) for arc, level in heights.items()]
    parts += [
        _root(centres[word], tree.relations[word], base, _STEP * top)
        for word, head in enumerate(tree.heads)
        if not head
    ]
    parts += [_text(x, base + 18, word, 15, _INK) for x, word in zip(centres, tree.words)]
    parts += [_text(x, base + 36, tag, 11, _FAINT) for x, tag in zip(centres, tree.tags) if tag]
    height = base + (48 if any(tree.tags) else 30)
    size = f'width="{width:.0f}" height="{height}" viewBox="0 0 {width:.0f} {height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="sans-serif">'
    back = f'<rect width="{width:.0f}" height="{height}" fill="#ffffff"/>'
    return "\n".join([head, f"<title>{_escaped(' '.join(tree.words))}</title>", back, *parts, "</svg>", ""])


def _centres(tree: SentenceTree) -> tuple[list[float], float]:
    """The middle of each word, far enough apart for words, tags and the relations between neighbours; total width."""
    halves = [
        max(_CELL * display_width(word), _SMALL_CELL * display_width(tag)) / 2
        for word, tag in zip(tree.words, tree.tags)
    ]
    if not halves:
        return [], 2 * _MARGIN
    labels = [_SMALL_CELL * display_width(text) for text in tree.relations]
    centres = [_MARGIN + max(halves[0], labels[0] / 2)]
    for left, right in itertools.pairwise(range(len(halves))):
        between = [
            labels[w] + 2 * (_RADIUS + _SPREAD) for w, h in ((left, right), (right, left)) if tree.heads[w] == h + 1
        ]
        centres.append(centres[-1] + max(halves[left] + _GAP + halves[right], *between, 0))
    return centres, centres[-1] + max(halves[-1], labels[-1] / 2) + _MARGIN


def _arc(arc: Arc, level: int, tree: SentenceTree, centres: Sequence[float], base: float) -> str:
    """Up from the head, along, and down to the dependent."""
    right = arc.dependent > arc.head
    start = centres[arc.head - 1] + (_SPREAD if right else -_SPREAD)
    stop, top, turn = centres[arc.dependent - 1], base - _STEP * level, _RADIUS if right else -_RADIUS
    path = (
        f"M{start:.1f} {base} V{top + _RADIUS} Q{start:.1f} {top} {start + turn:.1f} {top} "
        f"H{stop - turn:.1f} Q{stop:.1f} {top} {stop:.1f} {top + _RADIUS} V{base - 4}"
    )
    line = f'<path d="{path}" fill="none" stroke="{_ARC}" stroke-width="1.2"/>'
    relation = tree.relations[arc.dependent - 1]
    label = _label((start + stop) / 2, top, relation) if relation else []
    return "\n".join([line, _arrow(stop, base), *label])


def _root(x: float, relation: str, base: float, height: float) -> str:
    line = f'<path d="M{x:.1f} {base - height} V{base - 4}" fill="none" stroke="{_FAINT}" stroke-width="1.2"/>'
    return "\n".join([line, _arrow(x, base, _FAINT), _text(x, base - height - 3, relation or "root", 11, _FAINT)])


def _arrow(x: float, base: float, colour: str = _ARC) -> str:
    return f'<path d="M{x:.1f} {base} l-3.5 -7 h7 z" fill="{colour}"/>'


def _label(x: float, y: float, relation: str) -> list[str]:
    """On a patch that interrupts the line."""
    width = _SMALL_CELL * display_width(relation) + 4
    patch = f'<rect x="{x - width / 2:.1f}" y="{y - 7}" width="{width:.1f}" height="14" fill="#ffffff"/>'
    return [patch, _text(x, y + 4, relation, 11, _INK)]


def _text(x: float, y: float, text: str, size: int, colour: str) -> str:
    style = f'font-size="{size}" text-anchor="middle" fill="{colour}"'
    return f'<text x="{x:.1f}" y="{y}" {style}>{_escaped(text)}</text>'


def _escaped(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", text))
