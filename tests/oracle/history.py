"""History-based taggers with a dict of weights: the search of Figure 2 and the learning of Figure 3 (tsuruoka-2011),
and beam search with early update (Collins & Roark 2004) or at the maximum violation (Huang, Fayong & Guo 2012).

Labels stand in the order in which they are decided: from right to left, the last token's comes first.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.oracle.chain import Labels, Part, Space, Token, dot, sequences

Example = tuple[Sequence[Token], Labels]
Weights = Mapping[Part, float]


@dataclass(frozen=True)
class Tagger:
    """A sentence as a transition system: a state is the labels decided so far."""

    space: Space
    sentence: Sequence[Token]
    backwards: bool = False
    history: int = 1

    def turned(self, labels: Labels) -> Labels:
        return labels[::-1] if self.backwards else labels

    def actions(self, state: Labels) -> list[int]:
        """Labels with which the sentence can still be finished."""
        ways = map(self.turned, sequences(self.space, len(self.sentence)))
        return sorted({way[len(state)] for way in ways if way[: len(state)] == state})

    def parts(self, state: Labels) -> Counter[Part]:
        """phi(S)."""
        found: Counter[Part] = Counter()
        tokens = self.sentence[::-1] if self.backwards else self.sentence
        for step, y in enumerate(state):
            for feature, value in tokens[step].nodes:
                found["node", feature, y] += value
            if step > 0:
                for part, value in self.space.pair_parts(tokens[step], state[step - 1], y):
                    found[part] += value
            if step > 1 and self.history == 2:
                found["triple", state[step - 2], state[step - 1], y] += 1
        return found

    def search(self, weights: Weights, depth: int, state: Labels) -> tuple[Labels, float]:
        """Figure 2."""
        if depth == 0 or len(state) == len(self.sentence):
            return state, dot(weights, self.parts(state))
        best, highest = state, -math.inf
        for action in self.actions(state):
            leaf, value = self.search(weights, depth - 1, (*state, action))
            if value > highest:
                best, highest = leaf, value
        return best, highest

    def decide(self, weights: Weights, depth: int) -> Labels:
        state: Labels = ()
        while len(state) < len(self.sentence):
            leaves = [(self.search(weights, depth, (*state, action))[1], action) for action in self.actions(state)]
            state = (*state, max(leaves, key=lambda leaf: (leaf[0], -leaf[1]))[1])
        return self.turned(state)

    def beams(self, weights: Weights, width: int) -> Iterator[list[tuple[float, Labels]]]:
        """The beam after every step, best first."""
        beam: list[tuple[float, Labels]] = [(0.0, ())]
        for _ in self.sentence:
            states = [(*state, action) for _, state in beam for action in self.actions(state)]
            beam = sorted(((dot(weights, self.parts(s)), s) for s in states), key=lambda one: -one[0])[:width]
            yield beam


def lookahead(taggers: Iterable[tuple[Tagger, Labels]], start: Weights, C: float, depth: int) -> Iterator[Weights]:
    """The weights after every decision (Figure 3); an example that teaches nothing counts as one."""
    weights = Counter(start)
    for tagger, gold in taggers:
        state, right = (), tagger.turned(gold)
        is_legal = tagger.space.allows(gold)
        for action in right if is_legal else ():
            leaves = {a: tagger.search(weights, depth, (*state, a)) for a in tagger.actions(state)}
            values = {a: value - C if a == action else value for a, (_, value) in leaves.items()}
            best = max(values, key=lambda a: (values[a], -a))
            if best != action:
                weights.update(tagger.parts(leaves[action][0]))
                weights.subtract(tagger.parts(leaves[best][0]))
            state = (*state, action)
            yield dict(weights)
        if not (right and is_legal):
            yield dict(weights)


def beam(taggers: Iterable[tuple[Tagger, Labels]], start: Weights, width: int, early: bool) -> Iterator[Weights]:
    """The weights after every example."""
    weights = Counter(start)
    for tagger, gold in taggers:
        found: tuple[float, Labels, Labels] | None = None
        for n, hypotheses in enumerate(tagger.beams(weights, width) if tagger.space.allows(gold) else (), 1):
            (score, best), right = hypotheses[0], tagger.turned(gold)[:n]
            violation = score - dot(weights, tagger.parts(right))
            if early and n < len(gold) and right in [state for _, state in hypotheses]:
                continue
            if best != right and (found is None or violation > found[0]):
                found = violation, right, best
            if early:
                break
        if found is not None:
            weights.update(tagger.parts(found[1]))
            weights.subtract(tagger.parts(found[2]))
        yield dict(weights)
