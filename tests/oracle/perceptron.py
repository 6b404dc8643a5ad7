"""The structured perceptron and its average (Collins 2002, Figure 1 and section 2.3), with a dict of weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tests.oracle.chain import Labels, Part, Space, Token, best

Example = tuple[Sequence[Token], Labels]


def train(space: Space, examples: Iterable[Example]) -> Iterator[dict[Part, float]]:
    """The weights after each example, in the order given."""
    weights: Counter[Part] = Counter()
    for sentence, gold in examples:
        guess, _ = best(space, weights, sentence)
        if guess != gold:
            weights.update(space.parts(sentence, gold))
            weights.subtract(space.parts(sentence, guess))
        yield dict(weights)


def average(vectors: Sequence[Mapping[Part, float]]) -> dict[Part, float]:
    """The mean of the vectors."""
    parts = {part for vector in vectors for part in vector}
    return {part: sum(vector.get(part, 0.0) for vector in vectors) / len(vectors) for part in parts}
