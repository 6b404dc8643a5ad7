"""Annotations for a terminal: entities and tags in colours, trees drawn. NO_COLOR leaves the colours out."""

from __future__ import annotations

import colorsys
import shutil
from collections.abc import Iterator

from tagloom.text import Annotation, Sentence, draw_tree_text
from tagloom.text.html import choose_hue
from tagloom.text.summary import choose_tags

_MOST_TREE_WORDS = 300


def colour_annotation(annotation: Annotation) -> str:
    """Return the lines that show an annotation, one sentence after another."""
    from rich.console import Console
    from rich.text import Text

    console = Console(force_terminal=True, highlight=False, markup=False, emoji=False, soft_wrap=True)
    with console.capture() as captured:
        for sentence in annotation.sents:
            if annotation.heads is not None and len(sentence) <= _MOST_TREE_WORDS:
                tree = sentence.build_tree()
                assert tree is not None
                console.print(Text(draw_tree_text(tree, width=shutil.get_terminal_size().columns)))
            if annotation.layers or annotation.heads is None:
                parts = _mark_spans(sentence) if annotation.layers else _mark_tags(sentence)
                console.print(Text.assemble(*parts))
    return captured.get()


def _mark_spans(sentence: Sentence) -> Iterator[tuple[str, str]]:
    """Running text with its spans and their labels; of spans that overlap, the longest."""
    text, at = sentence.annotation.text, sentence.start
    for span in sentence.spans:
        if span.start < at:
            continue
        colour = _choose_colour(span.label)
        yield _flatten(text[at : span.start]), ""
        yield _flatten(span.text), f"bold {colour}"
        yield f" {_flatten(span.label)}", colour
        at = span.end
    yield _flatten(text[at : max(at, sentence.end)]), ""


def _mark_tags(sentence: Sentence) -> Iterator[tuple[str, str]]:
    """Words with their tags."""
    name = choose_tags(sentence.annotation)
    for token in sentence.tokens:
        yield _flatten(token.text), ""
        if name is not None:
            yield f"/{_flatten(token[name])}", _choose_colour(token[name])
        yield " ", ""


def _choose_colour(label: str) -> str:
    """Choose the colour of a label: that of pages, as bright as both dark and light terminals can show."""
    red, green, blue = colorsys.hls_to_rgb(choose_hue(label) / 360, 0.5, 0.7)
    return f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}"


def _flatten(text: str) -> str:
    """A text that cannot move the cursor or change colours itself."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in text)
