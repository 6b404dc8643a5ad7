"""History-based learners of the core against the plain ones, weight by weight, and what the paper proves of them."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagloom import _core, _core_double
from tagloom.learners import LEARNERS, Settings, begin_training
from tagloom.learners.blocks import WholeData, shuffle_order
from tests.core.chains import core_data, positions, split
from tests.learners.examples import FEATURES, Task, tasks
from tests.oracle import history as oracle
from tests.oracle.chain import Labels, Part, Space, Token, best, dot
from tests.oracle.history import Tagger, Weights
from tests.oracle.perceptron import average
from tests.strategies import unhurried

MARGINS = st.sampled_from([0.0, 0.25, 1.0, 3.5, 100.0])
NO_FLAGS = np.zeros(0, np.uint8)
orders = pytest.mark.parametrize(
    ("backwards", "history"), list(itertools.product([False, True], [1, 2])), ids=["ltr-1", "ltr-2", "rtl-1", "rtl-2"]
)


@dataclass(frozen=True)
class Problem:
    """A task whose numbers are exact in any sum, so that ties are ties."""

    task: Task
    backwards: bool
    history: int

    @property
    def labels(self) -> int:
        return len(self.task.space.start)

    @property
    def chain(self) -> _core.Chain:
        space, count = self.task.space, self.labels
        pairs = [p * count + y for listed in space.edge_pairs for p, y in sorted(listed)]
        flags = [np.array(mask, np.uint8).ravel() for mask in (space.start, space.end, space.pairs)]
        edges = np.cumsum([0, *map(len, space.edge_pairs)]), np.array(pairs, np.uint32)
        return _core.Chain(count, FEATURES, space.transitions, *edges, *flags, has_triples=self.history == 2)

    @property
    def places(self) -> dict[Part, int]:
        chain, places = self.chain, positions(self.chain, self.task.space, FEATURES)
        triples = itertools.product(range(self.labels), repeat=3) if self.history == 2 else ()
        for b, p, y in triples:
            places["triple", b, p, y] = chain.triple_begin + (p * self.labels + y) * chain.stride + b
        return places

    @property
    def start(self) -> dict[Part, float]:
        """Quarters; of triples, too."""
        rng = np.random.default_rng(len(self.task.examples))
        return {
            part: round(4 * self.task.start.get(part, 0.0)) / 4 if part[0] != "triple" else rng.integers(-4, 5) / 4
            for part in self.places
        }

    def data(self) -> _core.ChainData:
        return core_data(self.chain, [x for x, _ in self.task.examples], [y for _, y in self.task.examples])

    def vector(self, dtype: type = np.float64) -> np.ndarray:
        flat = np.zeros(self.chain.size, dtype)
        for part, place in self.places.items():
            flat[place] = self.start[part]
        return flat

    def tagger(self, sentence: Iterable[Token]) -> Tagger:
        return Tagger(self.task.space, tuple(sentence), self.backwards, self.history)

    def stream(self) -> list[tuple[Tagger, Labels]]:
        return [(self.tagger(x), y) for x, y in self.task.stream]

    def run(self, *, averaged: bool, **search: float) -> tuple[_core_double.OnlineState, tuple[int, int, float]]:
        state = _core_double.OnlineState(self.chain.size, averaged)
        state.start(self.vector())
        how = _core.SearchSettings(is_backwards=self.backwards, **search)
        return state, state.search_epoch(self.data(), np.array(self.task.order, np.int64), how)


@st.composite
def problems(draw: st.DrawFn, backwards: bool, history: int) -> Problem:
    return Problem(draw(tasks()), backwards, history)


def assert_as_plain(problem: Problem, vectors: list[Weights], **search: float) -> None:
    last = vectors[-1] if vectors else problem.start
    for averaged in (False, True):
        state, report = problem.run(averaged=averaged, **search)
        mean = average(vectors) if averaged and vectors else last
        for flat, expected in ((state.weights(), last), (state.mean(), mean)):
            for part, place in problem.places.items():
                assert flat[place] == pytest.approx(expected.get(part, 0.0), abs=1e-12, rel=1e-12), part
            assert not np.delete(flat, list(problem.places.values())).any()  # padding has not moved
        moved = [{part: w for part, w in weights.items() if w} for weights in (problem.start, *vectors)]
        assert report[0] >= sum(a != b for a, b in itertools.pairwise(moved))


@orders
@settings(unhurried, max_examples=15)
@given(data=st.data(), C=MARGINS, depth=st.integers(0, 3))
def test_lookahead_learns_as_figure_3_says(backwards: bool, history: int, data: st.DataObject, C: float, depth: int):
    problem = data.draw(problems(backwards, history))
    vectors = list(oracle.lookahead(problem.stream(), problem.start, C, depth))
    assert_as_plain(problem, vectors, depth=depth, margin=C)


@orders
@settings(unhurried, max_examples=15)
@given(data=st.data(), width=st.sampled_from([1, 2, 3, 50]), early=st.booleans())
def test_the_beam_learns_as_the_plain_one(backwards: bool, history: int, data: st.DataObject, width: int, early: bool):
    problem = data.draw(problems(backwards, history))
    vectors = list(oracle.beam(problem.stream(), problem.start, width, early))
    assert_as_plain(problem, vectors, beam=width, max_violation=not early)


@orders
@settings(unhurried, max_examples=15)
@given(data=st.data(), depth=st.integers(0, 4), width=st.sampled_from([1, 2, 50]))
def test_tagging_takes_the_plain_decisions(
    backwards: bool, history: int, data: st.DataObject, depth: int, width: int
) -> None:
    problem = data.draw(problems(backwards, history))
    encoded, weights, sentences = problem.data(), problem.start, [x for x, _ in problem.task.examples]
    lengths = [len(sentence) for sentence in sentences]
    search = _core.SearchSettings(depth=depth, is_backwards=backwards)
    found, _ = encoded.decode_history_f64(problem.vector(), search, NO_FLAGS, 1)
    assert split(found, lengths) == [problem.tagger(x).decide(weights, depth) for x in sentences]
    search = _core.SearchSettings(beam=width, is_backwards=backwards)
    found, _ = encoded.decode_history_f64(problem.vector(), search, NO_FLAGS, 1)
    for sentence, labels in zip(sentences, split(found, lengths)):
        tagger = problem.tagger(sentence)
        *_, last = [[(0.0, ())], *tagger.beams(weights, width)]
        assert tagger.turned(labels) == last[0][1]


@settings(unhurried, max_examples=20)
@given(data=st.data())
def test_a_long_lookahead_and_a_wide_beam_find_the_best_sequence(data: st.DataObject):
    problem = data.draw(problems(False, 1))
    weights, sentences = problem.start, [x for x, _ in problem.task.examples]
    encoded = problem.data()
    expected = [best(problem.task.space, weights, x)[1] for x in sentences]
    for search in (_core.SearchSettings(depth=1000), _core.SearchSettings(beam=1000)):
        labels, scores = encoded.decode_history_f64(problem.vector(), search, NO_FLAGS, 1)
        assert scores.tolist() == expected
        for x, y in zip(sentences, split(labels, [len(x) for x in sentences])):
            assert dot(weights, problem.task.space.parts(x, y)) == best(problem.task.space, weights, x)[1]


# -- what the paper proves (Appendix A) ------------------------------------------------------------------------------


def planted(labels: int, lengths: list[int], rng: np.random.Generator) -> tuple[Space, list[oracle.Example]]:
    """Every token has a feature of its own, so that some weights separate all futures of a right action from others."""
    yes = (True,) * labels
    number = itertools.count()
    examples = [
        ([Token(((next(number), 1.0),)) for _ in range(n)], tuple(rng.integers(0, labels, n).tolist())) for n in lengths
    ]
    return Space(yes, yes, (yes,) * labels), examples


def leaves(tagger: Tagger, depth: int, state: Labels) -> list[Labels]:
    if depth == 0 or len(state) == len(tagger.sentence):
        return [state]
    return [leaf for action in tagger.actions(state) for leaf in leaves(tagger, depth - 1, (*state, action))]


def separation(truth: Weights, depth: int, taggers: list[tuple[Tagger, Labels]]) -> tuple[float, float]:
    """delta and R: the least margin and the largest distance of leaves of a right action and of another one."""
    margins, distances = [], []
    for tagger, gold in taggers:
        for n, right in enumerate(gold):
            mine = [tagger.parts(leaf) for leaf in leaves(tagger, depth, gold[: n + 1])]
            rest = [a for a in tagger.actions(gold[:n]) if a != right]
            others = [tagger.parts(leaf) for a in rest for leaf in leaves(tagger, depth, (*gold[:n], a))]
            for one, other in itertools.product(mine, others):
                difference = Counter(one)
                difference.subtract(other)
                margins.append(dot(truth, difference))
                distances.append(math.sqrt(dot(difference, difference)))
    return min(margins) / math.sqrt(dot(truth, truth)), max(distances)


@settings(unhurried, max_examples=12)
@given(seed=st.integers(0, 2**32), depth=st.integers(0, 2), C=st.sampled_from([0.0, 1.0, 5.0]))
def test_updates_stay_under_the_bound_of_appendix_a(seed: int, depth: int, C: float):
    rng = np.random.default_rng(seed)
    space, examples = planted(2, [3, 2, 1], rng)
    # Earlier tokens weigh more than all that follow: whatever comes after, the right action wins.
    truth: dict[Part, float] = {}
    for sentence, gold in examples:
        for t, (token, y) in enumerate(zip(sentence, gold)):
            truth["node", token.nodes[0][0], y] = 3.0**-t
    taggers = [(Tagger(space, tuple(x)), y) for x, y in examples]
    delta, distance = separation(truth, depth, taggers)
    assert delta > 0
    bound = (distance**2 + 2 * C) / delta**2

    yes = np.ones(2, np.uint8)
    chain = _core.Chain(2, 6, True, np.zeros(1, np.int64), np.zeros(0, np.uint32), yes, yes, np.ones(4, np.uint8))
    data = core_data(chain, [x for x, _ in examples], [y for _, y in examples])
    state, search = _core_double.OnlineState(chain.size, False), _core.SearchSettings(depth=depth, margin=C)
    total = 0
    while (updates := state.search_epoch(data, np.arange(3), search)[0]) > 0:
        total += updates
        assert total <= bound * (1 + 1e-9)
    for number, (_, gold) in enumerate(examples):
        for n, right in enumerate(gold):
            values, _ = data.look_f64(state.weights(), search, number, list(gold[:n]), True)
            assert values[right] - np.delete(values, right).max() >= C - 1e-9


# -- the training around it ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "numbers", "search"),
    [
        ("lookahead-perceptron", {}, {"depth": 1, "margin": 20.0}),
        ("lookahead-perceptron", {"depth": 3, "C": 0.5}, {"depth": 3, "margin": 0.5}),
        ("lookahead-perceptron", {"direction": "right-to-left"}, {"depth": 1, "margin": 20.0, "is_backwards": True}),
        ("beam-perceptron", {}, {"beam": 8}),
        ("beam-perceptron", {"beam": 2, "update": "early"}, {"beam": 2, "max_violation": False}),
    ],
)
def test_passes_are_epochs_of_the_core_in_shuffled_order(name: str, numbers: dict, search: dict):
    rng = np.random.default_rng(5)
    yes = np.ones(3, np.uint8)
    chain = _core.Chain(3, 20, True, np.zeros(1, np.int64), np.zeros(0, np.uint32), yes, yes, np.ones(9, np.uint8))
    sentences = [[Token(((int(rng.integers(20)), 1.0),)) for _ in range(5)] for _ in range(40)]
    data = core_data(chain, sentences, [tuple(rng.integers(0, 3, 5).tolist()) for _ in sentences])
    training = begin_training(LEARNERS[name], Settings(**numbers), "abc", chain, WholeData(data, 40), seed=7, threads=1)
    passes = training.passes(7)
    state = _core.OnlineState(chain.size, True)
    for epoch in (1, 2):
        done = next(passes)
        report = state.search_epoch(data, shuffle_order(40, 7, epoch), _core.SearchSettings(**search))
        assert (done.epoch, (done.updates, done.token_errors, done.loss)) == (epoch, report)
        assert done.weights().tobytes() == state.mean().tobytes()
    again = begin_training(LEARNERS[name], Settings(**numbers), "abc", chain, WholeData(data, 40), seed=7, threads=1)
    again.restore(state.to_tensors())
    assert next(again.passes(7, 2)).weights().tobytes() == next(passes).weights().tobytes()
