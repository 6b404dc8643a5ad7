"""The n best sequences against enumeration of all of them: masks, constraints, borders of sentences, ties."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagloom import _core
from tests.core.chains import NUMBERS, Problem, core_chain, core_data, flat_weights, problems, tokens
from tests.oracle.chain import Labels, Space, Token
from tests.oracle.nbest import Allowed, rank
from tests.strategies import unhurried

PRECISIONS = {"f32": ("nbest", np.float32), "f64": ("nbest_f64", np.float64)}
precisions = pytest.mark.parametrize("precision", PRECISIONS)
NO_FLAGS = np.zeros(0, np.uint8)
Ranking = list[tuple[float, Labels]]
COUNTS = st.integers(1, 12) | st.sampled_from([64, 100_000])


def listed(found: Sequence[np.ndarray]) -> list[Ranking]:
    """What the core found: of every sequence scores and labels."""
    first, begins, labels, scores = (array.tolist() for array in found)
    assert begins[0] == first[0] == 0
    assert (begins[-1], first[-1]) == (len(labels), len(scores))
    return [
        [(scores[k], tuple(labels[begins[k] : begins[k + 1]])) for k in range(start, stop)]
        for start, stop in itertools.pairwise(first)
    ]


def nbest(
    problem: Problem,
    n: int,
    precision: str = "f64",
    *,
    allowed: Allowed | None = None,
    joined: bool = False,
    threads: int = 1,
) -> list[Ranking]:
    """Of every sentence, or of all of them as one document."""
    method, dtype = PRECISIONS[precision]
    chain = core_chain(problem.space, problem.features)
    data = core_data(chain, problem.sentences)
    flags = NO_FLAGS if allowed is None else allowed_flags(allowed, problem.labels)
    if joined:
        data = data.joined(*borders(problem.lengths))
    return listed(getattr(data, method)(flat_weights(problem, chain, dtype), flags, n, threads))


def borders(lengths: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Offsets of one document, and flags of the tokens that begin its other sentences."""
    ends = list(itertools.accumulate(lengths))
    breaks = np.zeros(ends[-1], np.uint8)
    breaks[[end for end in ends if 0 < end < ends[-1]]] = 1
    return np.array([0, ends[-1]], np.int64), breaks


def allowed_flags(allowed: Allowed, labels: int) -> np.ndarray:
    flags = [y in choice for sentence in allowed for choice in sentence for y in range(labels)]
    return np.array(flags, np.uint8)


def constraints(problem: Problem) -> st.SearchStrategy[Allowed]:
    choice = st.sets(st.integers(0, problem.labels - 1)) | st.just(set(range(problem.labels)))
    return st.tuples(*[st.lists(choice, min_size=length, max_size=length) for length in problem.lengths])


@precisions
@settings(unhurried, max_examples=25)
@given(problem=problems(most_tokens=4), n=COUNTS)
def test_sentences_are_ranked_as_by_enumeration(precision: str, problem: Problem, n: int):
    for sentence, found in zip(problem.sentences, nbest(problem, n, precision)):
        assert found == rank(problem.space, problem.weights, [sentence])[:n]


@precisions
@settings(unhurried, max_examples=25)
@given(problem=problems(most_tokens=3), n=COUNTS, data=st.data())
def test_constraints_leave_what_enumeration_leaves(precision: str, problem: Problem, n: int, data: st.DataObject):
    allowed = data.draw(constraints(problem))
    for number, found in enumerate(nbest(problem, n, precision, allowed=allowed)):
        of_sentence = [problem.sentences[number]], [allowed[number]]
        assert found == rank(problem.space, problem.weights, *of_sentence)[:n]


@precisions
@settings(unhurried, max_examples=25)
@given(problem=problems(most_tokens=2), n=COUNTS, constrained=st.booleans(), data=st.data())
def test_nothing_is_scored_over_borders_of_sentences(
    precision: str, problem: Problem, n: int, constrained: bool, data: st.DataObject
):
    allowed = data.draw(constraints(problem)) if constrained else None
    (found,) = nbest(problem, n, precision, allowed=allowed, joined=True)
    assert found == rank(problem.space, problem.weights, problem.sentences, allowed)[:n]


@settings(unhurried, max_examples=20)
@given(problem=problems(most_labels=2, most_tokens=6), n=st.sampled_from([5, 40, 1000]))
def test_longer_sentences(problem: Problem, n: int):
    for sentence, found in zip(problem.sentences, nbest(problem, n)):
        assert found == rank(problem.space, problem.weights, [sentence])[:n]


@settings(unhurried, max_examples=20)
@given(problem=problems(most_tokens=3), seed=st.integers(0, 2**32))
def test_numbers_without_a_pattern(problem: Problem, seed: int):
    rng = np.random.default_rng(seed)
    weights = {part: float(rng.normal()) for part in problem.weights}
    drawn = Problem(problem.space, problem.features, weights, problem.sentences)
    for sentence, found in zip(drawn.sentences, nbest(drawn, 1000)):
        expected = rank(drawn.space, weights, [sentence])
        assert sorted(labels for _, labels in found) == sorted(labels for _, labels in expected)
        assert [score for score, _ in found] == pytest.approx([score for score, _ in expected], abs=1e-12)
        assert [score for score, _ in found] == sorted((score for score, _ in found), reverse=True)


@precisions
@settings(unhurried, max_examples=25)
@given(problem=problems())
def test_the_first_is_the_one_that_viterbi_finds(precision: str, problem: Problem):
    chain = core_chain(problem.space, problem.features)
    data, dtype = core_data(chain, problem.sentences), PRECISIONS[precision][1]
    decode = data.decode if precision == "f32" else data.decode_f64
    labels, scores = decode(flat_weights(problem, chain, dtype), 1)
    begin = 0
    for found, score, length in zip(nbest(problem, 1, precision), scores.tolist(), problem.lengths):
        best = tuple(labels[begin : begin + length].tolist())
        assert found == ([] if score == -math.inf else [(score, best)])
        begin += length


@settings(unhurried, max_examples=10)
@given(problem=problems(most_tokens=3), n=COUNTS, threads=st.integers(2, 4))
def test_any_number_of_threads_finds_the_same(problem: Problem, n: int, threads: int):
    assert nbest(problem, n, threads=threads) == nbest(problem, n)


# -- ties ------------------------------------------------------------------------------------------------------------


def free_space(labels: int, *, transitions: bool = False) -> Space:
    yes = (True,) * labels
    return Space(yes, yes, (yes,) * labels, transitions=transitions)


@precisions
@pytest.mark.parametrize("n", [1, 5, 81, 500])
def test_without_weights_sequences_are_counted_from_the_end(precision: str, n: int):
    problem = Problem(free_space(3), 0, {}, [[Token()] * 4])
    backwards = sorted(itertools.product(range(3), repeat=4), key=lambda labels: labels[::-1])
    assert nbest(problem, n, precision) == [[(0.0, labels) for labels in backwards[:n]]]


@settings(unhurried, max_examples=25)
@given(data=st.data())
def test_ties_of_few_different_numbers(data: st.DataObject):
    """Weights of 0 and 1 only: nearly everything is tied with something."""
    space = free_space(data.draw(st.integers(2, 3)), transitions=True)
    labels = range(len(space.start))
    parts = [("node", 0, y) for y in labels] + [("pair", p, y) for p in labels for y in labels]
    weights = {part: data.draw(st.integers(0, 1)) for part in parts}
    sentence = data.draw(st.lists(tokens(1, 0, st.just(1)), min_size=1, max_size=5))
    problem = Problem(space, 1, weights, [sentence])
    n = data.draw(COUNTS)
    assert nbest(problem, n) == [rank(space, weights, [sentence])[:n]]


# -- edges of what there is ------------------------------------------------------------------------------------------


@precisions
def test_there_are_no_more_sequences_than_there_are(precision: str):
    yes, no = (True, True), (False, False)
    problem = Problem(free_space(2), 0, {}, [[Token()] * 3, [], [Token()]])
    assert [len(found) for found in nbest(problem, 100_000, precision)] == [8, 1, 2]
    closed = Problem(Space(no, yes, (yes, yes)), 0, {}, [[Token()], []])
    assert nbest(closed, 5, precision) == [[], [(0.0, ())]]


WILD = st.sampled_from([math.nan, math.inf, -math.inf, 3e38, -3e38, 0.0, 1.0])


@precisions
@settings(unhurried, max_examples=25)
@given(problem=problems(most_tokens=4), data=st.data())
def test_wild_weights_give_distinct_sequences_with_finite_scores(precision: str, problem: Problem, data: st.DataObject):
    wild = {part: data.draw(WILD | NUMBERS) for part in problem.weights}
    drawn = Problem(problem.space, problem.features, wild, problem.sentences)
    for sentence, found in zip(problem.sentences, nbest(drawn, 50, precision)):
        scores, sequences = [score for score, _ in found], [labels for _, labels in found]
        assert len(set(sequences)) == len(sequences)
        assert all(len(labels) == len(sentence) and problem.space.allows(labels) for labels in sequences)
        assert all(map(math.isfinite, scores))
        assert scores == sorted(scores, reverse=True)


def long_problem(length: int, labels: int = 9) -> tuple[_core.ChainData, np.ndarray]:
    """A sequence of so many tokens, each with a feature of its own kind, and weights without a pattern."""
    chain = core_chain(free_space(labels, transitions=True), 50)
    rng = np.random.default_rng(length)
    data = core_data(chain, [[Token(((int(row), 1.0),)) for row in rng.integers(0, 50, length)]])
    return data, rng.normal(size=chain.size).astype(np.float32)


@pytest.mark.parametrize("scale", [0.0, 1.0])
def test_fifty_thousand_tokens(scale: float):
    data, weights = long_problem(50_000)
    (found,) = listed(data.nbest(weights * np.float32(scale), NO_FLAGS, 20, 1))
    assert len({labels for _, labels in found}) == 20
    scores = [score for score, _ in found]
    assert scores == sorted(scores, reverse=True)
    best, score = data.decode_f64(weights.astype(np.float64) * scale, 1)
    assert (scores[0], found[0][1]) == (pytest.approx(score[0]), tuple(best.tolist()))
    changed = [sum(a != b for a, b in zip(labels, best.tolist())) for _, labels in found]
    assert max(changed) < 20


def test_6400_of_a_thousand_tokens_take_less_than_half_a_second():
    data, weights = long_problem(1000)

    def seconds() -> float:
        begun = time.perf_counter()
        first = data.nbest(weights, NO_FLAGS, 6400, 1)[0]
        assert first.tolist() == [0, 6400]
        return time.perf_counter() - begun

    assert min(seconds() for _ in range(5)) < 0.5


def test_the_worst_case_of_ties_is_no_slower():
    data, weights = long_problem(1000)
    begun = time.perf_counter()
    assert data.nbest(weights * np.float32(0), NO_FLAGS, 20_000, 1)[0].tolist() == [0, 20_000]
    assert time.perf_counter() - begun < 5
