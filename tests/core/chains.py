"""Chains for tests: hypothesis strategies of small ones, and the arrays in which the core takes them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from tagloom import _core
from tests.oracle.chain import Labels, Part, Space, Token

# Few different numbers, exact in float32 in any sum of the tests: ties are frequent and never a matter of rounding.
NUMBERS = st.integers(-8, 8).map(lambda quarters: quarters / 4)


@dataclass(frozen=True)
class Problem:
    """A chain with weights and sentences."""

    space: Space
    features: int
    weights: Mapping[Part, float]
    sentences: list[list[Token]]

    @property
    def labels(self) -> int:
        return len(self.space.start)

    @property
    def lengths(self) -> list[int]:
        return [len(sentence) for sentence in self.sentences]


@st.composite
def spaces(draw: st.DrawFn, *, most_labels: int = 4, masked: bool = True, triples: bool = False) -> Space:
    labels = draw(st.integers(1, most_labels))
    flag = st.integers(0, 5).map(bool) if masked else st.just(True)
    row = st.tuples(*[flag] * labels)
    pairs = st.frozensets(st.tuples(*[st.integers(0, labels - 1)] * 2))
    edges = draw(st.lists(pairs, max_size=3))
    masks = draw(row), draw(row), draw(st.tuples(*[row] * labels))
    with_triples = triples and draw(st.booleans())
    return Space(*masks, edge_pairs=tuple(edges), transitions=draw(st.booleans()), triples=with_triples)


@st.composite
def problems(draw: st.DrawFn, *, most_tokens: int = 5, **options: bool | int) -> Problem:
    space = draw(spaces(**options))
    features = draw(st.integers(0, 4))
    sentence = st.lists(tokens(features, len(space.edge_pairs)), max_size=most_tokens)
    weights = {part: draw(NUMBERS) for part in all_parts(space, features) if part[0] != "triple"}
    if space.triples:  # too many to be drawn one by one
        rng = draw(st.randoms(use_true_random=False))
        weights |= {part: rng.randint(-8, 8) / 4 for part in all_parts(space, features) if part[0] == "triple"}
    return Problem(space, features, weights, draw(st.lists(sentence, min_size=1, max_size=3)))


def tokens(nodes: int, edges: int, values: st.SearchStrategy[float] = NUMBERS) -> st.SearchStrategy[Token]:
    def features(count: int) -> st.SearchStrategy[tuple[tuple[int, float], ...]]:
        if not count:
            return st.just(())
        return st.lists(st.tuples(st.integers(0, count - 1), values), max_size=3).map(tuple)

    return st.builds(Token, features(nodes), features(edges))


def all_parts(space: Space, features: int) -> list[Part]:
    """Every part that has a weight, in the order of the core's weight vector."""
    labels = range(len(space.start))
    return [
        *(("node", f, y) for f in range(features) for y in labels),
        *(("pair", p, y) for p in labels for y in labels if space.transitions),
        *(("edge", f, p, y) for f, pairs in enumerate(space.edge_pairs) for p, y in sorted(pairs)),
        *(("triple", b, p, y) for p in labels for y in labels for b in labels if space.triples),
    ]


def core_chain(space: Space, features: int) -> _core.Chain:
    labels = len(space.start)
    pairs = [p * labels + y for listed in space.edge_pairs for p, y in sorted(listed)]
    flags = [np.array(mask, np.uint8).ravel() for mask in (space.start, space.end, space.pairs)]
    offsets = np.cumsum([0, *map(len, space.edge_pairs)])
    return _core.Chain(labels, features, space.transitions, offsets, np.array(pairs, np.uint32), *flags, space.triples)


def positions(chain: _core.Chain, space: Space, features: int) -> dict[Part, int]:
    """Where each part's weight stands in the core's vector."""
    edges = itertools.count(chain.edge_begin)
    found = {}
    for kind, *numbers in all_parts(space, features):
        if kind == "edge":
            at = next(edges)
        elif kind == "triple":
            before, previous, y = numbers
            at = chain.triple_begin + (previous * chain.labels + y) * chain.stride + before
        else:
            row, y = numbers
            at = (chain.transition_begin if kind == "pair" else 0) + row * chain.stride + y
        found[(kind, *numbers)] = at
    return found


def flat_weights(problem: Problem, chain: _core.Chain, dtype: type = np.float64) -> np.ndarray:
    weights = np.zeros(chain.size, dtype)
    for part, position in positions(chain, problem.space, problem.features).items():
        weights[position] = problem.weights.get(part, 0)
    return weights


def core_data(
    chain: _core.Chain, sentences: Sequence[Sequence[Token]], gold: Sequence[Labels] | None = None
) -> _core.ChainData:
    flat = list(itertools.chain.from_iterable(sentences))
    bounds = np.cumsum([0, *map(len, sentences)])
    labels = [] if gold is None else list(itertools.chain.from_iterable(gold))
    nodes, edges = sparse([t.nodes for t in flat]), sparse([t.edges for t in flat])
    return _core.ChainData(chain, *nodes, *edges, bounds, np.array(labels, np.int32))


def sparse(rows: Sequence[Sequence[tuple[int, float]]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(offsets, rows, values) of the features of some tokens; as in the core, no values stands for ones."""
    entries = list(itertools.chain.from_iterable(rows))
    offsets = np.cumsum([0, *map(len, rows)])
    values = [] if all(value == 1 for _, value in entries) else [value for _, value in entries]
    return offsets, np.array([row for row, _ in entries], np.uint32), np.array(values, np.float32)


def split(labels: np.ndarray, lengths: Sequence[int]) -> list[Labels]:
    """Labels of all tokens, sentence by sentence."""
    flat = iter(labels.tolist())
    return [tuple(itertools.islice(flat, length)) for length in lengths]
