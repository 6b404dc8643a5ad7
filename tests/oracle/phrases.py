"""The phrase chunker of carreras-2003, spelled out: kernel sums over all instances, every chunking enumerated."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

Phrase = tuple[int, int, int]  # first token, one past the last, category
BEGIN, INSIDE = 0, 1


@dataclass
class PlainPerceptrons:
    """Every vector is kept as the list of instances that made it, with the number of decisions it outlasted."""

    functions: int
    degree: int
    added: list[list[tuple[frozenset[int], int]]] = field(default_factory=list)
    outlasted: list[list[int]] = field(default_factory=list)  # [function][vector]

    def __post_init__(self) -> None:
        self.added = [[] for _ in range(self.functions)]
        self.outlasted = [[0] for _ in range(self.functions)]

    def kernel(self, x: frozenset[int], y: frozenset[int]) -> int:
        return (len(x & y) + 1) ** self.degree

    def decide(self, function: int) -> None:
        self.outlasted[function][-1] += 1

    def add(self, x: frozenset[int], function: int, sign: int) -> None:
        self.added[function].append((x, sign))
        self.outlasted[function].append(0)

    def current(self, x: frozenset[int], function: int) -> int:
        return sum(sign * self.kernel(y, x) for y, sign in self.added[function])

    def voted(self, x: frozenset[int], function: int) -> int:
        """sum_j c^j sum_{l <= j} s_l K(x^l, x): vector j is the sum of the first j instances."""
        total = 0
        for j, votes in enumerate(self.outlasted[function]):
            total += votes * sum(sign * self.kernel(y, x) for y, sign in self.added[function][:j])
        return total


def chunkings(length: int, proposed: Callable[[int, int], bool], categories: int) -> Iterator[list[Phrase]]:
    """All sets of phrases that do not overlap and that the filters propose, in the order of the text."""

    def from_(start: int) -> Iterator[list[Phrase]]:
        if start >= length:
            yield []
            return
        yield from from_(start + 1)
        for stop in range(start + 1, length + 1):
            if not proposed(start, stop):
                break
            for category, rest in itertools.product(range(categories), from_(stop)):
                yield [(start, stop, category), *rest]

    return from_(0)


def left_of(phrases: list[Phrase], start: int, reach: int) -> list[int]:
    """Categories of the words before a place, the nearest first, -1: none."""
    found = [-1] * start
    for first, stop, category in phrases:
        found[first:stop] = [category] * (stop - first)
    return found[::-1][:reach]


def search(
    length: int, proposed: Callable[[int, int], bool], categories: int,
    score: Callable[[int, int, list[Phrase], int], float],
) -> list[list[Phrase]]:  # fmt: skip
    """The best chunkings of the words before every place; ``score`` sees the best chunking before the phrase.

    Of equal chunkings the one without a phrase is better, then the one whose phrase begins earlier, then the category
    with the lower number.
    """
    best: list[tuple[float, list[Phrase]] | None] = [(0.0, []), *[None] * length]
    for start in range(length):
        here, next_ = best[start], best[start + 1]
        assert here is not None
        if next_ is None or here[0] >= next_[0]:
            best[start + 1] = here
        for stop in range(start + 1, length + 1):
            if not proposed(start, stop):
                break
            for category in range(categories):
                found, old = here[0] + score(start, stop, here[1], category), best[stop]
                if old is None or found > old[0]:
                    best[stop] = found, [*here[1], (start, stop, category)]
    return [each[1] for each in best if each is not None]


def feedback(
    gold: list[Phrase],
    predicted: list[Phrase],
    filters: PlainPerceptrons,
    scorers: PlainPerceptrons,
    word: Callable[[int], frozenset[int]],
    phrase: Callable[[int, int], frozenset[int]],
) -> None:
    """Section 3.1, case by case."""
    for start, stop, category in gold:
        if (start, stop, category) in predicted:
            continue
        blocked = False
        for token in range(start, stop):
            kind = BEGIN if token == start else INSIDE
            if filters.current(word(token), kind) <= 0:
                filters.add(word(token), kind, 1)
                blocked = True
        if not blocked:
            scorers.add(phrase(start, stop), category, 1)
    begins = {start for start, _, _ in gold}
    insides = {token for start, stop, _ in gold for token in range(start + 1, stop)}
    for start, stop, category in predicted:
        if (start, stop, category) in gold:
            continue
        scorers.add(phrase(start, stop), category, -1)
        if start not in begins:
            filters.add(word(start), BEGIN, -1)
        for token in range(start + 1, stop):
            if token not in insides:
                filters.add(word(token), INSIDE, -1)


@dataclass(frozen=True)
class PlainSentence:
    """What a phrase's features are made of, a value a token; ``entries[t]`` are (length, class) of the lists."""

    around: list[list[int]]
    inside: list[list[int]]
    forms: list[int]
    types: list[int]
    word_lists: list[list[int]]
    entries: list[list[tuple[int, int]]]


_OUTSIDE = 0x9216D5D98979FB1B
_ROLES = ("before", "after", "entity", "within", "pattern", "form", "whole_pattern", "entry", "word")


def phrase_keys(
    x: PlainSentence, start: int, stop: int, left: list[int], reach: int, mix: Callable[[int, int], int]
) -> Iterator[int]:
    """Keys of Phi_p of section 4; ``left`` are the categories of the words before, the nearest first, -1: none."""
    place = {role: number for number, role in enumerate(_ROLES, start=1)}
    length, tokens = len(x.forms), range(start, stop)
    for distance in range(reach + 1):
        for role, token in (("before", start - distance), ("after", stop - 1 + distance)):
            values = x.around[token] if 0 <= token < length else [_OUTSIDE]
            yield from (mix(mix(place[role], distance), value) for value in values)
    for distance, category in enumerate(left[:reach], start=1):
        if category >= 0:
            yield mix(mix(place["entity"], distance), category)
    for token in tokens:
        yield from (mix(mix(place["within"], 0), value) for value in x.inside[token])
        yield from (mix(mix(place["word"], 0), class_) for class_ in x.word_lists[token])
        for size in (2, 3, 4):
            if token + size <= stop:
                yield mix(mix(place["pattern"], size), functools.reduce(mix, x.types[token : token + size]))
    yield functools.reduce(mix, x.forms[start:stop], mix(place["form"], 0))
    yield functools.reduce(mix, x.types[start:stop], mix(place["whole_pattern"], 0))
    for long, class_ in x.entries[start]:
        if long == stop - start:
            yield mix(mix(place["entry"], 0), class_)
