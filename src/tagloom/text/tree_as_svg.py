"""A dependency tree as SVG: arcs above the words, relations on the arcs, tags below the words.

The same tree gives the same bytes. Texts stay texts, in the sans-serif font that the reader has, so widths are
estimates. There are no scripts, no ids, and no references to anything outside.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from tagloom.arguments import check_arguments
from tagloom.text.trees import Arc, SentenceTree, assign_levels, measure_width


@dataclass(frozen=True)
class Palette:
    """The colours of a drawing, as SVG writes them."""

    ink: str = "#24292f"  # words and relations
    faint: str = "#57606a"  # tags, and the arrow of the root
    arc: str = "#0072B2"
    paper: str = "#ffffff"  # the background, and what interrupts an arc under its relation


PRINT = Palette()

_CELL, _SMALL_CELL = 8.5, 6.6  # estimated width of a character in words, and in relations and tags
_GAP, _MARGIN = 18, 12  # between words, around the drawing
_STEP, _RADIUS = 24, 9  # height of a level of arcs, and of their corners
_SPREAD = 5  # arcs leave a word beside the arc that enters it
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@check_arguments
def draw_tree_svg(tree: SentenceTree, palette: Palette = PRINT) -> str:
    """Return the drawing, as a file of its own or as a part of a page.

    Args:
        tree: The sentence to draw.
        palette: The colours; those of a page may be CSS variables.
    """
    heights = assign_levels(tree.arcs(), touching=True)
    top = 1 + max(heights.values(), default=0)  # the root's arrow comes from above all arcs
    centres, width = _place_words(tree)
    base = _MARGIN + 14 + _STEP * top  # where arcs meet words
    parts = [_draw_arc(arc, level, tree, centres, base, palette) for arc, level in heights.items()]
    parts += [
        _draw_root(centres[word], tree.relations[word], base, _STEP * top, palette)
        for word, head in enumerate(tree.heads)
        if not head
    ]
    parts += [_draw_text(x, base + 18, word, 15, palette.ink) for x, word in zip(centres, tree.words)]
    parts += [_draw_text(x, base + 36, tag, 11, palette.faint) for x, tag in zip(centres, tree.tags) if tag]
    height = base + (48 if any(tree.tags) else 30)
    size = f'width="{width:.0f}" height="{height}" viewBox="0 0 {width:.0f} {height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="sans-serif">'
    back = f'<rect width="{width:.0f}" height="{height}" fill="{palette.paper}"/>'
    return "\n".join([head, f"<title>{_escape(' '.join(tree.words))}</title>", back, *parts, "</svg>", ""])


def _place_words(tree: SentenceTree) -> tuple[list[float], float]:
    """The middle of each word, with enough space for words, tags and the relations of neighbours; the total width."""
    halves = [
        max(_CELL * measure_width(word), _SMALL_CELL * measure_width(tag)) / 2
        for word, tag in zip(tree.words, tree.tags)
    ]
    if not halves:
        return [], 2 * _MARGIN
    labels = [_SMALL_CELL * measure_width(text) for text in tree.relations]
    centres = [_MARGIN + max(halves[0], labels[0] / 2)]
    for left, right in itertools.pairwise(range(len(halves))):
        between = [
            labels[w] + 2 * (_RADIUS + _SPREAD) for w, h in ((left, right), (right, left)) if tree.heads[w] == h + 1
        ]
        centres.append(centres[-1] + max(halves[left] + _GAP + halves[right], *between, 0))
    return centres, centres[-1] + max(halves[-1], labels[-1] / 2) + _MARGIN


def _draw_arc(arc: Arc, level: int, tree: SentenceTree, centres: Sequence[float], base: float, palette: Palette) -> str:
    """Up from the head, along, and down to the dependent."""
    right = arc.dependent > arc.head
    start = centres[arc.head - 1] + (_SPREAD if right else -_SPREAD)
    stop, top, turn = centres[arc.dependent - 1], base - _STEP * level, _RADIUS if right else -_RADIUS
    path = (
        f"M{start:.1f} {base} V{top + _RADIUS} Q{start:.1f} {top} {start + turn:.1f} {top} "
        f"H{stop - turn:.1f} Q{stop:.1f} {top} {stop:.1f} {top + _RADIUS} V{base - 4}"
    )
    line = f'<path d="{path}" fill="none" stroke="{palette.arc}" stroke-width="1.2"/>'
    relation = tree.relations[arc.dependent - 1]
    label = _draw_label((start + stop) / 2, top, relation, palette) if relation else []
    return "\n".join([line, _draw_arrow(stop, base, palette.arc), *label])


def _draw_root(x: float, relation: str, base: float, height: float, palette: Palette) -> str:
    line = f'<path d="M{x:.1f} {base - height} V{base - 4}" fill="none" stroke="{palette.faint}" stroke-width="1.2"/>'
    label = _draw_text(x, base - height - 3, relation or "root", 11, palette.faint)
    return "\n".join([line, _draw_arrow(x, base, palette.faint), label])


def _draw_arrow(x: float, base: float, colour: str) -> str:
    return f'<path d="M{x:.1f} {base} l-3.5 -7 h7 z" fill="{colour}"/>'


def _draw_label(x: float, y: float, relation: str, palette: Palette) -> list[str]:
    """The relation on a patch that interrupts the line."""
    width = _SMALL_CELL * measure_width(relation) + 4
    patch = f'<rect x="{x - width / 2:.1f}" y="{y - 7}" width="{width:.1f}" height="14" fill="{palette.paper}"/>'
    return [patch, _draw_text(x, y + 4, relation, 11, palette.ink)]


def _draw_text(x: float, y: float, text: str, size: int, colour: str) -> str:
    style = f'font-size="{size}" text-anchor="middle" fill="{colour}"'
    return f'<text x="{x:.1f}" y="{y}" {style}>{_escape(text)}</text>'


def _escape(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", text))
