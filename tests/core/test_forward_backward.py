"""Forward-backward against enumeration: marginals, log Z, log P(gold), posterior decoding; and at extremes."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagloom import _core, _core_double
from tests.core.chains import Problem, core_chain, core_data, flat_weights, positions, problems, split
from tests.oracle.chain import Labels, Space, Token, dot, sequences
from tests.oracle.crf import distribution, expectation, node_marginals

PRECISIONS = {"": (np.float32, 2e-5), "_f64": (np.float64, 1e-10)}
precisions = pytest.mark.parametrize("precision", PRECISIONS)
ANY = np.zeros(0, np.uint8)
YES = (True, True)


def found_marginals(
    problem: Problem, precision: str, allowed: np.ndarray = ANY, threads: int = 1
) -> tuple[list[np.ndarray], list[float]]:
    """Of every sentence [T][L]; log Z."""
    chain = core_chain(problem.space, problem.features)
    data = core_data(chain, problem.sentences)
    weights = flat_weights(problem, chain, PRECISIONS[precision][0])
    flat, log_z = getattr(data, "marginals" + precision)(weights, allowed, threads)
    return np.split(flat.reshape(-1, problem.labels), np.cumsum(problem.lengths)[:-1]), log_z.tolist()


def scaled(problem: Problem, factor: float) -> Problem:
    weights = {part: factor * weight for part, weight in problem.weights.items()}
    return Problem(problem.space, problem.features, weights, problem.sentences)


def constraints(data: st.DataObject, problem: Problem) -> tuple[list[list[set[int]]], np.ndarray]:
    """Labels that each token may take; as flags [N][L]."""
    some = st.sets(st.integers(0, problem.labels - 1))
    chosen = [[data.draw(some) for _ in range(length)] for length in problem.lengths]
    flags = np.zeros((sum(problem.lengths), problem.labels), np.uint8)
    for row, labels in zip(flags, itertools.chain.from_iterable(chosen)):
        row[list(labels)] = 1
    return chosen, flags.ravel()


@precisions
@settings(max_examples=60)
@given(problem=problems(most_tokens=4), data=st.data(), constrained=st.booleans())
def test_marginals_and_log_z_are_those_of_enumeration(
    precision: str, problem: Problem, data: st.DataObject, constrained: bool
):
    allowed, flags = constraints(data, problem) if constrained else ([None] * len(problem.sentences), ANY)
    close = PRECISIONS[precision][1]
    for sentence, choices, nodes, log_z in zip(
        problem.sentences, allowed, *found_marginals(problem, precision, flags), strict=True
    ):
        probabilities, expected = distribution(problem.space, problem.weights, sentence, choices)
        assert log_z == pytest.approx(expected, rel=close, abs=close)
        assert np.allclose(nodes, node_marginals(probabilities, len(sentence), problem.labels), rtol=0, atol=close)
        assert np.allclose(nodes.sum(axis=1), 1.0 if probabilities else 0.0, rtol=0, atol=close)


@precisions
@settings(max_examples=40)
@given(problem=problems(most_tokens=4), data=st.data(), factor=st.sampled_from([20.0, 250.0]))
def test_wild_scores_take_the_logarithmic_way(precision: str, problem: Problem, data: st.DataObject, factor: float):
    """Weights of up to +-500: most sequences have less probability than a number can say."""
    wild = scaled(problem, factor)
    for sentence, nodes, log_z in zip(wild.sentences, *found_marginals(wild, precision), strict=True):
        probabilities, expected = distribution(wild.space, wild.weights, sentence)
        # Scores of thousands leave few digits behind the point.
        close = max(PRECISIONS[precision][1], 4 * np.finfo(PRECISIONS[precision][0]).eps * 500 * 3 * 20)
        few = PRECISIONS[precision][1]  # where the scores cancel to nearly zero
        assert log_z == pytest.approx(expected, rel=1e-5 if precision == "" else 1e-12, abs=few)
        assert np.allclose(nodes, node_marginals(probabilities, len(sentence), wild.labels), rtol=0, atol=close)
        assert np.allclose(nodes.sum(axis=1), 1.0 if probabilities else 0.0, rtol=0, atol=close)


@settings(max_examples=40)
@given(problem=problems(most_tokens=4), factor=st.sampled_from([1.0, 1.0, 250.0]))
def test_expected_parts_are_those_of_enumeration(problem: Problem, factor: float):
    """A step of size one along gold minus expectation shows node, pair and edge marginals at once."""
    problem = scaled(problem, factor)
    chain = core_chain(problem.space, problem.features)
    start = flat_weights(problem, chain)
    places = positions(chain, problem.space, problem.features)
    for sentence in problem.sentences:
        gold = next(sequences(problem.space, len(sentence)), None)
        if gold is None:
            continue
        state = _core_double.OnlineState(chain.size, False)
        state.start(start)
        data = core_data(chain, [sentence], [gold])
        state.epoch(data, np.zeros(1, np.int64), "expected", "unit", _core.StepSettings(), np.zeros(0))
        probabilities, _ = distribution(problem.space, problem.weights, sentence)
        expected = problem.space.parts(sentence, gold)
        expected.subtract(expectation(problem.space, sentence, probabilities))
        moved = state.weights() - start
        found = {part: float(moved[place]) for part, place in places.items()}
        assert found == pytest.approx({part: expected[part] for part in places}, abs=1e-10)


@precisions
@settings(max_examples=40)
@given(problem=problems(most_tokens=4), data=st.data())
def test_log_probabilities_of_gold(precision: str, problem: Problem, data: st.DataObject):
    label = st.integers(0, problem.labels - 1)
    gold = [tuple(data.draw(label) for _ in range(length)) for length in problem.lengths]
    chain = core_chain(problem.space, problem.features)
    encoded = core_data(chain, problem.sentences, gold)
    dtype, close = PRECISIONS[precision]
    found = getattr(encoded, "log_probabilities" + precision)(flat_weights(problem, chain, dtype), 1)
    for sentence, labels, value in zip(problem.sentences, gold, found.tolist(), strict=True):
        if not problem.space.allows(labels):
            assert value == -math.inf
            continue
        _, log_z = distribution(problem.space, problem.weights, sentence)
        score = dot(problem.weights, problem.space.parts(sentence, labels))
        assert value == pytest.approx(score - log_z, abs=10 * close)


@precisions
@settings(max_examples=40)
@given(problem=problems(most_tokens=4), data=st.data(), constrained=st.booleans())
def test_posterior_labels_have_the_highest_sum_of_marginals(
    precision: str, problem: Problem, data: st.DataObject, constrained: bool
):
    allowed, flags = constraints(data, problem) if constrained else ([None] * len(problem.sentences), ANY)
    chain = core_chain(problem.space, problem.features)
    dtype, close = PRECISIONS[precision]
    encoded, weights = core_data(chain, problem.sentences), flat_weights(problem, chain, dtype)
    labels, sums = getattr(encoded, "decode_posterior" + precision)(weights, flags, 1)
    for sentence, choices, found, total in zip(
        problem.sentences, allowed, split(labels, problem.lengths), sums.tolist(), strict=True
    ):
        probabilities, _ = distribution(problem.space, problem.weights, sentence, choices)
        if not probabilities:
            assert total == -math.inf
            assert all(0 <= y < problem.labels for y in found)
            continue
        nodes = node_marginals(probabilities, len(sentence), problem.labels)
        assert found in probabilities  # a sequence that masks and constraints allow
        assert total == pytest.approx(expected_right(nodes, found), abs=10 * close)
        assert total == pytest.approx(max(expected_right(nodes, y) for y in probabilities), abs=10 * close)


def expected_right(nodes: np.ndarray, labels: Labels) -> float:
    return float(sum(row[y] for row, y in zip(nodes, labels)))


@precisions
def test_masks_that_leave_one_sequence_or_none(precision: str):
    token = Token(((0, 1.0),))
    weights = {("node", 0, 0): 3.0, ("node", 0, 1): -2.0}
    only = Space((True, False), (True, False), ((True, False), (False, False)))
    (nodes,), (log_z,) = found_marginals(Problem(only, 1, weights, [[token] * 3]), precision)
    assert nodes.tolist() == [[1, 0]] * 3
    assert log_z == pytest.approx(9)
    none = Space((True, False), (False, True), ((True, False), (False, True)))
    (nodes, empty), log_z = found_marginals(Problem(none, 1, weights, [[token] * 3, []]), precision)
    assert not nodes.any()
    assert log_z == [-math.inf, 0.0]
    assert empty.shape == (0, 2)


@precisions
def test_scores_and_masks_that_pull_apart(precision: str):
    """The label that the scores of every token favour must be left again and again: scaled numbers become tiny."""
    space = Space(YES, YES, ((True, False), (True, False)))
    nodes, pairs = [(34, -20), (-3, -27), (22, -34), (25, 9)], [(-4, 25), (28, 17)]
    weights = {("node", f, y): float(score) for f, row in enumerate(nodes) for y, score in enumerate(row)}
    weights |= {("pair", p, y): float(score) for p, row in enumerate(pairs) for y, score in enumerate(row)}
    problem = Problem(space, 4, weights, [[Token(((f, 1.0),)) for f in range(4)]])
    (found,), _ = found_marginals(problem, precision)
    other = 1 / (1 + math.exp(54 - 32))  # the first token's second label; all others have to be the first
    assert found == pytest.approx(np.array([[1 - other, other], [1, 0], [1, 0], [1, 0]]), abs=1e-6)


@precisions
def test_a_document_of_50_000_tokens_is_stable(precision: str):
    """Without transitions a token's marginals depend on nothing but its scores, however far the ends are."""
    dtype, close = PRECISIONS[precision]
    tokens, labels = 50_000, 5
    rng = np.random.default_rng(8)
    yes = (True,) * labels
    chain = core_chain(Space(yes, yes, (yes,) * labels), 100)
    rows = rng.integers(0, 100, tokens).astype(np.uint32)
    none = np.zeros(tokens + 1, np.int64), np.zeros(0, np.uint32), np.zeros(0, np.float32)
    data = _core.ChainData(chain, np.arange(tokens + 1), rows, np.zeros(0, np.float32), *none,
                           np.array([0, tokens]), np.zeros(0, np.int32))  # fmt: skip
    for size in (1.0, 30.0, 500.0):
        weights = np.zeros(chain.size, dtype)
        nodes = (size * rng.normal(size=(100, labels))).astype(dtype)
        weights.reshape(-1, chain.stride)[:100, :labels] = nodes
        marginals, log_z = getattr(data, "marginals" + precision)(weights, ANY, 1)
        scores = nodes.astype(np.float64)[rows]
        shifted = np.exp(scores - scores.max(axis=1, keepdims=True))
        expected = shifted / shifted.sum(axis=1, keepdims=True)
        assert np.abs(marginals.reshape(tokens, labels) - expected).max() < 100 * close
        total = (scores.max(axis=1) + np.log(shifted.sum(axis=1))).sum()
        assert log_z[0] == pytest.approx(total, rel=1e-5 if precision == "" else 1e-12)


@pytest.mark.parametrize("threads", [2, 3, 50])
def test_threads_do_not_change_a_bit(threads: int):
    rng = np.random.default_rng(9)
    chain = core_chain(Space(YES, YES, (YES, YES), (frozenset({(0, 1), (1, 1)}),)), 10)
    sentences = [
        [Token(((int(f), 1.5),), ((0, 0.5),)) for f in rng.integers(0, 10, length)]
        for length in rng.integers(0, 8, 200)
    ]
    data = core_data(chain, sentences, [(0,) * len(sentence) for sentence in sentences])
    weights = rng.normal(size=chain.size).astype(np.float32)

    def bits(count: int) -> list[bytes]:
        posterior, marginals = data.decode_posterior(weights, ANY, count), data.marginals(weights, ANY, count)
        return [a.tobytes() for a in (*posterior, *marginals, data.log_probabilities(weights, count))]

    assert bits(threads) == bits(1)


def test_constraints_and_gold_must_fit():
    chain = core_chain(Space(YES, YES, (YES, YES)), 1)
    data, weights = core_data(chain, [[Token()]]), np.zeros(chain.size, np.float32)
    for method in (data.marginals, data.decode_posterior):
        with pytest.raises(ValueError, match="constraints do not fit"):
            method(weights, np.ones(1, np.uint8), 1)
        with pytest.raises(ValueError, match="weights do not fit"):
            method(weights[1:], ANY, 1)
    with pytest.raises(ValueError, match="need gold"):
        data.log_probabilities(weights, 1)
