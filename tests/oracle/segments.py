"""Segmentations by enumeration: scores, the best one, log Z and marginals (Sarawagi & Cohen 2004)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tests.oracle.crf import log_sum

#: First token, one past the last, type; None: a token outside of all segments.
Segment = tuple[int, int, int | None]
Segmentation = tuple[Segment, ...]


@dataclass(frozen=True)
class Scores:
    """The scores of one sentence."""

    emissions: np.ndarray  # [T][L]
    transitions: np.ndarray  # [L][L]
    segments: Mapping[tuple[int, int, int], float]  # (first, last, type) -> what its own features add
    roles: Sequence[tuple[int, int, int, int]]  # of every type: labels of first, inner, last and single tokens
    outside: int

    @property
    def length(self) -> int:
        return len(self.emissions)

    def labels(self, segmentation: Segmentation) -> list[int]:
        """One label per token."""
        found = []
        for first, last, kind in segmentation:
            if kind is None:
                found.append(self.outside)
                continue
            begin, inner, end, single = self.roles[kind]
            found += [single] if last - first == 1 else [begin, *[inner] * (last - first - 2), end]
        return found

    def score(self, segmentation: Segmentation) -> float:
        labels = self.labels(segmentation)
        tokens = sum(self.emissions[t, y] for t, y in enumerate(labels))
        pairs = sum(self.transitions[p, y] for p, y in itertools.pairwise(labels))
        own = sum(self.segments.get((first, last, kind), 0.0) for first, last, kind in segmentation if kind is not None)
        return float(tokens + pairs + own)

    def distribution(self) -> tuple[dict[Segmentation, float], float]:
        """P(segmentation | x), and log Z."""
        scores = {each: self.score(each) for each in segmentations(self.length, len(self.roles))}
        log_z = log_sum(list(scores.values()))
        return {each: math.exp(score - log_z) for each, score in scores.items()}, log_z

    def find_segmentation(self, labels: Sequence[int]) -> Segmentation:
        """The only segmentation that has these labels."""
        (found,) = [s for s in segmentations(self.length, len(self.roles)) if self.labels(s) == list(labels)]
        return found


def segmentations(length: int, types: int, first: int = 0) -> Iterator[Segmentation]:
    """All segmentations of the tokens from ``first`` on."""
    if first == length:
        yield ()
        return
    for rest in segmentations(length, types, first + 1):
        yield ((first, first + 1, None), *rest)
    for last in range(first + 1, length + 1):
        for kind, rest in itertools.product(range(types), segmentations(length, types, last)):
            yield ((first, last, kind), *rest)


def node_marginals(scores: Scores) -> np.ndarray:
    """P(y_t = y | x), [T][L]."""
    found = np.zeros(scores.emissions.shape)
    for segmentation, probability in scores.distribution()[0].items():
        found[range(scores.length), scores.labels(segmentation)] += probability
    return found
