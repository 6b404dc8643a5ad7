"""An annotation as a short text: spans in brackets, words with their tags, or trees."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from tagloom.text.annotation import Annotation, SpanLayer
from tagloom.text.trees import TAG_COLUMNS, draw_tree_text

_MOST_WORDS = 60
_MOST_TREES = 3
_WIDTH = 100  # wider trees are drawn as outlines


def summarize(annotation: Annotation) -> str:
    """Return the lines that ``print(annotation)`` shows; long texts are cut."""
    layers = annotation.layers
    if len(layers) == 1:
        lines = [_cut(_bracket(annotation, layers[0]), annotation)]
    elif layers:
        lines = [f"{layer.name}: {_cut(_bracket(annotation, layer), annotation)}" for layer in layers]
    elif annotation.heads is None:
        lines = [_cut(_slash(annotation), annotation)]
    else:
        lines = []
    return "\n".join([*lines, "\n\n".join(_draw_trees(annotation))]).strip("\n")


def choose_tags(annotation: Annotation) -> str | None:
    """Choose the column to show beside the words: labels, or tags, or the column that was added last."""
    hidden = (annotation.heads, annotation.relations)
    names = [name for name in annotation.columns if name not in hidden]
    return next((name for name in ("label", *TAG_COLUMNS) if name in names), names[-1] if names else None)


def _bracket(annotation: Annotation, layer: SpanLayer) -> Iterator[str]:
    """Words with spans in brackets; only as many as are shown are looked at."""
    opened: dict[int, int] = {}
    closed: dict[int, list[tuple[int, str]]] = {}
    for first, last, label, _ in layer.iterate():
        if first < _MOST_WORDS:
            opened[first] = opened.get(first, 0) + 1
            closed.setdefault(last - 1, []).append((first, label))
    for token, word in enumerate(annotation.words[:_MOST_WORDS]):
        labels = "".join(f" {label}]" for _, label in sorted(closed.get(token, []), reverse=True))
        yield "[" * opened.get(token, 0) + _flatten(word) + labels


def _slash(annotation: Annotation) -> Iterator[str]:
    words = map(_flatten, annotation.words[:_MOST_WORDS])
    name = choose_tags(annotation)
    if name is None:
        return words
    return (f"{word}/{tag}" for word, tag in zip(words, annotation.columns[name]))


def _cut(words: Iterator[str], annotation: Annotation) -> str:
    more = len(annotation) - _MOST_WORDS
    return " ".join(words) + (f" … ({more:,} more tokens)" if more > 0 else "")


def _flatten(word: str) -> str:
    return word if word.isprintable() else "".join(c if c.isprintable() else "\ufffd" for c in word)


def _draw_trees(annotation: Annotation) -> Iterator[str]:
    if annotation.heads is None:
        return
    for sentence in itertools.islice(annotation.sents, _MOST_TREES):
        tree = sentence.build_tree() if len(sentence) <= _MOST_WORDS else None
        yield f"({len(sentence):,} tokens)" if tree is None else draw_tree_text(tree, width=_WIDTH)
    more = len(annotation.sentences) - 1 - _MOST_TREES
    if more > 0:
        yield f"… ({more:,} more sentences)"
