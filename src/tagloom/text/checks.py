"""Check that the parts of an annotation fit together; the first thing that is wrong is said in one line."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagloom.errors import DataError, show_value
from tagloom.text.annotation import Annotation, SpanLayer

_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")


def check_annotation(annotation: Annotation) -> None:
    """Raise DataError if offsets, words, sentences, multiword tokens, spans or heads are wrong."""
    _check_sentences(annotation)
    _check_multiwords(annotation)
    _check_offsets(annotation)
    _check_words(annotation)
    for name, values in annotation.columns.items():
        for token, value in enumerate(values):
            if not isinstance(value, str):
                raise DataError(
                    f"annotation: token {token}: expected a string in column {name!r}, got {show_value(value, 40)}"
                )
    for layer in annotation.layers:
        _check_layer(layer, len(annotation))
    names = [layer.name for layer in annotation.layers]
    if len(set(names)) < len(names):
        raise DataError(f"annotation: two layers have the same name among {names}; give each its own")
    for what, scores in [("", annotation.scores), *((layer.name, layer.scores) for layer in annotation.layers)]:
        if scores is not None and not np.isfinite(scores).all():
            raise DataError(f"annotation: {f'layer {what!r}: ' if what else ''}a score is not a finite number")
    if annotation.heads is not None:
        _check_heads(annotation, annotation.heads)


def _check_sentences(annotation: Annotation) -> None:
    offsets = annotation.sentences
    if not len(offsets) or offsets[0] != 0 or offsets[-1] != len(annotation) or np.any(np.diff(offsets) < 0):
        raise DataError(
            f"annotation: expected token offsets of sentences that rise from 0 to {len(annotation)}, "
            f"got {_shorten(offsets)}"
        )


def _check_multiwords(annotation: Annotation) -> None:
    before = 0
    for first, last in annotation.multiwords.tolist():
        if first < before or last > len(annotation) or last - first < 2:
            raise DataError(
                f"annotation: multiword token {first}:{last} does not fit: expected ranges of two tokens or more, "
                f"in order and without overlaps, of the {len(annotation)} tokens"
            )
        if annotation.sentence_of(first).last < last:
            raise DataError(f"annotation: multiword token {first}:{last} runs over the end of its sentence")
        before = last


def _check_offsets(annotation: Annotation) -> None:
    starts, ends, length = annotation.starts, annotation.ends, len(annotation.text)
    wrong = (starts < 0) | (ends > length) | (starts >= ends)
    if wrong.any():
        token = int(np.argmax(wrong))
        raise DataError(
            f"annotation: token {token} is at {starts[token]}:{ends[token]}; expected 0 <= start < end <= {length}, "
            "the length of the text"
        )
    overlapping = np.zeros(len(starts), np.bool_)
    overlapping[1:] = starts[1:] < ends[:-1]
    for token in np.flatnonzero(overlapping).tolist():
        if not _share_surface(annotation, token):
            places = f"{starts[token - 1]}:{ends[token - 1]} and {starts[token]}:{ends[token]}"
            raise DataError(
                f"annotation: tokens {token - 1} and {token} overlap at {places}; only the words of a multiword token "
                "that have the offsets of all of it may"
            )


def _share_surface(annotation: Annotation, token: int) -> bool:
    """Whether a token and the one before it are words of one multiword token, both with its offsets."""
    starts, ends = annotation.starts, annotation.ends
    inside = any(first < token < last for first, last in annotation.multiwords.tolist())
    return inside and starts[token] == starts[token - 1] and ends[token] == ends[token - 1]


def _check_words(annotation: Annotation) -> None:
    text = annotation.text
    loose = list_hidden_words(annotation)
    places = zip(annotation.words, annotation.starts.tolist(), annotation.ends.tolist())
    for token, (word, start, end) in enumerate(places):
        if text[start:end] != word and token not in loose:
            raise DataError(
                f"annotation: token {token} is {show_value(word, 40)}, but the text has "
                f"{show_value(text[start:end], 40)} at {start}:{end}"
            )


def list_hidden_words(annotation: Annotation) -> set[int]:
    """List the words that the surface does not show: they have the offsets of their whole multiword token."""
    hidden: set[int] = set()
    for first, last in annotation.multiwords.tolist():
        if len(set(annotation.starts[first:last].tolist())) == 1:
            hidden.update(range(first, last))
    return hidden


def _check_layer(layer: SpanLayer, count: int) -> None:
    for first, last, label, _ in layer.iterate():
        if not 0 <= first < last <= count:
            raise DataError(
                f"annotation: layer {layer.name!r}: span {first}:{last} ({label!s:.40}) is empty or out of range; "
                f"expected 0 <= first < last <= {count} tokens"
            )
        if not isinstance(label, str):
            raise DataError(
                f"annotation: layer {layer.name!r}: expected a string as label, got {show_value(label, 40)}"
            )


def _check_heads(annotation: Annotation, name: str) -> None:
    heads = annotation.column(name)
    for first, last in itertools.pairwise(annotation.sentences.tolist()):
        for token in range(first, last):
            if not _NUMBER.fullmatch(heads[token]) or int(heads[token]) > last - first:
                raise DataError(
                    f"annotation: token {token}: head {show_value(heads[token], 40)} is not a word of the sentence; "
                    f"expected 0 (root) to {last - first}"
                )


def _shorten(array: NDArray[Any]) -> str:
    values = array.tolist()
    return str(values) if len(values) <= 8 else f"[{', '.join(map(str, values[:4]))}, ... {values[-1]}]"
