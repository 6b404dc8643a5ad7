"""Small documents with gold labels and non-local features for the tests of margin learners.

All numbers are multiples of a quarter, so that sums are exact in double precision and ties are decided by the rule.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from tagloom import _core, _core_double
from tests.core.chains import all_parts, core_chain, core_data, positions
from tests.learners.examples import FEATURES, random_example, random_space
from tests.oracle.chain import Labels, Part, Space
from tests.oracle.margin import Example
from tests.oracle.nbest import rank

ROWS = 4  # of non-local features


def pairs_at_a_distance(labels: Labels) -> list[int]:
    """Non-local features: pairs of labels that are no neighbours, and whether the ends agree."""
    far = [(labels[i] + 2 * labels[j]) % (ROWS - 1) for i in range(len(labels)) for j in range(i + 2, len(labels))]
    return far + [ROWS - 1] * (labels[:1] == labels[-1:])


@dataclass(frozen=True)
class Task:
    space: Space
    examples: list[Example]
    order: list[int]
    start: dict[Part, float]  # non-local weights as well

    @property
    def stream(self) -> list[Example]:
        return [self.examples[i] for i in self.order]

    @property
    def chain(self) -> _core.Chain:
        return core_chain(self.space, FEATURES)

    @property
    def places(self) -> dict[Part, int]:
        return positions(self.chain, self.space, FEATURES)

    def data(self) -> _core.ChainData:
        """The documents, their borders of sentences marked."""
        sentences = [sentence for example in self.examples for sentence in example.document]
        gold = [example.gold for example in self.examples]
        data = core_data(self.chain, sentences, gold)
        bounds = np.cumsum([0, *map(len, gold)])
        breaks = np.zeros(bounds[-1] + 1, np.uint8)
        breaks[np.cumsum([0, *map(len, sentences)])] = 1
        breaks[bounds] = 0
        return data.joined(bounds, breaks[:-1])

    def features(self, data: _core.ChainData) -> _core.NonlocalFeatures:
        """The functions of the examples, called by the core."""

        def rows(number: int, labels: np.ndarray) -> np.ndarray:
            return np.array(list(self.examples[number].features(tuple(labels.tolist()))), np.uint32)

        none, zeros = np.zeros(0, np.int32), [0] * len(self.space.start)
        return _core.NonlocalFeatures(data, none, none.astype(np.uint8), zeros, zeros, zeros, [False] * 5, rows)

    def lists(self, data: _core.ChainData) -> _core.CandidateLists:
        found = [example.lists or () for example in self.examples]
        labels = [y for listed in found for _, y in listed]
        return _core.CandidateLists(
            data,
            np.cumsum([0, *map(len, found)]),
            np.cumsum([0, *map(len, labels)]),
            np.array(list(itertools.chain.from_iterable(labels)), np.int32),
        )

    def begun(self, averaged: bool) -> _core_double.OnlineState:
        state = _core_double.OnlineState(self.chain.size, averaged)
        flat = np.zeros(self.chain.size)
        for part, place in self.places.items():
            flat[place] = self.start.get(part, 0.0)
        state.start(flat)
        state.start_nonlocal(np.array([self.start.get(("nonlocal", row), 0.0) for row in range(ROWS)]))
        return state

    def by_part(self, local: np.ndarray, nonlocal_: np.ndarray) -> dict[Part, float]:
        weights = {part: float(local[place]) for part, place in self.places.items()}
        return weights | {("nonlocal", row): float(weight) for row, weight in enumerate(nonlocal_)}


def quarters(rng: np.random.Generator) -> float:
    return float(rng.integers(-4, 5)) / 4


@st.composite
def tasks(draw: st.DrawFn, *, nonlocal_: bool = True, listed: bool = False, featured: bool = False) -> Task:
    """``featured``: several labels, and pairs of labels are scored."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    labels = draw(st.sampled_from([2, 3] if featured else [2, 3, 1]))
    transitions = featured or draw(st.booleans())
    space = random_space(rng, labels, draw(st.integers(0, 2)), transitions, draw(st.booleans()))
    binary, forbidden = draw(st.booleans()), draw(st.booleans())
    examples = [random_document(rng, space, binary, forbidden, nonlocal_) for _ in range(rng.integers(1, 4))]
    assume(None not in examples)
    if listed:
        examples = [with_list(rng, space, example) for example in examples]
    order = rng.integers(0, len(examples), rng.integers(1, 9)).tolist()
    parts = [*all_parts(space, FEATURES), *(("nonlocal", row) for row in range(ROWS if nonlocal_ else 0))]
    start = {part: quarters(rng) * draw(st.sampled_from([1, 0])) for part in parts} if draw(st.booleans()) else {}
    return Task(space, examples, order, start)


def random_document(
    rng: np.random.Generator, space: Space, binary: bool, forbidden: bool, nonlocal_: bool
) -> Example | None:
    """One or two sentences with five tokens at most; None if the masks leave no labels."""
    for _ in range(20):
        drawn = [random_example(rng, space, binary, forbidden) for _ in range(rng.integers(1, 3))]
        sentences = [each for each in drawn if each is not None]
        if sentences and sum(len(x) for x, _ in sentences) <= 5:
            gold = tuple(itertools.chain.from_iterable(y for _, y in sentences))
            return Example([x for x, _ in sentences], gold, pairs_at_a_distance if nonlocal_ else lambda _: ())
    return None


def with_list(rng: np.random.Generator, space: Space, example: Example) -> Example:
    """Some labellings in any order with scores that mean nothing."""
    legal: Sequence[Labels] = [y for _, y in rank(space, {}, example.document)]
    chosen = rng.permutation(len(legal))[: rng.integers(0, 5)]
    lists = [(quarters(rng), legal[i]) for i in chosen]
    return Example(example.document, example.gold, example.features, lists, quarters(rng))
