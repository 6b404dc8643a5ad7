"""Transition systems in the plain: search (tsuruoka-2011, Figure 2), learning (Figure 3), beams; a dict of weights.

A search enumerates all futures. Of equal ones the first wins, in the order of the actions: the comparison is strict.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

Feature = Hashable
Weights = Mapping[Feature, float]
Path = tuple[int, ...]


class System(Protocol):
    """What the core calls a transition system, bound to a sentence."""

    def initial(self) -> Any: ...
    def is_final(self, state: Any) -> bool: ...
    def actions(self, state: Any) -> Sequence[int]: ...
    def apply(self, state: Any, action: int) -> Any: ...
    def features(self, state: Any, action: int) -> Mapping[Feature, float]: ...


def score(system: System, weights: Weights, state: Any, action: int) -> float:
    return sum(weights.get(feature, 0.0) * value for feature, value in system.features(state, action).items())


def search(system: System, weights: Weights, depth: int, state: Any) -> tuple[float, Path]:
    """The highest sum of the scores of the next ``depth`` actions, and these actions."""
    if depth == 0 or system.is_final(state):
        return 0.0, ()
    best, best_path = -math.inf, ()
    for action, (value, path) in values(system, weights, depth - 1, state).items():
        if value > best:
            best, best_path = value, (action, *path)
    return best, best_path


def values(system: System, weights: Weights, depth: int, state: Any) -> dict[int, tuple[float, Path]]:
    """The value of every action that is possible, with the best future after it."""
    found = {}
    for action in system.actions(state):
        future, path = search(system, weights, depth, system.apply(state, action))
        found[action] = score(system, weights, state, action) + future, path
    return found


def decide(system: System, weights: Weights, depth: int) -> tuple[float, Path]:
    """The best action by lookahead, again and again; minus infinity at a dead end."""
    state, total, path = system.initial(), 0.0, ()
    while not system.is_final(state):
        _, future = search(system, weights, depth + 1, state)
        if not future:
            return -math.inf, path
        total += score(system, weights, state, future[0])
        path = (*path, future[0])
        state = system.apply(state, future[0])
    return total, path


def all_paths(system: System, state: Any) -> Iterator[Path]:
    """Every sequence of actions that leads to a final state."""
    if system.is_final(state):
        yield ()
        return
    for action in system.actions(state):
        for path in all_paths(system, system.apply(state, action)):
            yield action, *path


@dataclass(frozen=True)
class Hypothesis:
    score: float
    path: Path
    state: Any


def beam_step(system: System, weights: Weights, beam: Sequence[Hypothesis], width: int) -> list[Hypothesis]:
    """The best that follow; among equals the hypothesis that was ahead, then the lower action (the sort is stable)."""
    grown = [
        Hypothesis(h.score + score(system, weights, h.state, a), (*h.path, a), system.apply(h.state, a))
        for h in beam
        for a in system.actions(h.state)
    ]
    return sorted(grown, key=lambda h: -h.score)[:width]


def beam_search(system: System, weights: Weights, width: int) -> tuple[float, Path]:
    beam = [Hypothesis(0.0, (), system.initial())]
    while beam and not system.is_final(beam[0].state):
        beam = beam_step(system, weights, beam, width)
    return (beam[0].score, beam[0].path) if beam else (-math.inf, ())


def path_features(system: System, path: Path, state: Any = None) -> Counter[Feature]:
    state = system.initial() if state is None else state
    total: Counter[Feature] = Counter()
    for action in path:
        for feature, value in system.features(state, action).items():
            total[feature] += value
        state = system.apply(state, action)
    return total


# -- learning: each learner yields the weights after every decision, or every example --

Example = tuple[System, Path]  # and the actions that build gold


def learn_by_lookahead(
    examples: Iterable[Example], depth: int, margin: float, weights: Counter[Feature]
) -> Iterator[dict[Feature, float]]:
    """Figure 3. An example without a decision counts as one."""
    for system, gold in examples:
        state = system.initial()
        for right in gold:
            found = values(system, weights, depth, state)
            reduced = {a: value - margin if a == right else value for a, (value, _) in found.items()}
            rival = max(reduced, key=lambda a: (reduced[a], -a))
            if rival != right:
                weights.update(path_features(system, (right, *found[right][1]), state))
                weights.subtract(path_features(system, (rival, *found[rival][1]), state))
            yield dict(weights)
            state = system.apply(state, right)
        if not gold:
            yield dict(weights)


#: The cost of every action in a state.
Costs = Callable[[Any], Mapping[int, int]]


def learn_by_exploration(
    examples: Iterable[tuple[System, Costs]], margin: float, weights: Counter[Feature]
) -> Iterator[dict[Feature, float]]:
    """Goldberg & Nivre 2012, Algorithm 3, which always follows the highest score; with a margin."""
    for system, costs in examples:
        state = system.initial()
        while not system.is_final(state):
            scores = {action: score(system, weights, state, action) for action in system.actions(state)}
            cost = costs(state)
            chosen = max(scores, key=lambda a: (scores[a], -a))
            right = max((a for a in scores if not cost[a]), key=lambda a: (scores[a], -a))
            rivals = [(scores[a], -a) for a in scores if cost[a]]
            if rivals and max(rivals) > (scores[right] - margin, -right):
                weights.update(system.features(state, right))
                weights.subtract(system.features(state, -max(rivals)[1]))
            yield dict(weights)
            state = system.apply(state, chosen)


def learn_by_beam(
    examples: Iterable[Example], width: int, early: bool, weights: Counter[Feature]
) -> Iterator[dict[Feature, float]]:
    """Early update (Collins & Roark 2004) or maximum violation (Huang, Fayong & Guo 2012)."""
    for system, gold in examples:
        found = (early_update if early else max_violation)(list(_prefixes(system, gold, width, weights)))
        if found is not None:
            weights.update(path_features(system, found[0]))
            weights.subtract(path_features(system, found[1]))
        yield dict(weights)


@dataclass(frozen=True)
class Prefix:
    """The beam after some steps, beside gold."""

    gold: Path
    gold_score: float
    beam: list[Hypothesis]

    @property
    def pair(self) -> tuple[Path, Path] | None:
        return None if self.beam[0].path == self.gold else (self.gold, self.beam[0].path)


def _prefixes(system: System, gold: Path, width: int, weights: Weights) -> Iterator[Prefix]:
    beam, state, total = [Hypothesis(0.0, (), system.initial())], system.initial(), 0.0
    for length, right in enumerate(gold, start=1):
        beam = beam_step(system, weights, beam, width)
        total += score(system, weights, state, right)
        state = system.apply(state, right)
        yield Prefix(gold[:length], total, beam)


def early_update(prefixes: Sequence[Prefix]) -> tuple[Path, Path] | None:
    """Where gold falls out of the beam, or at the end."""
    for prefix in prefixes:
        if all(hypothesis.path != prefix.gold for hypothesis in prefix.beam):
            return prefix.pair
    return prefixes[-1].pair if prefixes else None


def max_violation(prefixes: Sequence[Prefix]) -> tuple[Path, Path] | None:
    """Where the best is ahead of gold by most, and is not gold; the first of such places."""
    wrong = [prefix for prefix in prefixes if prefix.pair is not None]
    return max(wrong, key=lambda p: p.beam[0].score - p.gold_score).pair if wrong else None


def mean(vectors: Sequence[Weights]) -> dict[Feature, float]:
    features = {feature for vector in vectors for feature in vector}
    return {feature: sum(vector.get(feature, 0.0) for vector in vectors) / len(vectors) for feature in features}
