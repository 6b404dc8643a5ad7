"""The phrase chunker of carreras-2003, spelled out: kernel sums over all instances, every chunking enumerated."""

from __future__ import annotations

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
