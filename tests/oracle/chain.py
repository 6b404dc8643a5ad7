"""The chain by enumeration: every label sequence of a sentence, scored part by part (chain.hpp).

Of several best sequences the one wins that comes first when sequences are read from their last label to their first:
Viterbi chooses the lowest of the best last labels, then, going back, the lowest label from which the best score comes.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

Labels = tuple[int, ...]
#: ("node", feature, label), ("pair", previous, next), ("edge", feature, previous, next) or, of history-based taggers,
#: ("triple", before, previous, next)
Part = tuple[str | int, ...]


@dataclass(frozen=True)
class Token:
    """The features of a token: (feature, value)."""

    nodes: tuple[tuple[int, float], ...] = ()
    edges: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True)
class Space:
    """Which label sequences exist, and which parts have a weight."""

    start: tuple[bool, ...]  # [L]
    end: tuple[bool, ...]  # [L]
    pairs: tuple[tuple[bool, ...], ...]  # [L][L] previous, next
    edge_pairs: tuple[frozenset[tuple[int, int]], ...] = ()  # of each edge feature
    transitions: bool = True
    triples: bool = False  # labels are scored with the two before them; for history-based taggers

    def allows(self, labels: Labels) -> bool:
        if not labels:
            return True
        neighbours = all(self.pairs[p][y] for p, y in itertools.pairwise(labels))
        return self.start[labels[0]] and self.end[labels[-1]] and neighbours

    def parts(self, sentence: Sequence[Token], labels: Labels) -> Counter[Part]:
        """Phi(x, y): the value of every part."""
        found: Counter[Part] = Counter()
        for t, (token, y) in enumerate(zip(sentence, labels)):
            for feature, value in token.nodes:
                found["node", feature, y] += value
            if t > 0:
                for part, value in self.pair_parts(token, labels[t - 1], y):
                    found[part] += value
        return found

    def pair_parts(self, token: Token, previous: int, y: int) -> Iterator[tuple[Part, float]]:
        if self.transitions:
            yield ("pair", previous, y), 1
        for feature, value in token.edges:
            if (previous, y) in self.edge_pairs[feature]:
                yield ("edge", feature, previous, y), value


def dot(weights: Mapping[Part, float], parts: Mapping[Part, float]) -> float:
    return sum(weights.get(part, 0.0) * value for part, value in parts.items())


def sequences(space: Space, length: int, allowed: Sequence[set[int]] | None = None) -> Iterator[Labels]:
    """All label sequences that masks and constraints leave."""
    choices = [range(len(space.start))] * length if allowed is None else allowed
    return filter(space.allows, itertools.product(*choices))


def best(
    space: Space, weights: Mapping[Part, float], sentence: Sequence[Token], allowed: Sequence[set[int]] | None = None
) -> tuple[Labels | None, float]:
    """The best sequence and its score; None and minus infinity if there is no sequence."""
    scored = ((dot(weights, space.parts(sentence, y)), y) for y in sequences(space, len(sentence), allowed))
    score, labels = min(scored, key=lambda pair: (-pair[0], pair[1][::-1]), default=(-math.inf, None))
    return labels, score


def viterbi(emissions: np.ndarray, transitions: np.ndarray) -> tuple[list[int], float]:
    """The best path through scores [T][L] and [T][L][L], in the arithmetic of the arrays' type."""
    scores, sources = emissions[0], []
    for t in range(1, len(emissions)):
        candidates = scores[:, None] + transitions[t]
        sources.append(candidates.argmax(axis=0))
        scores = candidates.max(axis=0) + emissions[t]
    path = [int(scores.argmax())]
    for source in reversed(sources):
        path.append(int(source[path[-1]]))
    return path[::-1], scores.max()
