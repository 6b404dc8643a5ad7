"""Spans by their probability, by enumeration: of every span, and the best set of spans that do not overlap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.oracle.chain import Labels

Span = tuple[int, int, int]  # first token, token after the last, class


@dataclass(frozen=True)
class Roles:
    """The class of every label (0: outside), and whether it always begins or ends a span."""

    classes: tuple[int, ...]
    begins: tuple[bool, ...]
    ends: tuple[bool, ...]

    def find_spans(self, labels: Labels) -> frozenset[Span]:
        """The spans of a labelling."""
        found, first = [], None
        for t, label in enumerate(labels):
            before = labels[t - 1] if t else None
            goes_on = (
                before is not None and self.classes[before] == self.classes[label]
                and not self.ends[before] and not self.begins[label]
            )  # fmt: skip
            if first is not None and not goes_on:
                found.append((first, t, self.classes[labels[first]]))
                first = None
            if first is None and self.classes[label]:
                first = t
        if first is not None:
            found.append((first, len(labels), self.classes[labels[first]]))
        return frozenset(found)


def span_probabilities(distribution: Mapping[Labels, float], roles: Roles) -> Counter[Span]:
    """P(span | x) of every span."""
    found: Counter[Span] = Counter()
    for labels, probability in distribution.items():
        for span in roles.find_spans(labels):
            found[span] += probability
    return found


def value(spans: frozenset[Span], probabilities: Mapping[Span, float], threshold: float) -> float:
    """What the probabilities of the spans are above the threshold, in all."""
    return sum(probabilities[span] - threshold for span in spans)


def sets_without_overlap(spans: Sequence[Span]) -> Iterator[frozenset[Span]]:
    """All sets of spans of which no two share a token."""
    if not spans:
        yield frozenset()
        return
    first, *rest = spans
    yield from sets_without_overlap(rest)
    apart = [span for span in rest if span[1] <= first[0] or span[0] >= first[1]]
    yield from (chosen | {first} for chosen in sets_without_overlap(apart))
