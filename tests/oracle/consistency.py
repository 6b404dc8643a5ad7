"""Non-local features as plain loops over spans and occurrences (the table in structures/consistency.py).

A document is a list of sentences; spans are (sentence, start, stop, class). An occurrence of a phrase is any place of
a sentence where its words stand. Its status is the class of the span that it is, "O" if no span touches it, "inside" if
it is a part of a longer span, else "cut". Occurrences inside longer spans say nothing of a phrase.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence

Document = Sequence[Sequence[str]]
Span = tuple[int, int, int, str]
Place = tuple[int, int, int]  # sentence, start, stop
JOINING = {",", "and", "or", "&", "/", "und", "oder", "et", "ou", "y", "o", "e", "en"}
LONGEST = 12  # tokens of a span whose parts are looked at


def features(document: Document, spans: Sequence[Span], classes: Sequence[str]) -> Counter[str]:
    """All families; ``classes`` in the order of their numbers."""
    order = ["O", *classes, "inside", "cut"]
    found: Counter[str] = Counter()
    votes: dict[Span, list[str]] = {span: [] for span in spans}

    def add(family: str, a: str, b: str, unordered: bool = False) -> None:
        a, b = sorted((a, b), key=order.index) if unordered else (a, b)
        found[f"{family}={a}|{b}"] += 1

    def most(values: Sequence[str]) -> str:
        """The most frequent; of several the lowest."""
        return max(values, key=lambda value: (values.count(value), -order.index(value)))

    for span in first_of_each_phrase(document, spans):
        found_statuses = [status(place, spans) for place in occurrences(document, words_of(document, span))]
        statuses = [each for each in found_statuses if each != "inside"]
        for a, b in itertools.pairwise(statuses):
            add("phrase", a, b, unordered=True)
        for i, each in enumerate(statuses):
            if others := statuses[:i] + statuses[i + 1 :]:
                add("phrase-majority", each, most(others))
        for place in part_occurrences(document, span):
            if status(place, spans) in ("O", *classes):
                add("subphrase", span[3], status(place, spans))
                for other in spans:
                    if other[:3] == place:
                        votes[other].append(span[3])
    for span, voted in votes.items():
        if voted:
            add("subphrase-majority", span[3], most(voted))
        if (neighbour := next_in_list(document, span, spans)) is not None:
            add("conjunction", span[3], neighbour, unordered=True)
    return found


def words_of(document: Document, place: Sequence[int | str]) -> tuple[str, ...]:
    sentence, start, stop = place[:3]
    return tuple(document[sentence][start:stop])


def first_of_each_phrase(document: Document, spans: Sequence[Span]) -> list[Span]:
    """One span for all that have the same words, in whatever class: the first."""
    firsts: dict[tuple[str, ...], Span] = {}
    for span in sorted(spans):
        firsts.setdefault(words_of(document, span), span)
    return list(firsts.values())


def occurrences(document: Document, words: tuple[str, ...]) -> Iterator[Place]:
    for number, sentence in enumerate(document):
        for start in range(len(sentence) - len(words) + 1):
            if tuple(sentence[start : start + len(words)]) == words:
                yield number, start, start + len(words)


def status(place: Place, spans: Sequence[Span]) -> str:
    sentence, start, stop = place
    touching = [span for span in spans if span[0] == sentence and span[1] < stop and start < span[2]]
    if not touching:
        return "O"
    first = touching[0]
    if first[:3] == place:
        return first[3]
    return "inside" if first[1] <= start and stop <= first[2] else "cut"


def part_occurrences(document: Document, span: Span) -> Iterator[Place]:
    """Where the parts of a span that begin and end like names stand, in the document."""
    sentence, begin, end, _ = span
    if end - begin > LONGEST:
        return
    for start in range(begin, end):
        for stop in range(start + 1, end + 1):
            words = document[sentence][start:stop]
            if stop - start < end - begin and not words[0][:1].islower() and not words[-1][:1].islower():
                yield from occurrences(document, tuple(words))


def next_in_list(document: Document, span: Span, spans: Sequence[Span]) -> str | None:
    """The class of what stands after the words that join a list; "O" of a capitalised word outside; None: no list."""
    number, _, stop, _ = span
    sentence, t = document[number], stop
    inside = {(s, i): each for s, start, end, each in spans for i in range(start, end)}
    while t < len(sentence) and sentence[t] in JOINING and (number, t) not in inside:
        t += 1
    if t == stop or t == len(sentence):
        return None
    if (number, t) in inside:
        return inside[number, t]
    return None if sentence[t][:1].islower() else "O"
