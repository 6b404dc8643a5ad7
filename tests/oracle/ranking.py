"""Boosting, the perceptron and voting of collins-2002, straight from Figures 2, 3 and 4: everything computed anew."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Example:
    """Candidates as (L(x), features that hold), and the number of the best one; -1: not to be learned from."""

    candidates: list[tuple[float, frozenset[int]]]
    best: int


class PlainBoosting:
    """ExpLoss, its weights and what every feature would gain, summed over all pairs each time."""

    def __init__(self, examples: list[Example], features: int, smoothing: float, base_weight: float) -> None:
        self.examples, self.smoothing = examples, smoothing
        self.weights, self.base = np.zeros(features), base_weight

    def score(self, candidate: tuple[float, frozenset[int]]) -> float:
        return self.base * candidate[0] + sum(self.weights[k] for k in candidate[1])

    def pairs(self):
        """(x_i1, x_ij, exp(-M_ij)) of all i and j >= 2."""
        for example in self.examples:
            if example.best < 0:
                continue
            right = example.candidates[example.best]
            for j, other in enumerate(example.candidates):
                if j != example.best:
                    yield right, other, math.exp(self.score(other) - self.score(right))

    def loss(self) -> float:
        return sum(loss for _, _, loss in self.pairs())

    def sums(self) -> tuple[np.ndarray, np.ndarray]:
        plus, minus = np.zeros(len(self.weights)), np.zeros(len(self.weights))
        for right, other, loss in self.pairs():
            for k in right[1] - other[1]:
                plus[k] += loss
            for k in other[1] - right[1]:
                minus[k] += loss
        return plus, minus

    def gains(self) -> np.ndarray:
        plus, minus = self.sums()
        return np.abs(np.sqrt(plus) - np.sqrt(minus))

    def delta(self, feature: int) -> float:
        plus, minus = self.sums()
        smoothed = self.smoothing * self.loss()
        return 0.5 * math.log((plus[feature] + smoothed) / (minus[feature] + smoothed))


def base_loss(examples: list[Example], weight: float) -> float:
    """The loss of the base scores alone."""
    only_scores = [Example([(score, frozenset()) for score, _ in e.candidates], e.best) for e in examples]
    return PlainBoosting(only_scores, 0, 0.0, weight).loss()


def perceptron_vectors(
    examples: list[Example], features: int, beta: float, passes: int = 1
) -> list[tuple[float, np.ndarray]]:
    """Figure 3: the vector after every example, the weight of beta L(x) apart."""
    base, weights, vectors = 0.0, np.zeros(features), []
    for example in examples * passes:
        if example.best >= 0 and len(example.candidates) > 1:
            winner = best_candidate(example.candidates, base, weights, beta)
            if winner != example.best:
                (right_score, right), (wrong_score, wrong) = (
                    example.candidates[example.best],
                    example.candidates[winner],
                )
                base += beta * (right_score - wrong_score)
                weights = weights.copy()
                for k in right - wrong:
                    weights[k] += 1
                for k in wrong - right:
                    weights[k] -= 1
        vectors.append((base, weights))
    return vectors


def best_candidate(
    candidates: list[tuple[float, frozenset[int]]], base: float, weights: np.ndarray, beta: float
) -> int:
    scores = [base * beta * score + sum(weights[k] for k in rows) for score, rows in candidates]
    return max(range(len(scores)), key=lambda j: (scores[j], -j))


def votes(
    candidates: list[tuple[float, frozenset[int]]], vectors: list[tuple[float, np.ndarray]], beta: float
) -> list[int]:
    """Figure 4."""
    counts = [0] * len(candidates)
    for base, weights in vectors:
        if candidates:
            counts[best_candidate(candidates, base, weights, beta)] += 1
    return counts
