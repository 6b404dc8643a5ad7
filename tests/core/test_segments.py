"""Search and forward-backward over segments against enumeration; without features of segments, against the chain."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from tagloom import _core, _core_double
from tagloom.corpus.schemes import BIOES
from tests.core.segments import Problem, problems
from tests.oracle.segments import Scores, node_marginals

ANY = np.zeros(0, np.uint8)
PRECISIONS = {"": (np.float32, 1e-4), "_f64": (np.float64, 1e-9)}
precisions = pytest.mark.parametrize("precision", PRECISIONS)
NO_STEP = _core.StepSettings(rate=1.0)
NO_COSTS = np.zeros(0)


@precisions
@settings(max_examples=60)
@given(problem=problems())
def test_the_best_segmentation_is_that_of_enumeration(precision: str, problem: Problem):
    dtype, close = PRECISIONS[precision]
    scores = problem.scores()
    labels, values = getattr(problem.data(), "decode_allowed" + precision)(problem.flat(dtype), ANY, 1)
    probabilities, _ = scores.distribution()
    best = max(map(scores.score, probabilities))
    assert values[0] == pytest.approx(best, rel=close, abs=close)
    assert scores.score(scores.find_segmentation(labels.tolist())) == pytest.approx(best, rel=close, abs=close)


@precisions
@settings(max_examples=60)
@given(problem=problems())
def test_marginals_and_probabilities_are_those_of_enumeration(precision: str, problem: Problem):
    dtype, close = PRECISIONS[precision]
    scores, data = problem.scores(), problem.data()
    found, log_z = getattr(data, "marginals" + precision)(problem.flat(dtype), ANY, 1)
    probabilities, expected = scores.distribution()
    assert log_z[0] == pytest.approx(expected, rel=close, abs=close)
    assert np.allclose(found.reshape(problem.length, -1), node_marginals(scores), rtol=0, atol=close)
    gold = getattr(data, "log_probabilities" + precision)(problem.flat(dtype), 1)[0]
    assert np.exp(gold) == pytest.approx(
        probabilities[scores.find_segmentation(problem.gold)], rel=10 * close, abs=close
    )


@settings(max_examples=60)
@given(problem=problems(most_tokens=12))
def test_without_features_of_segments_all_is_as_in_the_chain(problem: Problem):
    """Segments of any length: longer ones than those with features are found, too."""
    bare = problem.without_segments()
    data, plain, weights = bare.data(), bare.data(plain=True), bare.flat()
    assert data.decode_allowed_f64(weights, ANY, 1)[1] == pytest.approx(plain.decode_allowed_f64(weights, ANY, 1)[1])
    ours, theirs = data.marginals_f64(weights, ANY, 1), plain.marginals_f64(weights, ANY, 1)
    assert np.allclose(ours[0], theirs[0], rtol=0, atol=1e-9)
    assert ours[1] == pytest.approx(theirs[1])
    states = [_core_double.OnlineState(len(weights), False) for _ in range(2)]
    for state, each in zip(states, (data, plain)):
        state.start(weights)
        state.epoch(each, np.zeros(1, np.int64), "expected", "sgd", NO_STEP, NO_COSTS)
    assert np.allclose(states[0].weights(), states[1].weights(), rtol=0, atol=1e-9)


def measure_gradient(problem: Problem) -> np.ndarray:
    """The gradient of log P(gold | x), by finite differences."""

    def log_probability(weights: np.ndarray) -> float:
        scores: Scores = problem.scores(weights)
        return scores.score(scores.find_segmentation(problem.gold)) - scores.distribution()[1]

    step, found = 1e-5, np.zeros_like(problem.weights)
    for place in np.ndindex(*problem.weights.shape):
        change = np.zeros_like(problem.weights)
        change[place] = step
        both = [log_probability(problem.weights + sign * change) for sign in (1, -1)]
        found[place] = (both[0] - both[1]) / (2 * step)
    return found


@settings(max_examples=15)
@given(problem=problems(most_tokens=3))
def test_the_gradient_is_that_of_finite_differences(problem: Problem):
    expected, data, weights = measure_gradient(problem), problem.data(), problem.flat()
    state = _core_double.OnlineState(len(weights), False)
    state.start(weights)
    state.epoch(data, np.zeros(1, np.int64), "expected", "sgd", NO_STEP, NO_COSTS)
    online = problem.unfold(state.weights() - weights)
    assert np.allclose(online, expected, rtol=0, atol=1e-6)
    objective = _core_double.BatchObjective(data, True)
    gradient = np.zeros(objective.size)
    objective.evaluate(objective.variables(weights), gradient, 1)
    assert np.allclose(problem.unfold(objective.weights(-gradient)), problem.unfold(mask(problem, expected)), atol=1e-6)


def mask(problem: Problem, gradient: np.ndarray) -> np.ndarray:
    """The gradient of the weights that batch training has: forbidden label pairs have none."""
    found = gradient.copy()
    chain = problem.chain()
    objective = _core_double.BatchObjective(problem.data(), True)
    exists = problem.unfold(objective.weights(np.ones(objective.size)))
    assert chain.size == len(problem.flat())
    return problem.flat(weights=np.where(exists != 0, found, 0))


@settings(max_examples=40)
@given(problem=problems())
def test_a_perceptron_moves_from_the_best_to_gold(problem: Problem):
    weights, data = problem.flat(), problem.data()
    codes = data.decode_allowed_f64(weights, ANY, 1)[0].tolist()
    state = _core_double.OnlineState(len(weights), False)
    state.start(weights)
    state.epoch(data, np.zeros(1, np.int64), "best", "unit", NO_STEP, NO_COSTS)
    found = problem.unfold(state.weights() - weights)
    expected = count(problem, list(problem.gold)) - count(problem, codes)
    assert np.allclose(found, expected, rtol=0, atol=1e-9)


def count(problem: Problem, labels: list[int]) -> np.ndarray:
    """Phi(x, y), laid out like the weights."""
    found = np.zeros_like(problem.weights)
    for t, y in enumerate(labels):
        found[t, y] += 1
        if t > 0:
            found[problem.rows + labels[t - 1], y] += 1
    for first, last, kind in problem.scores().find_segmentation(labels):
        for feature in problem.features.get((first, last), ()) if kind is not None else ():
            found[problem.length + feature, kind] += 1
    return found


@settings(max_examples=20)
@given(problem=problems())
def test_threads_do_not_change_the_objective(problem: Problem):
    data, values = problem.data(copies=150), []
    for threads in (1, 3):
        objective = _core.BatchObjective(data, False)
        gradient = np.zeros(objective.size)
        loss = objective.evaluate(objective.variables(problem.flat(np.float32)), gradient, threads)
        values.append((loss, gradient.tobytes(), objective.curvature(threads).tobytes()))
    assert values[0] == values[1]


@given(problem=problems())
@settings(max_examples=20)
def test_samples_and_selections_keep_the_segments(problem: Problem):
    data, weights = problem.data(copies=3), problem.flat()
    whole = data.decode_allowed_f64(weights, ANY, 1)[1]
    part = data.select(np.array([2, 0]))
    assert part.decode_allowed_f64(weights, ANY, 1)[1].tolist() == whole[[2, 0]].tolist()
    chain, sample = data.sample(np.array([1]))
    assert chain.node_rows <= problem.rows
    again = _core.ChainData.__new__(_core.ChainData)
    again.__setstate__(data.__getstate__())
    assert again.decode_allowed_f64(weights, ANY, 1)[1].tolist() == whole.tolist()
    assert len(sample.decode_allowed_f64(np.zeros(chain.size), ANY, 1)[0]) == problem.length


def test_bad_segments_are_refused():
    problem = Problem(BIOES, 1, 2, 2, {}, np.zeros((10, 5)), (0, 0))
    data, zeros = problem.data(plain=True), np.zeros(5, np.int64)
    none, roles = np.zeros(0, np.uint32), problem.roles
    for wrong in (
        (1, zeros, none, roles), (2, zeros[:3], none, roles), (2, zeros, none, roles[:3]),
        (2, np.array([0, 0, 0, 0, 1]), np.array([10**6], np.uint32), roles),
        (2, zeros, none, np.array([1, 2, 3, 99], np.int32)), (2, zeros, none, np.array([1, 1, 3, 4], np.int32)),
        (2, zeros, none, np.array([1, 2, 3, 4, 1, -1, -1, -1], np.int32)),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"segment|label|feature|type"):
            data.with_segments(*wrong)
    whole = problem.data()
    with pytest.raises(ValueError, match="segments"):
        whole.decode_posterior(problem.flat(np.float32), ANY, 1)
    with pytest.raises(ValueError, match="segments"):
        whole.nbest(problem.flat(np.float32), ANY, 2, 1)
    state = _core.OnlineState(problem.chain().size, False)
    for opponent, step in (("expected", "madf"), ("conditional", "sgd")):
        with pytest.raises(ValueError, match="segments"):
            state.epoch(whole, np.zeros(1, np.int64), opponent, step, NO_STEP, NO_COSTS)


WORDS = ["a", "b", "a", "b", "a", "c"]


def test_features_are_equal_where_their_values_are():
    values = [sorted(set(WORDS)).index(word) for word in WORDS]
    attribute = np.arange(len(WORDS) + 1), np.array(values, np.uint32)
    entries = np.array([0, 1, 1, 2, 2, 2, 2]), np.array([2, 2], np.uint32), np.array([3, 1], np.uint64)
    places = {"length": 0, "all": 1, "first": 2, "last": 3, "inside": 4, "before": 5, "after": 6, "entry": 7}
    templates = [(number, [(place, 0)]) for number, place in enumerate(places.values())]
    features = _core.SegmentFeatures(templates, [attribute], [entries], np.array([0, 4, 6]))
    spans = [(0, 2), (2, 4), (1, 3), (0, 3), (4, 6)]
    starts, stops = (np.array(each) for each in zip(*spans))
    keys, numbers = features.keys(starts, stops)
    found: dict[tuple[int, tuple[object, ...]], set[int]] = {}
    listed = iter(zip(keys.tolist(), numbers.tolist()))
    for first, last in spans:
        begin, end = (0, 4) if first < 4 else (4, 6)
        expected = [
            (0, (last - first,)), (1, tuple(WORDS[first:last])), (2, (WORDS[first],)), (3, (WORDS[last - 1],)),
            *((4, (word,)) for word in WORDS[first + 1 : last - 1]),
            (5, (WORDS[first - 1] if first > begin else None,)), (6, (WORDS[last] if last < end else None,)),
            *((7, (number,)) for number in {(0, 2): [0, 1], (2, 4): [0]}.get((first, last), [])),
        ]  # fmt: skip
        for number, value in expected:
            key, template = next(listed)
            assert template == number
            found.setdefault((number, value), set()).add(key)
    assert next(listed, None) is None
    assert all(len(each) == 1 for each in found.values())
    assert len({key for each in found.values() for key in each}) == len(found)
    for wrong in ([[0], [5]], [[2], [2]], [[3], [5]], [[0], [99]], [[-1], [1]]):
        with pytest.raises(ValueError, match="segment"):
            features.keys(*(np.array(each) for each in wrong))
    table = _core.FeatureTable(np.unique(keys))
    offsets, rows = features.rows(2, table, 7, 1)
    assert len(offsets) == 2 * len(WORDS) + 1
    assert rows.min() >= 7
    again = features.rows(2, table, 7, 3)
    assert offsets.tolist() == again[0].tolist()
    assert rows.tolist() == again[1].tolist()
