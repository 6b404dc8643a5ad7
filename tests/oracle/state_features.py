"""State templates in the plain (state_features.hpp), over lists of stack, queue and children."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tests.oracle.arc_standard import ArcHybrid, ArcStandard, Node, State

U64 = (1 << 64) - 1
PLACES = ("s0", "s1", "s2", "s3", "q0", "q1", "q2", "q3")
STEPS = ("", "lc", "rc", "lc2", "rc2")
KINDS = ("attribute", "rel", "distance", "nl", "nr", "gap")


def avalanche(x: int) -> int:
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & U64
    x = (x ^ x >> 27) * 0x94D049BB133111EB & U64
    return x ^ x >> 31


def mix(a: int, b: int) -> int:
    return avalanche((a * 0x9E3779B97F4A7C15 + b) & U64)


def hash_text(text: str) -> int:
    data = text.encode()
    state = 0x243F6A8885A308D3 ^ len(data)
    whole = len(data) // 8 * 8
    for i in range(0, whole, 8):
        state = mix(state, int.from_bytes(data[i : i + 8], "little"))
    return mix(state, int.from_bytes(data[whole:], "little")) if whole < len(data) else avalanche(state)


MISSING = hash_text("_none") | 1


def number(value: int) -> int:
    return mix(0x6E756D626572, value) | 1


class Atom(NamedTuple):
    """``s1.lc.t`` is Atom("attribute", "s1", ("lc",), 1) if t is the second attribute."""

    kind: str
    place: str = "s0"
    steps: tuple[str, ...] = ()
    attribute: int = 0


class Template(NamedTuple):
    text: str
    atoms: tuple[Atom, ...]


class Found(NamedTuple):
    """What stands at an address: a word, with its subtree if it is on the stack."""

    word: int
    node: Node | None = None
    relation: int | None = None


@dataclass(frozen=True)
class Parsing(ArcStandard):
    """A transition system with features; values are [attributes][words] hashes, 0 for none."""

    templates: Sequence[Template] = ()
    values: Sequence[Sequence[int]] = ()
    relation_hashes: Sequence[int] = ()
    known: dict[State, list[int]] = field(default_factory=dict, compare=False)

    def features(self, state: State, action: int) -> Mapping[tuple[int, int], float]:
        return {(key, action): 1.0 for key in self.keys(state) if key}

    def keys(self, state: State) -> list[int]:
        """The key of every template; 0 where a word has no value."""
        if state not in self.known:
            self.known[state] = [self._key(template, state) for template in self.templates]
        return self.known[state]

    def _key(self, template: Template, state: State) -> int:
        values = [self._value(atom, state) for atom in template.atoms]
        if 0 in values:
            return 0
        key = hash_text(template.text)
        for value in values:
            key = (key + value) * 0x9E3779B97F4A7C15 & U64
        return avalanche(key) or 1

    def _value(self, atom: Atom, state: State) -> int:
        if atom.kind == "distance":
            return _distance(*(node.word for node in state.stack[-2:]))
        if atom.kind == "gap":
            return _distance(*(node.word for node in state.stack[-1:]), *range(state.front, self.words)[:1])
        found = self._find(atom, state)
        if found is None:
            return MISSING
        if atom.kind == "attribute":
            return self.values[atom.attribute][found.word]
        if atom.kind == "rel":
            return MISSING if found.relation is None else self.relation_hashes[found.relation]
        if found.node is None:
            return MISSING
        return number(min(3, len(found.node.left if atom.kind == "nl" else found.node.right)))

    def _find(self, atom: Atom, state: State) -> Found | None:
        depth = int(atom.place[1])
        if atom.place[0] == "q":
            word = state.front + depth
            if word >= self.words:
                return None
            found = Found(word, Node(word, () if depth else state.waiting))
        elif depth < len(state.stack):
            found = Found(state.stack[-1 - depth].word, state.stack[-1 - depth])
        else:
            return None
        for step in atom.steps:
            children = found.node.left if step[0] == "l" else found.node.right
            nth = 2 if step.endswith("2") else 1
            if len(children) < nth:
                return None
            node, relation = children[-nth]
            found = Found(node.word, node, relation)
        return found


@dataclass(frozen=True)
class HybridParsing(ArcHybrid, Parsing):
    """Arc-hybrid with features."""


def _distance(*words: int) -> int:
    if len(words) < 2:
        return MISSING
    distance = words[1] - words[0]
    return number(distance if distance <= 4 else 5 if distance <= 10 else 6)
