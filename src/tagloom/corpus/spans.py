"""Spans in columns, and the way from labels to spans and back.

Lenient reading is conlleval's: a span begins wherever a label cannot continue the one before it. conlleval.pl itself
joins neighbours of one type written with E or S (``S-PER S-PER`` is one phrase to it); here E and S end a span, so that
spans do not change with the scheme. For labels of B, I and O, and for IOE, both agree.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from tagloom._core import StringTable
from tagloom.arguments import check_arguments, check_methods, is_iterable
from tagloom.corpus.corpus import CodeArray, Column, IntArray, spread
from tagloom.corpus.mapped import CodeParts, cut_sentences, release
from tagloom.corpus.schemes import IOB2, SCN, BoolArray, LabelParts, Role, Scheme, split_known_labels
from tagloom.errors import DataError, show_value

TypedSpan: TypeAlias = tuple[int, int, str]  # start, stop, category

# Prefixes that no scheme contradicts but S/C/N, which brings its own; conlleval's brackets are phrases of one token.
LENIENT_ROLES: Mapping[str, Role] = {
    **dict.fromkeys("O.", Role.OUTSIDE),
    **dict.fromkeys("B", Role.BEGIN),
    **dict.fromkeys("IM", Role.INSIDE),
    **dict.fromkeys("EL", Role.END),
    **dict.fromkeys("SU[]", Role.SINGLE),
}
_SHOWN_TYPES = 8


@check_methods()
@dataclass(frozen=True)
class Spans:
    """Typed spans of tokens, in the order of the text; no two overlap when they come from labels."""

    sentence: CodeArray  # [K]
    start: IntArray  # [K] first token, counted through the corpus
    stop: IntArray  # [K] one past the last token
    type: CodeArray  # [K] into types
    types: list[str]

    def __len__(self) -> int:
        return len(self.start)

    def __repr__(self) -> str:
        return f"<Spans: {len(self):,} spans of {len(self.types):,} types {' '.join(self.types[:_SHOWN_TYPES])}>"

    def tuples(self) -> list[tuple[int, int, int, str]]:
        """Get (sentence, start, stop, type) of each span."""
        names = [self.types[number] for number in self.type.tolist()]
        return list(zip(self.sentence.tolist(), self.start.tolist(), self.stop.tolist(), names))

    def where(self, chosen: BoolArray | IntArray) -> Spans:
        """Return the spans that a mask or an index array selects."""
        return Spans(self.sentence[chosen], self.start[chosen], self.stop[chosen], self.type[chosen], self.types)


@check_arguments
def decode_spans(
    names: Sequence[str], codes: CodeArray, offsets: IntArray, scheme: Scheme, *, strict: bool = False
) -> Spans:
    """Read the spans of the labels ``names[codes]`` in sentences ``offsets``.

    Reading is lenient unless ``strict``: then only spans that are complete and well formed in the scheme count.

    >>> from tagloom.corpus.schemes import IOB2
    >>> labels = ["O", "B-PER", "I-PER", "I-LOC"], np.array([1, 2, 0, 3], np.int32), np.array([0, 4])
    >>> decode_spans(*labels, IOB2).tuples()
    [(0, 0, 2, 'PER'), (0, 3, 4, 'LOC')]
    >>> decode_spans(*labels, IOB2, strict=True).tuples()
    [(0, 0, 2, 'PER')]
    """
    prefix_roles = scheme.roles if strict else {**LENIENT_ROLES, **scheme.roles}
    parts = split_known_labels(names, codes, prefix_roles, scheme.name if strict else "any label scheme")
    spans = _maximal_spans(parts, codes, offsets)
    return spans.where(_well_formed(spans, parts, codes, scheme)) if strict else spans


def _maximal_spans(parts: LabelParts, codes: CodeArray, offsets: IntArray) -> Spans:
    roles, types = parts.roles[codes], parts.types[codes]
    inside = roles != Role.OUTSIDE
    begins = (roles == Role.BEGIN) | (roles == Role.SINGLE)
    ends = (roles == Role.END) | (roles == Role.SINGLE)
    # breaks[t]: no span runs over the gap before token t.
    breaks = np.ones(len(codes) + 1, dtype=np.bool_)
    breaks[1:-1] = begins[1:] | ends[:-1] | (types[1:] != types[:-1])
    breaks[offsets] = True
    start = np.flatnonzero(inside & breaks[:-1])
    stop = np.flatnonzero(inside & breaks[1:]) + 1
    sentence = np.searchsorted(offsets, start, side="right") - 1
    return Spans(sentence.astype(np.int32), start, stop, types[start], parts.type_names)


def _well_formed(spans: Spans, parts: LabelParts, codes: CodeArray, scheme: Scheme) -> BoolArray:
    first = parts.roles[codes[spans.start]]
    last = parts.roles[codes[spans.stop - 1]]
    if scheme.closed:
        return np.asarray((first == Role.SINGLE) | ((first == Role.BEGIN) & (last == Role.END)))
    expected = _touching(spans) if scheme.begins_where_touching else True
    return np.asarray((first == Role.BEGIN) == expected)


def _touching(spans: Spans) -> BoolArray:
    """Find spans, in the order of the text, that begin where another of their type and sentence stops: [K]."""
    touching = np.zeros(len(spans), dtype=np.bool_)
    touching[1:] = (
        (spans.start[1:] == spans.stop[:-1])
        & (spans.type[1:] == spans.type[:-1])
        & (spans.sentence[1:] == spans.sentence[:-1])
    )
    return touching


@check_arguments
def label_spans(spans: Spans, token_count: int, scheme: Scheme) -> tuple[list[str], CodeArray]:
    """Write spans as labels of a scheme: (names in use, codes [N]).

    >>> from tagloom.corpus.schemes import BIOES
    >>> one = Spans(np.array([0], np.int32), np.array([1]), np.array([3]), np.array([0], np.int32), ["PER"])
    >>> names, codes = label_spans(one, 4, BIOES)
    >>> [names[code] for code in codes]
    ['O', 'B-PER', 'E-PER', 'O']
    """
    spans = spans.where(np.argsort(spans.start, kind="stable"))
    _require_flat(spans, token_count)
    # Until the names are looked up, a code is 4 × type + role, with Role.BEGIN = 1 .. Role.SINGLE = 4.
    codes = np.zeros(token_count, dtype=np.int32)
    length, base = spans.stop - spans.start, 4 * spans.type
    within = np.arange(length.sum()) - np.repeat(np.cumsum(length) - length, length)
    codes[np.repeat(spans.start, length) + within] = np.repeat(base + Role.INSIDE, length)
    codes[spans.stop - 1] = base + Role.END
    first = np.where(length == 1, Role.SINGLE, Role.BEGIN)
    if scheme.begins_where_touching:
        first = np.where(_touching(spans), Role.BEGIN, Role.INSIDE)
    codes[spans.start] = base + first
    return _name_labels(codes, spans.types, scheme)


def _name_labels(codes: CodeArray, types: Sequence[str], scheme: Scheme) -> tuple[list[str], CodeArray]:
    prefixes = (scheme.begin, scheme.inside, scheme.end, scheme.single)
    every = [scheme.outside, *(f"{prefix}-{kind}" if kind else prefix for kind in types for prefix in prefixes)]
    numbers: dict[str, int] = {}
    renumber = np.zeros(len(every), dtype=np.int32)
    for code in np.flatnonzero(np.bincount(codes, minlength=len(every))):
        renumber[code] = numbers.setdefault(every[code], len(numbers))
    return list(numbers), renumber[codes]


def _require_flat(spans: Spans, token_count: int) -> None:
    """Raise DataError on spans that one label per token cannot write; spans are in the order of their starts."""
    outside = np.flatnonzero((spans.start < 0) | (spans.stop > token_count) | (spans.start >= spans.stop))
    if len(outside):
        span = _describe(spans, outside[0])
        raise DataError(f"{span} is empty or out of range: expected 0 <= start < stop <= {token_count}")
    overlapping = np.flatnonzero(spans.stop[:-1] > spans.start[1:])
    if len(overlapping):
        pair = f"{_describe(spans, overlapping[0])} and {_describe(spans, overlapping[0] + 1)}"
        raise DataError(f"{pair} overlap: a token has one label, drop one of them")


def _describe(spans: Spans, index: np.intp) -> str:
    return f"span {spans.start[index]}:{spans.stop[index]} ({spans.types[spans.type[index]] or 'no type'})"


def boundaries(column: Column, sentences: IntArray, scheme: Scheme, to_scheme: Scheme = SCN) -> Column:
    """Write where spans begin and end, without their types: S, C and N of Collins (2002), or another scheme.

    >>> from tagloom.corpus.schemes import IOB2
    >>> found = boundaries(Column.from_strings(["B-PER", "I-PER", "O", "B-LOC", "B-PER"]), np.array([0, 5]), IOB2)
    >>> [found.strings[code] for code in found.codes]
    ['S', 'C', 'N', 'S', 'S']
    """
    spans = _read_column(column, sentences, scheme)
    untyped = replace(spans, type=np.zeros_like(spans.type), types=[""])
    return spread(*label_spans(untyped, len(column), to_scheme))


@check_arguments
def convert_labels(column: Column, sentences: IntArray, from_scheme: Scheme, to_scheme: Scheme) -> Column:
    """Read the labels of a column leniently in one scheme, and write them in another."""
    _refuse_bags(column)
    strings, parts = StringTable(), CodeParts(column.codes)
    for begin, end in itertools.pairwise(cut_sentences(sentences).tolist()):
        first, last = int(sentences[begin]), int(sentences[end])
        part = Column(column.codes[first:last], column.strings)
        spans = _read_column(part, sentences[begin : end + 1] - first, from_scheme)
        names, codes = label_spans(spans, len(part), to_scheme)
        parts.append(strings.intern_all(names)[codes])
        release(column.codes)
    return Column(parts.join(), strings)


def _refuse_bags(column: Column) -> None:
    if column.is_bag:
        raise DataError("a column of labels holds one label per token; this one holds bags of attributes")


def _read_column(column: Column, sentences: IntArray, scheme: Scheme) -> Spans:
    _refuse_bags(column)
    return decode_spans(column.strings.strings(), column.codes, sentences, scheme)


def read_span(value: object) -> TypedSpan | None:
    """Read one span: (start, stop, category), or a mapping with start, end and label; None if it is neither.

    >>> read_span([1, 3, "LOC"]), read_span({"start": 1, "end": 3, "label": "LOC"})
    ((1, 3, 'LOC'), (1, 3, 'LOC'))
    """
    if isinstance(value, Mapping):
        value = [next((value[key] for key in keys if key in value), None) for keys in _SPAN_KEYS]
    match value:
        case [int(start), int(stop), str(category)] if category and not isinstance(start, bool):
            return start, stop, category
    return None


# The last names are those of doccano.
_SPAN_KEYS = (("start", "start_offset"), ("end", "stop", "end_offset"), ("label", "category"))


def check_spans(spans: object, length: int, where: str, unit: str = "token") -> list[TypedSpan]:
    """Sort the spans of a sentence; raise DataError if one is empty, outside of the sentence, or overlaps another."""
    if isinstance(spans, str) or not is_iterable(spans):
        raise DataError(f"{where}: expected spans (start, stop, category), got {show_value(spans)}")
    found = []
    for value in spans:
        span = read_span(value)
        if span is None:
            raise DataError(f"{where}: expected a span (start, stop, category), got {show_value(value)}")
        found.append(span)
    found.sort()
    for start, stop, category in found:
        if stop <= start:
            raise DataError(f"{where}: span {start}:{stop} ({category}) is empty; expected start < stop")
        if start < 0 or stop > length:
            raise DataError(f"{where}: span {start}:{stop} ({category}) lies outside the {length} {unit}s of it")
    for before, after in itertools.pairwise(found):
        if before[1] > after[0]:
            pair = " and ".join(f"{start}:{stop} ({category})" for start, stop, category in (before, after))
            raise DataError(f"{where}: spans {pair} overlap; a token has one label, drop one of them")
    return found


def encode_spans(spans: Sequence[TypedSpan], length: int) -> list[str]:
    """Write the spans of one sentence, which do not overlap, as IOB2 labels."""
    labels = [IOB2.outside] * length
    for start, stop, category in spans:
        labels[start:stop] = [f"{IOB2.begin}-{category}", *[f"{IOB2.inside}-{category}"] * (stop - start - 1)]
    return labels
