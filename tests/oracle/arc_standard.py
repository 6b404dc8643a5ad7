"""Arc-standard and arc-hybrid parsing in the plain: subtrees as nested tuples; trees are lists of heads, from 1."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

Heads = tuple[int, ...]


class Node(NamedTuple):
    """A subtree: children are (subtree, relation), the outermost last."""

    word: int
    left: tuple[tuple[Node, int], ...] = ()
    right: tuple[tuple[Node, int], ...] = ()


class State(NamedTuple):
    stack: tuple[Node, ...] = ()  # the top last
    front: int = 0  # of the queue
    waiting: tuple[tuple[Node, int], ...] = ()  # children of the first word of the queue, in arc-hybrid


@dataclass(frozen=True)
class ArcStandard:
    """Actions: 0 is shift, 1 + r an arc to the left, 1 + R + r one to the right."""

    words: int
    relations: int = 1

    def initial(self) -> State:
        return State()

    def is_final(self, state: State) -> bool:
        return state.front == self.words and len(state.stack) <= 1

    def actions(self, state: State) -> list[int]:
        shift = [0] if state.front < self.words else []
        return shift + (list(range(1, 1 + 2 * self.relations)) if len(state.stack) >= 2 else [])

    def apply(self, state: State, action: int) -> State:
        if action == 0:
            return State((*state.stack, Node(state.front)), state.front + 1)
        *rest, second, first = state.stack
        relation = (action - 1) % self.relations
        if action <= self.relations:
            joined = first._replace(left=(*first.left, (second, relation)))
        else:
            joined = second._replace(right=(*second.right, (first, relation)))
        return State((*rest, joined), state.front)

    def tree(self, path: Sequence[int]) -> tuple[Heads, Heads]:
        """(heads, relations) that actions build; the root has head 0 and relation -1."""
        state = self.initial()
        for action in path:
            state = self.apply(state, action)
        heads, relations = [0] * self.words, [-1] * self.words
        for child, (head, relation) in arcs(state).items():
            heads[child], relations[child] = head, relation
        return tuple(heads), tuple(relations)


@dataclass(frozen=True)
class ArcHybrid(ArcStandard):
    """As above, but an arc to the left comes from the first word of the queue (Kuhlmann et al. 2011)."""

    def actions(self, state: State) -> list[int]:
        has_queue, count = state.front < self.words, self.relations
        left = range(1, 1 + count) if has_queue and state.stack else ()
        right = range(1 + count, 1 + 2 * count) if len(state.stack) >= 2 else ()
        return [*([0] if has_queue else []), *left, *right]

    def apply(self, state: State, action: int) -> State:
        if action == 0:
            return State((*state.stack, Node(state.front, state.waiting)), state.front + 1)
        relation = (action - 1) % self.relations
        if action > self.relations:
            *rest, second, first = state.stack
            return state._replace(stack=(*rest, second._replace(right=(*second.right, (first, relation)))))
        *rest, first = state.stack
        return State(tuple(rest), state.front, (*state.waiting, (first, relation)))


def arcs(state: State) -> dict[int, tuple[int, int]]:
    """The arcs so far: word -> (head, counted from 1, and relation)."""
    found = {node.word: (state.front + 1, relation) for node, relation in state.waiting}
    pending = [*state.stack, *(node for node, _ in state.waiting)]
    while pending:
        node = pending.pop()
        for child, relation in (*node.left, *node.right):
            found[child.word] = node.word + 1, relation
            pending.append(child)
    return found


def least_loss(system: ArcStandard, state: State, gold: tuple[Heads, Heads], known: dict[State, int]) -> int:
    """The number of words with another head or relation in the best tree that can be built, by enumeration."""
    if state not in known:
        if system.is_final(state):
            built = arcs(state)
            wanted = list(zip(*gold, strict=True))
            known[state] = sum(built.get(word, (0, -1)) != arc for word, arc in enumerate(wanted))
        else:
            after = (system.apply(state, action) for action in system.actions(state))
            known[state] = min(least_loss(system, each, gold, known) for each in after)
    return known[state]


def is_tree(heads: Sequence[int]) -> bool:
    """One root, and every word comes up to it."""
    return sum(head == 0 for head in heads) == 1 and all(_comes_up(heads, word) for word in range(len(heads)))


def _comes_up(heads: Sequence[int], word: int) -> bool:
    for _ in heads:
        if heads[word] == 0:
            return True
        word = heads[word] - 1
    return False


def is_projective(heads: Sequence[int]) -> bool:
    """No two arcs cross, that from the root's left neighbour 0 to the root included."""
    arcs = [tuple(sorted((head, word))) for word, head in enumerate(heads, start=1)]
    return not any(a < c < b < d for (a, b), (c, d) in itertools.permutations(arcs, 2))


def all_trees(words: int) -> Iterator[Heads]:
    """Every tree with one root: words ** (words - 1) of them."""
    return filter(is_tree, itertools.product(range(words + 1), repeat=words))


def reaches(system: ArcStandard, state: State, gold: tuple[Heads, Heads]) -> bool:
    """Whether some sequence of actions leads from a state to the tree, by enumeration."""
    if any(not _agrees(node, gold) for node in state.stack):
        return False
    if system.is_final(state):
        return True
    return any(reaches(system, system.apply(state, action), gold) for action in system.actions(state))


def _agrees(node: Node, gold: tuple[Heads, Heads]) -> bool:
    """Whether all arcs of a subtree are gold, and, of every word but its head, all gold arcs are there."""
    children = (*node.left, *node.right)
    right_arcs = all(gold[0][c.word] == node.word + 1 and gold[1][c.word] == r for c, r in children)
    return right_arcs and all(_agrees(c, gold) and _is_full(c, gold[0]) for c, _ in children)


def _is_full(node: Node, heads: Heads) -> bool:
    return len(node.left) + len(node.right) == sum(head == node.word + 1 for head in heads)
