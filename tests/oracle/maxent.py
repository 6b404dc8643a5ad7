"""MaxEnt taggers with a dict of weights: a softmax at every decision (Ratnaparkhi 1996; collins-2002, section 2.2)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

from tests.oracle.chain import Labels, Part, dot, sequences
from tests.oracle.history import Tagger


def decision(tagger: Tagger, weights: Mapping[Part, float], state: Labels) -> dict[int, float]:
    """P(label | labels decided before) of the labels with which the sentence can still be finished."""
    scores = {y: dot(weights, tagger.parts((*state, y))) for y in tagger.actions(state)}
    most = max(scores.values(), default=0.0)
    total = math.fsum(math.exp(score - most) for score in scores.values())
    return {y: math.exp(score - most) / total for y, score in scores.items()}


def log_probability(tagger: Tagger, weights: Mapping[Part, float], labels: Labels) -> float:
    """The sum of the logarithms of the decisions; minus infinity if a label cannot be chosen."""
    decided, total = tagger.turned(labels), 0.0
    for step, y in enumerate(decided):
        found = decision(tagger, weights, decided[:step])
        if y not in found:
            return -math.inf
        total += math.log(found[y])
    return total


def distribution(tagger: Tagger, weights: Mapping[Part, float]) -> dict[Labels, float]:
    """log P(y | x) of every label sequence that is allowed."""
    return {y: log_probability(tagger, weights, y) for y in sequences(tagger.space, len(tagger.sentence))}


def gradient(tagger: Tagger, weights: Mapping[Part, float], gold: Labels) -> tuple[Counter[Part], float]:
    """Phi(gold) minus the sum of what the decisions expect, each after gold's labels; and -log P(gold | x)."""
    found, decided = tagger.parts(tagger.turned(gold)), tagger.turned(gold)
    for step in range(len(decided)):
        state = decided[:step]
        for y, probability in decision(tagger, weights, state).items():
            parts = tagger.parts((*state, y))
            parts.subtract(tagger.parts(state))
            for part, value in parts.items():
                found[part] -= probability * value
    return found, -log_probability(tagger, weights, gold)
