"""The CRF of a chain by enumeration: log Z, marginals and expectations (he-wang-2012, Eqs. 10 and 12)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from tests.oracle.chain import Labels, Part, Space, Token, dot, sequences


def log_sum(scores: Sequence[float]) -> float:
    most = max(scores, default=-math.inf)
    return most if math.isinf(most) else most + math.log(math.fsum(math.exp(score - most) for score in scores))


def distribution(
    space: Space, weights: Mapping[Part, float], sentence: Sequence[Token], allowed: Sequence[set[int]] | None = None
) -> tuple[dict[Labels, float], float]:
    """P(y | x) of every label sequence that is allowed, and log Z."""
    scores = {y: dot(weights, space.parts(sentence, y)) for y in sequences(space, len(sentence), allowed)}
    log_z = log_sum(list(scores.values()))
    return {y: math.exp(score - log_z) for y, score in scores.items()}, log_z


def node_marginals(probabilities: Mapping[Labels, float], length: int, labels: int) -> np.ndarray:
    """P(y_t = y | x), [T][L]."""
    found = np.zeros((length, labels))
    for sequence, probability in probabilities.items():
        found[range(length), list(sequence)] += probability
    return found


def expectation(space: Space, sentence: Sequence[Token], probabilities: Mapping[Labels, float]) -> Counter[Part]:
    """E[Phi] under the distribution; its pair parts are the sums of the pair marginals."""
    found: Counter[Part] = Counter()
    for labels, probability in probabilities.items():
        for part, value in space.parts(sentence, labels).items():
            found[part] += probability * value
    return found


def gradient(
    space: Space, weights: Mapping[Part, float], sentence: Sequence[Token], gold: Labels
) -> tuple[Counter[Part], float]:
    """Phi(gold) - E[Phi], and -log P(gold | x)."""
    probabilities, log_z = distribution(space, weights, sentence)
    found = space.parts(sentence, gold)
    loss = log_z - dot(weights, found)
    found.subtract(expectation(space, sentence, probabilities))
    return found, loss
