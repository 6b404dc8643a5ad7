"""Parsers for tests: hypothesis strategies of small ones, and the arrays in which the core takes them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from hypothesis import strategies as st

from tagloom import _core, _core_double
from tests.oracle.arc_standard import State
from tests.oracle.state_features import KINDS, PLACES, STEPS, Atom, HybridParsing, Parsing, Template

Feature = tuple[int, int]  # (key, action)
ATTRIBUTES = 2


@dataclass(frozen=True)
class Problem:
    """A parser with weights, and sentences of [attributes][words] values."""

    templates: list[Template]
    relations: int
    sentences: list[list[list[int]]]
    weights: Mapping[Feature, float]
    is_hybrid: bool = False

    @cached_property
    def systems(self) -> list[Parsing]:
        given = self.templates, self.relations
        return [plain_system(*given, values, is_hybrid=self.is_hybrid) for values in self.sentences]

    @property
    def data(self) -> _core.TreeData:
        return core_data(self.sentences, self.relations)

    def core(self, dtype: type = np.float64) -> _core.ParserCore | _core_double.ParserCore:
        return core_parser(self.templates, self.relations, self.weights, self.systems, dtype)


def plain_system(
    templates: Sequence[Template], relations: int, values: Sequence[Sequence[int]], *, is_hybrid: bool = False
) -> Parsing:
    names = [2 * relation + 101 for relation in range(relations)]
    return (HybridParsing if is_hybrid else Parsing)(len(values[0]), relations, templates, values, names)


def core_templates(templates: Sequence[Template]) -> _core.StateTemplates:
    """Distinct addresses, distinct atoms of them, templates of these."""
    places: list[tuple[int, int, int]] = []
    atoms: list[tuple[int, int, int]] = []
    compiled = []
    for template in templates:
        parts = []
        for atom in template.atoms:
            first, second = (*(STEPS.index(step) for step in atom.steps), 0, 0)[:2]
            address = (PLACES.index(atom.place), first, second)
            places += [address] if address not in places else []
            found = (KINDS.index(atom.kind), places.index(address), atom.attribute)
            atoms += [found] if found not in atoms else []
            parts.append(atoms.index(found))
        compiled.append((template.text, parts))
    return _core.StateTemplates(places, atoms, compiled)


def core_data(
    sentences: Sequence[Sequence[Sequence[int]]],
    relations: int,
    trees: Sequence[tuple[Sequence[int], Sequence[int]]] = (),
) -> _core.TreeData:
    """``trees``: (heads, relations) of every sentence; the relation of a root counts for nothing."""
    hashes = [value for a in range(ATTRIBUTES) for sentence in sentences for value in sentence[a]]
    bounds = np.cumsum([0, *(len(sentence[0]) for sentence in sentences)])
    heads = [head for tree, _ in trees for head in tree]
    names = [max(0, relation) for _, tree in trees for relation in tree]
    hashes_of_relations = np.array([2 * relation + 101 for relation in range(relations)], np.uint64)
    given = np.array(heads, np.int32), np.array(names, np.int32)
    return _core.TreeData(np.array(hashes, np.uint64), ATTRIBUTES, hashes_of_relations, bounds, *given)


def core_parser(
    templates: Sequence[Template],
    relations: int,
    weights: Mapping[Feature, float],
    systems: Sequence[Parsing],
    dtype: type = np.float64,
) -> _core.ParserCore | _core_double.ParserCore:
    """Which template a key belongs to is asked of the states that the systems have seen."""
    template_of = {key: k for system in systems for keys in known_keys(system) for k, key in enumerate(keys) if key}
    keys = sorted({key for key, _ in weights}, key=lambda key: (template_of.get(key, 0), key))
    actions = range(1 + 2 * relations)
    rows = [[(a, weights[key, a]) for a in actions if (key, a) in weights] for key in keys]
    listed = [entry for row in rows for entry in row]
    owners = np.bincount([template_of.get(key, 0) for key in keys], minlength=len(templates))
    parser = _core.ParserCore if dtype is np.float32 else _core_double.ParserCore
    return parser(
        core_templates(templates),
        relations,
        keys=np.array(keys, np.uint64),
        ends=np.concatenate([[0], np.cumsum(owners)]).astype(np.int64),
        counts=np.array([len(row) for row in rows], np.uint16),
        actions=np.array([action for action, _ in listed], np.uint16),
        weights=np.array([weight for _, weight in listed], dtype),
        is_hybrid=any(isinstance(system, HybridParsing) for system in systems),
    )


def known_keys(system: Parsing) -> list[list[int]]:
    """Keys of the states of some walks, the same ones every time."""
    return [system.keys(state) for seed in range(6) for state in random_walk(system, random.Random(seed))]


def random_walk(system: Parsing, rng: random.Random) -> list[State]:
    """All states on a random way to a tree but the last."""
    states, state = [], system.initial()
    while not system.is_final(state):
        states.append(state)
        state = system.apply(state, rng.choice(system.actions(state)))
    return states


# -- strategies --


def atoms(relations: bool, is_hybrid: bool = False) -> st.SearchStrategy[Atom]:
    kinds = [kind for kind in KINDS if relations or kind != "rel"]
    steps = st.lists(st.sampled_from(STEPS[1:]), max_size=2).map(tuple)

    def placed(kind: str) -> st.SearchStrategy[Atom]:
        attribute = st.integers(0, ATTRIBUTES - 1) if kind == "attribute" else st.just(0)
        stack = st.builds(Atom, st.just(kind), st.sampled_from(PLACES[:4]), steps, attribute)
        queue = st.builds(Atom, st.just(kind), st.sampled_from(PLACES[4:]), st.just(()), attribute)
        near = st.builds(Atom, st.just(kind), st.sampled_from(["s0", "s1"]), st.just(()), attribute)
        front = st.builds(Atom, st.just(kind), st.just("q0"), steps, attribute)
        if kind in ("distance", "gap"):
            return st.just(Atom(kind))
        return near | stack | queue | front if is_hybrid else near | stack | queue

    return st.sampled_from(kinds).flatmap(placed)


@st.composite
def template_lists(draw: st.DrawFn, relations: bool, is_hybrid: bool = False) -> list[Template]:
    parts = draw(
        st.lists(st.lists(atoms(relations, is_hybrid), max_size=3).map(tuple), min_size=1, max_size=6, unique=True)
    )
    if relations:
        parts.append((Atom("rel", "s0", (draw(st.sampled_from(STEPS[1:])),)),))
    return [Template(f"template {number}", found) for number, found in enumerate(parts)]


def sentences(least: int = 1, most: int = 8) -> st.SearchStrategy[list[list[int]]]:
    """Values of two attributes, odd numbers that recur; sometimes none."""
    value = st.sampled_from([0, 1, 3, 5, 7, 9])
    return st.integers(least, most).flatmap(
        lambda n: st.lists(st.lists(value, min_size=n, max_size=n), min_size=ATTRIBUTES, max_size=ATTRIBUTES)
    )


#: The least and the highest weight. Where none is above zero every score bounds what follows, and searches prune.
RANGES = st.sampled_from([(-8, 8), (-8, 0), (-2, 0), (0, 3), (-1, 1)])


@st.composite
def problems(draw: st.DrawFn, *, most_relations: int = 3, most_words: int = 8, whole: bool = True) -> Problem:
    """Weights of the features of random walks: quarters, so that sums are exact and ties frequent, or any numbers."""
    relations, is_hybrid = draw(st.integers(1, most_relations)), draw(st.booleans())
    templates = draw(template_lists(relations > 1 and draw(st.booleans()), is_hybrid))
    found = draw(st.lists(sentences(most=most_words), min_size=1, max_size=2))
    low, high = draw(RANGES)
    rng = random.Random(draw(st.integers(0, 2**32)))
    weights: dict[Feature, float] = {}
    problem = Problem(templates, relations, found, weights, is_hybrid)
    for key in sorted({key for system in problem.systems for keys in known_keys(system) for key in keys if key}):
        for action in range(1 + 2 * relations):
            weights[key, action] = rng.randint(4 * low, 4 * high) / 4 if whole else rng.uniform(low, high)
    return problem
