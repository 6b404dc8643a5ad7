"""Label schemes: how spans are written as one label per token, detected, checked, and turned into decoding masks.

A label is a prefix, and after the first hyphen the type of the span: ``B-PER``, ``I-some-type``; in tasks with one
type the prefix stands alone (``B``, ``M``). IOB1 and IOB2 follow Tjong Kim Sang and Veenstra (1999), S/C/N Collins
(2002, "Ranking Algorithms for Named-Entity Extraction").
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from tagloom.arguments import check_arguments, check_methods
from tagloom.corpus.corpus import CodeArray, IntArray
from tagloom.corpus.mapped import count_codes, cut_sentences, release
from tagloom.errors import DataError, unknown_name

BoolArray = NDArray[np.bool_]


class Role(IntEnum):
    """The place of a token in a span, whatever letter a scheme gives it."""

    UNKNOWN = -1
    OUTSIDE = 0
    BEGIN = 1
    INSIDE = 2
    END = 3
    SINGLE = 4


@check_methods()
@dataclass(frozen=True)
class Scheme:
    """The prefixes of one scheme. Where two roles share a prefix, the scheme does not tell them apart."""

    name: str
    begin: str
    inside: str
    end: str
    single: str
    outside: str = "O"
    # IOB1: ``begin`` marks only the span that touches another of its type; all others begin with ``inside``.
    begins_where_touching: bool = False

    @property
    def closed(self) -> bool:
        """Whether the last token of a span is marked."""
        return self.end != self.inside

    @property
    def roles(self) -> dict[str, Role]:
        """Role of each prefix."""
        return {
            self.single: Role.SINGLE,
            self.end: Role.END,
            self.begin: Role.BEGIN,
            self.inside: Role.INSIDE,
            self.outside: Role.OUTSIDE,
        }


IOB2 = Scheme("IOB2", begin="B", inside="I", end="I", single="B")
IOB1 = Scheme("IOB1", begin="B", inside="I", end="I", single="B", begins_where_touching=True)
BIOES = Scheme("BIOES", begin="B", inside="I", end="E", single="S")
BILOU = Scheme("BILOU", begin="B", inside="I", end="L", single="U")
BMES = Scheme("BMES", begin="B", inside="M", end="E", single="S")
SCN = Scheme("SCN", begin="S", inside="C", end="C", single="S", outside="N")

#: The label schemes by name. In detection, the earlier row wins a tie.
SCHEMES: Mapping[str, Scheme] = {scheme.name: scheme for scheme in (IOB2, IOB1, BIOES, BILOU, BMES, SCN)}
ALIASES: Mapping[str, Scheme] = {"BIO": IOB2, "IOBES": BIOES, "S/C/N": SCN}


@check_arguments
def get_scheme(name: str) -> Scheme:
    """Get a scheme by its name in upper or lower case: ``get_scheme("iob2")``."""
    scheme = SCHEMES.get(name.upper()) or ALIASES.get(name.upper())
    if scheme is None:
        raise unknown_name("label scheme", name, [*SCHEMES, *ALIASES])
    return scheme


@dataclass(frozen=True)
class LabelParts:
    """The labels of an inventory taken apart."""

    roles: NDArray[np.int8]  # [L] of Role; UNKNOWN for a prefix that the scheme does not have
    types: CodeArray  # [L] into type_names; -1 outside of spans
    type_names: list[str]


def split_labels(names: Sequence[str], prefix_roles: Mapping[str, Role]) -> LabelParts:
    """Get the role and type of every label."""
    roles = np.zeros(len(names), dtype=np.int8)
    types = np.full(len(names), -1, dtype=np.int32)
    numbers: dict[str, int] = {}
    for label, name in enumerate(names):
        prefix, _, span_type = name.partition("-")
        role = prefix_roles.get(prefix, Role.UNKNOWN)
        if role is Role.OUTSIDE and span_type:
            role = Role.UNKNOWN
        roles[label] = role
        if role > Role.OUTSIDE:
            types[label] = numbers.setdefault(span_type, len(numbers))
    return LabelParts(roles, types, list(numbers))


def labels_in_use(names: Sequence[str], codes: CodeArray) -> list[str]:
    """Get the labels of the inventory that occur."""
    return list(itertools.compress(names, count_codes(codes, len(names))))


def writes(scheme: Scheme, labels: Sequence[str]) -> bool:
    """Check whether the scheme has all these labels."""
    return Role.UNKNOWN not in split_labels(labels, scheme.roles).roles


def cuts_text(labels: Sequence[str], scheme: Scheme | None) -> bool:
    """Check whether every label belongs to a span without type: tokens are characters, spans are words."""
    if scheme is None:
        return False
    parts = split_labels(labels, scheme.roles)
    return bool((parts.roles > Role.OUTSIDE).all()) and parts.type_names == [""]


def match_labels(names: Sequence[str], decided: Scheme, written: Scheme) -> dict[str, list[int]]:
    """Find the labels of one scheme that may be written as a label of another, by that label.

    >>> match_labels(["O", "S-PER", "B-PER", "E-PER"], BIOES, IOB2)
    {'O': [0], 'B-PER': [1, 2], 'I-PER': [3]}
    """
    prefixes = {Role.OUTSIDE: written.outside, Role.BEGIN: written.begin, Role.INSIDE: written.inside,
                Role.END: written.end, Role.SINGLE: written.single}  # fmt: skip
    found: dict[str, list[int]] = {}
    parts = split_labels(names, decided.roles)
    for number, (role, name) in enumerate(zip(parts.roles.tolist(), names)):
        ending = name[name.index("-") :] if role > Role.OUTSIDE and "-" in name else ""
        forms = [prefixes[Role(role)]] if role != Role.UNKNOWN else []
        if written.begins_where_touching and role in (Role.BEGIN, Role.SINGLE):
            forms.append(written.inside)
        for form in forms:
            found.setdefault(form + ending, []).append(number)
    return found


def split_known_labels(
    names: Sequence[str], codes: CodeArray, prefix_roles: Mapping[str, Role], reading: str
) -> LabelParts:
    """Split the labels of an inventory; raise DataError on one that occurs in ``codes`` and has no role."""
    parts = split_labels(names, prefix_roles)
    unknown = np.flatnonzero((count_codes(codes, len(names)) > 0) & (parts.roles == Role.UNKNOWN))
    if len(unknown):
        raise DataError(
            f"label {names[int(unknown[0])]!r} does not belong to {reading}; name the right scheme or fix the label"
        )
    return parts


@check_arguments
def find_allowed_transitions(names: Sequence[str], scheme: Scheme | None) -> tuple[BoolArray, BoolArray, BoolArray]:
    """Find out which label may follow which: ``allowed[previous, next]`` [L, L], ``start`` [L], ``end`` [L].

    >>> allowed, start, end = find_allowed_transitions(["O", "B-PER", "I-PER"], IOB2)
    >>> allowed.astype(int).tolist(), start.tolist()
    ([[1, 1, 0], [1, 1, 1], [1, 1, 1]], [True, True, False])
    """
    if scheme is None:
        count = len(names)
        return np.ones((count, count), np.bool_), np.ones(count, np.bool_), np.ones(count, np.bool_)
    every_code = np.arange(len(names), dtype=np.int32)
    return _transitions(split_known_labels(names, every_code, scheme.roles, scheme.name), scheme)


def _transitions(parts: LabelParts, scheme: Scheme) -> tuple[BoolArray, BoolArray, BoolArray]:
    # A sentence is bounded by two imagined outside tokens: the last row is "start", the last column "end".
    roles = np.append(parts.roles, Role.OUTSIDE)
    types = np.append(parts.types, -1)
    unfinished = ((roles == Role.BEGIN) | (roles == Role.INSIDE))[:, None]
    same_type = types[:, None] == types[None, :]
    if scheme.begins_where_touching:
        allowed = (roles != Role.BEGIN)[None, :] | (unfinished & same_type)
    else:
        continues = ((roles == Role.INSIDE) | (roles == Role.END))[None, :]
        free = ~unfinished if scheme.closed else np.ones_like(unfinished)
        allowed = np.where(continues, unfinished & same_type, free)
    return allowed[:-1, :-1], allowed[-1, :-1], allowed[:-1, -1]


def _iterate_violations(
    parts: LabelParts, codes: CodeArray, offsets: IntArray, scheme: Scheme
) -> Iterator[tuple[int, BoolArray]]:
    """Find labels that may not follow the one before, or stand at an end of the sentence, part by part of the text.

    Gives the first token of each part, and for each of its tokens whether its label is wrong.
    """
    transitions = _transitions(parts, scheme)
    for begin, end in itertools.pairwise(cut_sentences(offsets).tolist()):
        first, last = offsets[begin], offsets[end]
        yield int(first), _find_violations(transitions, codes[first:last], offsets[begin : end + 1] - first)
        release(codes)


def _find_violations(
    transitions: tuple[BoolArray, BoolArray, BoolArray], codes: CodeArray, offsets: IntArray
) -> BoolArray:
    allowed, start, end = transitions
    wrong = np.zeros(len(codes), dtype=np.bool_)
    wrong[1:] = ~allowed[codes[:-1], codes[1:]]
    filled = offsets[1:] > offsets[:-1]
    firsts, lasts = offsets[:-1][filled], offsets[1:][filled] - 1
    wrong[firsts] = ~start[codes[firsts]]
    wrong[lasts] |= ~end[codes[lasts]]
    return wrong


@check_arguments
def check_labels(
    names: Sequence[str], codes: CodeArray, offsets: IntArray, scheme: Scheme, source: str = "<memory>"
) -> None:
    """Raise :class:`DataError` at the first label that the scheme forbids where it stands."""
    parts = split_known_labels(names, codes, scheme.roles, scheme.name)
    for first, wrong in _iterate_violations(parts, codes, offsets, scheme):
        if wrong.any():
            where, what = _describe(names, codes, offsets, first + int(np.argmax(wrong)))
            raise DataError(f"{source}: {where}: {scheme.name} forbids {what}; convert the labels to fix it")


def _describe(names: Sequence[str], codes: CodeArray, offsets: IntArray, token: int) -> tuple[str, str]:
    sentence = int(np.searchsorted(offsets, token, side="right")) - 1
    start, stop = offsets[sentence : sentence + 2].tolist()
    before = f"after {names[codes[token - 1]]!r}" if token > start else "at the start of a sentence"
    after = " at the end of a sentence" if token + 1 == stop else ""
    return f"sentence {sentence + 1}, token {token - start + 1}", f"{names[codes[token]]!r} {before}{after}"


@check_arguments
def detect_scheme(names: Sequence[str], codes: CodeArray, offsets: IntArray) -> Scheme | None:
    """Detect the scheme that has all labels in use and that the fewest tokens contradict; None for plain tags.

    >>> detect_scheme(["O", "I-PER", "B-PER"], np.array([1, 2, 0], np.int32), np.array([0, 3])).name
    'IOB1'
    >>> detect_scheme(["NN", "DT"], np.array([1, 0], np.int32), np.array([0, 2])) is None
    True
    """
    used = labels_in_use(names, codes)
    if len(used) < 2 and not any("-" in name for name in used):
        return None
    # B, E and S are in BIOES and BMES: where nothing is outside, text was cut into words.
    rows = sorted(SCHEMES.values(), key=lambda scheme: scheme is BMES, reverse="O" not in used)
    candidates = [row for row in rows if writes(row, used)]
    wrong = [_count_violations(names, codes, offsets, row) for row in candidates]
    return candidates[int(np.argmin(wrong))] if candidates else None


def _count_violations(names: Sequence[str], codes: CodeArray, offsets: IntArray, scheme: Scheme) -> int:
    parts = split_labels(names, scheme.roles)
    return sum(int(wrong.sum()) for _, wrong in _iterate_violations(parts, codes, offsets, scheme))
