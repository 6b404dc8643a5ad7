"""CRF++ by enumeration: features as strings, one weight for every label or label pair, and the optimum.

As in CRF++, the objective is the sum of -log P plus |w|^2 / 2C, or |w| / C.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product

import numpy as np

Sentence = Sequence[Sequence[str]]  # rows of fields; the last one is the label
_MACRO = re.compile(r"%x\[(-?\d+),(\d+)\]")


def expand(line: str, sentence: Sentence, token: int) -> str:
    """A line of a template with its macros replaced."""

    def replace(match: re.Match[str]) -> str:
        at = token + int(match[1])
        if at < 0:
            return f"_B{at}"
        return sentence[at][int(match[2])] if at < len(sentence) else f"_B+{at - len(sentence) + 1}"

    return _MACRO.sub(replace, line)


class Objective:
    """All label sequences of all sentences as vectors of feature counts."""

    def __init__(self, template: Sequence[str], sentences: Sequence[Sentence], freq: int = 1) -> None:
        self.labels = sorted({row[-1] for sentence in sentences for row in sentence})
        self.template = template
        counts: dict[str, int] = {}
        for sentence in sentences:
            for text in (text for token in range(len(sentence)) for text in self._texts(sentence, token)):
                counts[text] = counts.get(text, 0) + 1
        self.index: dict[tuple[str, ...], int] = {}
        for text in (text for text, count in counts.items() if count >= freq):
            for labels in product(self.labels, repeat=1 if text[0] == "U" else 2):
                self.index[(text, *labels)] = len(self.index)
        self.vectors = [self.list_vectors(sentence) for sentence in sentences]
        self.gold = [tuple(row[-1] for row in sentence) for sentence in sentences]

    def _texts(self, sentence: Sentence, token: int) -> list[str]:
        return [expand(line, sentence, token) for line in self.template if line[0] == "U" or token > 0]

    def list_vectors(self, sentence: Sentence) -> dict[tuple[str, ...], np.ndarray]:
        """The feature counts of every label sequence."""
        found = {}
        for labels in product(self.labels, repeat=len(sentence)):
            vector = found[labels] = np.zeros(len(self.index))
            for token in range(len(sentence)):
                for text in self._texts(sentence, token):
                    key = (text, labels[token]) if text[0] == "U" else (text, labels[token - 1], labels[token])
                    if key in self.index:
                        vector[self.index[key]] += 1
        return found

    def distribution(self, weights: np.ndarray, sentence: Sentence) -> dict[tuple[str, ...], float]:
        """P of every label sequence."""
        vectors = self.list_vectors(sentence)
        scores = np.array([weights @ vector for vector in vectors.values()])
        chances = np.exp(scores - scores.max())
        return dict(zip(vectors, (chances / chances.sum()).tolist()))

    def loss(self, weights: np.ndarray) -> tuple[float, np.ndarray]:
        """The sum of -log P, and its gradient."""
        total, gradient = 0.0, np.zeros_like(weights)
        for vectors, gold in zip(self.vectors, self.gold):
            matrix = np.array(list(vectors.values()))
            scores = matrix @ weights
            most = scores.max()
            chances = np.exp(scores - most)
            total += float(most + np.log(chances.sum()) - vectors[gold] @ weights)
            gradient += chances @ matrix / chances.sum() - vectors[gold]
        return total, gradient

    def minimise(self, cost: float, *, l1: bool = False, steps: int = 4000) -> np.ndarray:
        """Accelerated proximal gradient descent (Beck & Teboulle 2009)."""
        weights = ahead = np.zeros(len(self.index))
        size, momentum = 0.02, 1.0
        for _ in range(steps):
            moved = ahead - size * self.loss(ahead)[1]
            shrunk = np.sign(moved) * np.maximum(np.abs(moved) - size / cost, 0.0)
            new = shrunk if l1 else moved / (1 + size / cost)
            later = (1 + (1 + 4 * momentum**2) ** 0.5) / 2
            ahead = new + (momentum - 1) / later * (new - weights)
            weights, momentum = new, later
        return weights
