"""Tagging as a transition system in the plain: a state is the tuple of the labels decided so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from tests.oracle.chain import Labels, Part, Space, Token


@dataclass(frozen=True, eq=False)
class Tagging:
    """``allowed``: the labels that each token may take; ``backwards``: from the last token to the first."""

    space: Space
    sentence: Sequence[Token]
    backwards: bool = False
    allowed: Sequence[set[int]] | None = None

    def initial(self) -> Labels:
        return ()

    def is_final(self, state: Labels) -> bool:
        return len(state) == len(self.sentence)

    def apply(self, state: Labels, action: int) -> Labels:
        return (*state, action)

    def actions(self, state: Labels) -> list[int]:
        """Labels that masks and constraints leave and after which the sentence can be finished."""
        return [y for y in range(len(self.space.start)) if _finishes(self, len(state), state[-1:], y)]

    def labels(self, path: Labels) -> Labels:
        """The labels in the order of the tokens."""
        return tuple(path[::-1]) if self.backwards else tuple(path)

    def features(self, state: Labels, y: int) -> Counter[Part]:
        token = self.sentence[self.token(len(state))]
        found: Counter[Part] = Counter()
        for feature, value in token.nodes:
            found["node", feature, y] += value
        if state:
            for part, value in self.space.pair_parts(token, state[-1], y):
                found[part] += value
        if len(state) > 1 and self.space.triples:
            found["triple", state[-2], state[-1], y] += 1
        return found

    def token(self, step: int) -> int:
        return len(self.sentence) - 1 - step if self.backwards else step


@lru_cache(maxsize=1 << 14)
def _finishes(tagging: Tagging, step: int, previous: Labels, y: int) -> bool:
    """Whether a label can stand at a step, and others after it to the end."""
    space, token, last = tagging.space, tagging.token(step), len(tagging.sentence) - 1
    if tagging.allowed is not None and y not in tagging.allowed[token]:
        return False
    if (token == 0 and not space.start[y]) or (token == last and not space.end[y]):
        return False
    if previous:
        pair = (y, previous[0]) if tagging.backwards else (previous[0], y)
        if not space.pairs[pair[0]][pair[1]]:
            return False
    return step == last or any(_finishes(tagging, step + 1, (y,), z) for z in range(len(space.start)))
