"""Label schemes spelled out: how one span is written, and what that makes of whole sequences of labels.

A scheme is (begin, inside, end, single, outside). Spans are (start, stop, type), in order.
"""

from __future__ import annotations

from collections.abc import Iterable

from tests.oracle import conlleval

Span = tuple[int, int, str]

SCHEMES = {
    "IOB1": ("B", "I", "I", "B", "O"),
    "IOB2": ("B", "I", "I", "B", "O"),
    "BIOES": ("B", "I", "E", "S", "O"),
    "BILOU": ("B", "I", "L", "U", "O"),
    "BMES": ("B", "M", "E", "S", "O"),
    "SCN": ("S", "C", "C", "S", "N"),
}


def inventory(scheme: str, types: Iterable[str]) -> list[str]:
    """All labels of a scheme."""
    *inner, outside = SCHEMES[scheme]
    return [outside, *(_label(prefix, kind) for kind in types for prefix in dict.fromkeys(inner))]


def write(spans: Iterable[Span], length: int, scheme: str) -> list[str]:
    """The labels of a sentence."""
    labels = [SCHEMES[scheme][4]] * length
    last_stop, last_type = -1, ""
    for start, stop, kind in spans:
        labels[start:stop] = _write_span(stop - start, kind, scheme, touching=(start, kind) == (last_stop, last_type))
        last_stop, last_type = stop, kind
    return labels


def _write_span(length: int, kind: str, scheme: str, touching: bool) -> list[str]:
    begin, inside, end, single, _ = SCHEMES[scheme]
    if scheme == "IOB1" and not touching:
        begin = single = inside
    prefixes = [single] if length == 1 else [begin, *[inside] * (length - 2), end]
    return [_label(prefix, kind) for prefix in prefixes]


def _label(prefix: str, kind: str) -> str:
    return f"{prefix}-{kind}" if kind else prefix


def read_lenient(labels: list[str], scheme: str) -> list[Span]:
    """conlleval's reading, after the letters of the scheme were changed to those that conlleval knows."""
    letters = {"L": "E", "U": "S", "M": "I", "[": "S", "]": "S", ".": "O"}
    if scheme == "SCN":
        letters |= {"S": "B", "C": "I", "N": "O"}
    return conlleval.phrases([letters.get(label[0], label[0]) + label[1:] for label in labels])


def read_strict(labels: list[str], scheme: str) -> list[Span]:
    """Every stretch that is written as one span would be, and does not go on after its end."""
    types = {label.partition("-")[2] for label in labels if label != SCHEMES[scheme][4]}
    candidates = ((i, j, kind) for i in range(len(labels)) for j in range(i + 1, len(labels) + 1) for kind in types)
    return sorted(span for span in candidates if _stands(labels, span, scheme))


def _stands(labels: list[str], span: Span, scheme: str) -> bool:
    start, stop, kind = span
    before = labels[start - 1] if start else ""
    after = labels[stop] if stop < len(labels) else ""
    _, inside, end, _, _ = SCHEMES[scheme]
    touching = scheme == "IOB1" and before in (_label("B", kind), _label("I", kind))
    goes_on = end == inside and after == _label(inside, kind)
    return labels[start:stop] == _write_span(stop - start, kind, scheme, touching) and not goes_on


def is_legal(labels: list[str], scheme: str) -> bool:
    """Whether writing the spans that the labels hold gives the labels back."""
    return write(read_lenient(labels, scheme), len(labels), scheme) == labels
