"""The online learners as plain loops over examples with a dict of weights; searches and expectations by enumeration.

Every learner yields its weights after each example. Examples whose gold labels the masks forbid teach a CRF nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tests.oracle.chain import Labels, Part, Space, Token, dot, sequences
from tests.oracle.crf import gradient

Example = tuple[Sequence[Token], Labels]
Weights = Mapping[Part, float]


class TieError(Exception):
    """Two different opponents whose scores differ by no more than rounding: the core may take either."""


def move(weights: Counter[Part], direction: Mapping[Part, float], size: float, rates: Weights | None = None) -> None:
    for part, amount in direction.items():
        weights[part] += size * amount * (1.0 if rates is None else rates[part])


def opponent(
    space: Space, weights: Weights, example: Example, costs: Sequence[Sequence[float]], gap: float
) -> tuple[Counter[Part], float]:
    """Phi(gold) - Phi(the sequence with the highest score plus cost), and that cost (he-wang-2012, Eq. 5)."""
    sentence, gold = example
    found = []
    for labels in sequences(space, len(sentence)):
        parts, cost = space.parts(sentence, labels), sum(costs[g][y] for g, y in zip(gold, labels))
        found.append((dot(weights, parts) + cost, parts, cost))
    most, best, cost = max(found, key=lambda one: one[0])
    if any(most - score < gap and (parts, other) != (best, cost) for score, parts, other in found):
        raise TieError
    right = space.parts(sentence, gold)
    right.subtract(best)
    return right, cost


def passive_aggressive(
    space: Space, examples: Iterable[Example], start: Weights, costs: Sequence[Sequence[float]], C: float,
    *, damped: bool, gap: float = 1e-9,
) -> Iterator[dict[Part, float]]:  # fmt: skip
    """PA-I, and PA-II if damped (Crammer et al. 2006; he-wang-2012, Eq. 4)."""
    weights = Counter(start)
    for example in examples:
        direction, cost = opponent(space, weights, example, costs, gap)
        norm, loss = dot(direction, direction), cost - dot(weights, direction)
        if norm > 0:
            move(weights, direction, max(0.0, loss / (norm + 1 / (2 * C)) if damped else min(C, loss / norm)))
        yield dict(weights)


def prediction(
    space: Space, weights: Weights, example: Example, power: float, gap: float
) -> tuple[Counter[Part], float]:
    """Phi(gold) - Phi(the best sequence), and its number of wrong labels to a power (Crammer et al. 2006)."""
    sentence, gold = example
    found = [(dot(weights, space.parts(sentence, each)), each) for each in sequences(space, len(sentence))]
    most, best = max(found, key=lambda one: one[0])
    if any(most - score < gap and labels != best for score, labels in found):
        raise TieError
    right, wrong = space.parts(sentence, gold), sum(g != y for g, y in zip(gold, best))
    right.subtract(space.parts(sentence, best))
    return right, wrong**power if wrong else 0.0


def predicted_passive_aggressive(
    space: Space, examples: Iterable[Example], start: Weights, C: float, power: float, *, damped: bool,
    gap: float = 1e-9,
) -> Iterator[dict[Part, float]]:  # fmt: skip
    """PA-I, and PA-II if damped, with prediction-based updates (Crammer et al. 2006)."""
    weights = Counter(start)
    for example in examples:
        direction, cost = prediction(space, weights, example, power, gap)
        norm, loss = dot(direction, direction), cost - dot(weights, direction)
        if norm > 0:
            move(weights, direction, max(0.0, loss / (norm + 1 / (2 * C)) if damped else min(C, loss / norm)))
        yield dict(weights)


def confidence(
    space: Space, examples: Iterable[Example], start: Weights, *, power: float, variance: float, gamma: float,
    gap: float = 1e-9,
) -> Iterator[dict[Part, float]]:  # fmt: skip
    """AROW with a diagonal covariance (Crammer, Kulesza & Dredze 2009)."""
    weights, variances = Counter(start), dict.fromkeys(start, variance)
    for example in examples:
        direction, cost = prediction(space, weights, example, power, gap)
        spread = gamma + sum(amount**2 * variances[part] for part, amount in direction.items())
        move(weights, direction, max(0.0, cost - dot(weights, direction)) / spread, variances)
        for part, amount in direction.items():
            variances[part] = 1 / (1 / variances[part] + amount**2 / gamma)
        yield dict(weights)


def dual_ascent(space: Space, examples: Iterable[Example], start: Weights, C: float) -> Iterator[dict[Part, float]]:
    """DCA (Martins et al. 2010; he-wang-2012, Eq. 9)."""
    weights = Counter(start)
    for sentence, gold in examples:
        if sentence and space.allows(gold):
            direction, loss = gradient(space, weights, sentence, gold)
            norm = dot(direction, direction)
            if norm > 0:
                move(weights, direction, min(C, loss / norm))
        yield dict(weights)


def descent(
    space: Space, examples: Iterable[Example], start: Weights, *, rate: float, decay: float, l2: float, period: int,
    rates: Weights | None = None,
) -> Iterator[dict[Part, float]]:  # fmt: skip
    """SGD with rate / (1 + decay rate t); with the factors ``rates``, MADF (he-wang-2012, Eq. 14)."""
    weights = Counter(start)
    for t, (sentence, gold) in enumerate(examples):
        if sentence and space.allows(gold):
            direction, _ = gradient(space, weights, sentence, gold)
            move(weights, direction, rate / (1 + decay * rate * t), rates)
        if l2 and (t + 1) % period == 0:
            share = rate / (1 + decay * rate * (t + 1)) * l2 * period
            for part in weights:
                weights[part] /= 1 + share * (1.0 if rates is None else rates[part])
        yield dict(weights)


def frequency_factors(
    space: Space, examples: Sequence[Example], parts: Iterable[Part], a: float, b: float
) -> dict[Part, float]:
    """The diagonal B of MADF (he-wang-2012, Eq. 15)."""
    counts: Counter[Part] = Counter()
    for sentence, gold in examples:
        plain = [
            Token(tuple((f, 1) for f, _ in token.nodes), tuple((f, 1) for f, _ in token.edges)) for token in sentence
        ]
        counts.update(space.parts(plain, gold))
    tokens = sum(len(sentence) for sentence, _ in examples)
    return {part: 1 / (1 / b + (1 / a - 1 / b) * counts[part] / max(tokens, 1)) for part in parts}


def adaptive(
    space: Space, examples: Iterable[Example], start: Weights, *, rate: float, l2: float, period: int, window: int,
    slow: float = 0.995, fast: float = 0.6,
) -> Iterator[dict[Part, float]]:  # fmt: skip
    """ADF (Sun, Wang & Li 2012): a rate a feature, whatever its label."""
    weights = Counter(start)
    rates, fired = dict.fromkeys(weights, rate), Counter[tuple]()
    for t, (sentence, gold) in enumerate(examples, 1):
        if sentence and space.allows(gold):
            direction, _ = gradient(space, weights, sentence, gold)
            fired.update(firing(space, sentence))
            move(weights, direction, 1.0, rates)
        if t % period == 0:
            for part in weights:
                weights[part] /= 1 + l2 * period * rates[part]
        if t % window == 0:
            for part in weights:
                rates[part] *= slow - fired[part[:2]] / window * (slow - fast)
            fired.clear()
        yield dict(weights)


def firing(space: Space, sentence: Sequence[Token]) -> set[tuple]:
    """The features of a sentence; a row of transitions, all of which a sentence may take, is a feature."""
    nodes = {("node", f) for token in sentence for f, _ in token.nodes}
    edges = {("edge", f) for token in sentence[1:] for f, _ in token.edges}
    return nodes | edges | {("pair", p) for p in range(len(space.start)) if space.transitions}


def lasso(
    space: Space, examples: Iterable[Example], start: Weights, *, rate: float, decay: float, l1: float, count: int
) -> Iterator[dict[Part, float]]:
    """SGD with cumulative L1 penalty (Tsuruoka, Tsujii & Ananiadou 2009, Figure 2)."""
    weights, received, total = Counter(start), Counter[Part](), 0.0
    for t, (sentence, gold) in enumerate(examples):
        if sentence and space.allows(gold):
            direction, _ = gradient(space, weights, sentence, gold)
            step = rate * decay ** (t / count)
            total += step * l1
            move(weights, direction, step)
            for part in [part for part in weights if part[:2] in firing(space, sentence)]:
                before = weights[part]
                if before > 0:
                    weights[part] = max(0.0, before - (total + received[part]))
                else:
                    weights[part] = min(0.0, before + (total - received[part]))
                received[part] += weights[part] - before
        yield dict(weights)
