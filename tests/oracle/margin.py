"""The margin perceptrons of kazama-torisawa-2007 with a dict of weights; n-best lists by enumeration.

An example is a document, sentence by sentence, with its gold labels and the names of the non-local features of any of
its labellings.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.oracle.chain import Labels, Part, Space, Token, dot
from tests.oracle.nbest import rank

Document = Sequence[Sequence[Token]]
Features = Callable[[Labels], Iterable[int]]
Weights = Mapping[Part, float]


@dataclass(frozen=True)
class Example:
    document: Document
    gold: Labels
    features: Features = lambda _: ()
    lists: Sequence[tuple[float, Labels]] | None = None  # candidates of another model with their scores
    gold_score: float = 0.0  # by that model


@dataclass(frozen=True)
class Variant:
    """n, C^a, C^l; part (B) of Algorithm 4.2 and how; whether another model's score stands for local features."""

    n: int = 2
    C: float = 0.0
    C_local: float = 0.0
    mends_local: bool = False
    conservative: bool = False
    local_first: bool = False
    by_score: bool = False


def local_parts(space: Space, document: Document, labels: Labels) -> Counter[Part]:
    """Phi^l of a document: nothing reaches over a border of sentences."""
    found, rest = Counter[Part](), iter(labels)
    for sentence in document:
        found.update(space.parts(sentence, tuple(itertools.islice(rest, len(sentence)))))
    return found


def all_parts(space: Space, example: Example, labels: Labels, score: float | None = None) -> Counter[Part]:
    """Phi^a: the local features, or the score in their place, and the non-local ones."""
    found = local_parts(space, example.document, labels) if score is None else Counter({("score",): score})
    found.update(("nonlocal", row) for row in example.features(labels))
    return found


def is_legal(space: Space, example: Example) -> bool:
    rest = iter(example.gold)
    return all(space.allows(tuple(itertools.islice(rest, len(sentence)))) for sentence in example.document)


def violation(weights: Weights, gold: tuple[Labels, Counter[Part]], order: Sequence[tuple[Labels, Counter[Part]]],
              margin: float) -> Counter[Part] | None:  # fmt: skip
    """Phi(gold) - Phi(rival) if gold wins by no more than the margin; the rival is the best that is not gold.

    Only the first two are looked at: where gold is neither the best nor the second best, the best is the rival.
    """
    others = [candidate for candidate in order[:2] if candidate[0] != gold[0]]
    if not others:
        return None
    right = Counter(gold[1])
    right.subtract(others[0][1])
    return right if dot(weights, right) <= margin else None


def direction(space: Space, weights: Weights, example: Example, how: Variant) -> Counter[Part] | None:
    """What Algorithms 3.1, 4.1 and 4.2 add to the weights; None: nothing."""
    listed = example.lists if example.lists is not None else rank(space, weights, example.document)[: how.n]
    whole = [(y, all_parts(space, example, y, score if how.by_score else None)) for score, y in listed]
    gold = example.gold, all_parts(space, example, example.gold, example.gold_score if how.by_score else None)
    whole.sort(key=lambda one: -dot(weights, one[1]))  # keeps the order of equal ones
    total = violation(weights, gold, whole, how.C)
    local = None
    if how.mends_local and not (how.conservative and example.gold in [y for _, y in listed]):
        parts = [(y, local_parts(space, example.document, y)) for y in [example.gold, *(y for _, y in listed)]]
        local = violation(weights, parts[0], parts[1:], how.C_local)
    first, second = (local, total) if how.local_first else (total, local)
    return first if first is not None else second


def errors(space: Space, weights: Weights, example: Example, how: Variant) -> int:
    """Tokens on which the best candidate is wrong."""
    listed = example.lists if example.lists is not None else rank(space, weights, example.document)[: how.n]
    scored = [(dot(weights, all_parts(space, example, y, s if how.by_score else None)), y) for s, y in listed]
    best = max(scored, key=lambda one: one[0], default=(0, example.gold))[1]
    return sum(a != b for a, b in zip(best, example.gold))


def train(space: Space, examples: Iterable[Example], start: Weights, how: Variant) -> Iterator[tuple[Weights, int]]:
    """The weights after each example, and the tokens in error before it. Labels that the masks forbid teach nothing."""
    weights = Counter(start)
    for example in examples:
        wrong = 0
        if example.gold and (how.by_score or is_legal(space, example)):
            wrong = errors(space, weights, example, how)
            weights.update(direction(space, weights, example, how) or {})
        yield dict(weights), wrong
