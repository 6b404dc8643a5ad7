"""Training problems of small chains, and the core's learners at work on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from tagloom import _core, _core_double
from tagloom.learners.blocks import WholeData, count_gold
from tests.core.chains import all_parts, core_chain, core_data, positions
from tests.oracle.chain import Labels, Part, Space, Token, sequences

FEATURES = 3
NO_COSTS = np.zeros(0)
STATES = {"f64": _core_double.OnlineState, "f32": _core.OnlineState}
Example = tuple[Sequence[Token], Labels]


@dataclass(frozen=True)
class Task:
    """Sentences with gold labels, the order in which a learner meets them, and weights to begin from."""

    space: Space
    examples: list[Example]
    order: list[int]
    start: dict[Part, float]

    @property
    def stream(self) -> list[Example]:
        return [self.examples[i] for i in self.order]

    @cached_property
    def chain(self) -> _core.Chain:
        return core_chain(self.space, FEATURES)

    @property
    def places(self) -> dict[Part, int]:
        return positions(self.chain, self.space, FEATURES)

    def data(self) -> _core.ChainData:
        return core_data(self.chain, [x for x, _ in self.examples], [y for _, y in self.examples])

    def vector(self, weights: dict[Part, float], dtype: type = np.float64) -> np.ndarray:
        flat = np.zeros(self.chain.size, dtype)
        for part, place in self.places.items():
            flat[place] = weights.get(part, 0.0)
        return flat


def by_part(vector: np.ndarray, places: dict[Part, int]) -> dict[Part, float]:
    return {part: float(vector[place]) for part, place in places.items()}


@st.composite
def tasks(draw: st.DrawFn, *, forbidden: bool = True, masked: bool = True) -> Task:
    """Small problems. Their bulk comes from a seed: drawing it number by number takes longer than learning it."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    labels, edges = draw(st.sampled_from([3, 2, 1])), draw(st.integers(0, 2))
    space = random_space(rng, labels, edges, draw(st.booleans()), masked)
    binary = draw(st.booleans())
    examples = [random_example(rng, space, binary, forbidden) for _ in range(rng.integers(1, 4))]
    assume(None not in examples)
    order = rng.integers(0, len(examples), rng.integers(0, 8)).tolist()
    # Numbers without a pattern: sequences seldom tie.
    start = {part: float(np.float32(rng.normal())) for part in all_parts(space, FEATURES)}
    return Task(space, examples, order, start)


def random_space(rng: np.random.Generator, labels: int, edges: int, transitions: bool, masked: bool) -> Space:
    def flags(*shape: int) -> np.ndarray:
        return rng.random(shape) < (0.8 if masked else 1.0)

    pairs = [
        frozenset(zip(*map(np.ndarray.tolist, np.nonzero(rng.random((labels, labels)) < 0.6)))) for _ in range(edges)
    ]
    start, end, allowed = flags(labels).tolist(), flags(labels).tolist(), flags(labels, labels).tolist()
    return Space(tuple(start), tuple(end), tuple(map(tuple, allowed)), tuple(pairs), transitions)


def random_example(rng: np.random.Generator, space: Space, binary: bool, forbidden: bool) -> Example | None:
    """Up to three tokens with up to three features each, some twice; None if the masks leave no labels for them."""

    def features(count: int) -> tuple[tuple[int, float], ...]:
        rows = rng.integers(0, count, rng.integers(0, 4)).tolist() if count else []
        return tuple((row, 1.0 if binary else float(rng.integers(-8, 9)) / 4) for row in rows)

    sentence = [Token(features(FEATURES), features(len(space.edge_pairs))) for _ in range(rng.integers(0, 4))]
    legal = list(sequences(space, len(sentence)))
    if not legal:
        return None
    if forbidden and rng.random() < 0.3:
        return sentence, tuple(rng.integers(0, len(space.start), len(sentence)).tolist())
    return sentence, legal[rng.integers(len(legal))]


def run(
    task: Task,
    opponent: str,
    step: str,
    *,
    costs: np.ndarray = NO_COSTS,
    averaged: bool = True,
    precision: str = "f64",
    cuts: Sequence[int] = (),
    bounds: tuple[float, float] = (0.001, 1.0),
    **numbers: float,
) -> _core_double.OnlineState:
    """The core's learner after the examples of the task, in stretches that end at the cuts."""
    state = STATES[precision](task.chain.size, averaged)
    state.start(task.vector(task.start, np.float32 if precision == "f32" else np.float64))
    data, settings = task.data(), _core.StepSettings(**numbers)
    if step == "madf":
        state.set_frequency_rates(count_gold(task.chain, WholeData(data, 1)), *bounds)
    for part in np.split(np.array(task.order, np.int64), sorted(cuts)):
        state.epoch(data, part, opponent, step, settings, costs)
    return state
