"""Spans as data: (start, stop, category) of words of a sentence, checked, and as labels."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from tagloom.corpus.characters import TypedSpan
from tagloom.corpus.schemes import IOB2
from tagloom.errors import DataError


def checked_spans(spans: object, length: int, where: str, unit: str = "token") -> list[TypedSpan]:
    """The spans in the order of the text: none is empty, outside of the sentence, or overlaps another."""
    if isinstance(spans, str) or not isinstance(spans, Iterable):
        raise DataError(f"{where}: expected spans (start, stop, category), got {spans!r:.60}")
    found = sorted(_typed(span, where) for span in spans)
    for start, stop, category in found:
        if stop <= start:
            raise DataError(f"{where}: span {start}:{stop} ({category}) is empty; expected start < stop")
        if start < 0 or stop > length:
            raise DataError(f"{where}: span {start}:{stop} ({category}) lies outside the {length} {unit}s of it")
    require_flat(found, where)
    return found


def require_flat(spans: Sequence[TypedSpan], where: str) -> None:
    """Refuse spans, in the order of the text, that overlap or cross."""
    for before, after in itertools.pairwise(spans):
        if before[1] > after[0]:
            pair = " and ".join(f"{start}:{stop} ({category})" for start, stop, category in (before, after))
            raise DataError(f"{where}: spans {pair} overlap; a token has one label, drop one of them")


def labels_of_spans(spans: Sequence[TypedSpan], length: int) -> list[str]:
    """IOB2 labels of checked spans."""
    labels = [IOB2.outside] * length
    for start, stop, category in spans:
        labels[start:stop] = [f"{IOB2.begin}-{category}", *[f"{IOB2.inside}-{category}"] * (stop - start - 1)]
    return labels


def _typed(span: object, where: str) -> TypedSpan:
    match span:
        case [int(start), int(stop), str(category)] if category and not isinstance(start, bool):
            return start, stop, category
    raise DataError(f"{where}: expected a span (start, stop, category), got {span!r:.60}")
