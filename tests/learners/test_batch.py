"""The objective of batch training, and the optimizers: L-BFGS and OWL-QN."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagloom import _core, _core_double
from tagloom.learners import LEARNERS, Settings, begin_training
from tagloom.learners.batch import BatchTraining
from tagloom.learners.blocks import WholeData
from tagloom.learners.lbfgs import Point, minimise, steepest
from tests.core.chains import core_chain, core_data
from tests.learners.examples import FEATURES, Task, tasks
from tests.oracle.chain import Part, Space, Token
from tests.oracle.crf import gradient as crf_gradient

REALS = {"f32": _core.BatchObjective, "f64": _core_double.BatchObjective}


def variables(task: Task, node_labels: str) -> list[Part]:
    """The weights that exist, in the order of the core."""
    labels = range(len(task.space.start))
    seen = {(f, y) for x, gold in task.examples for token, y in zip(x, gold) for f, _ in token.nodes}
    return [
        *(("node", f, y) for f in range(FEATURES) for y in labels if node_labels == "all" or (f, y) in seen),
        *(("pair", p, y) for p in labels for y in labels if task.space.transitions and task.space.pairs[p][y]),
        *(("edge", f, p, y) for f, pairs in enumerate(task.space.edge_pairs) for p, y in sorted(pairs)),
    ]


def objective_of(task: Task, node_labels: str, real: str = "f64") -> Any:
    return REALS[real](task.data(), node_labels == "all")


def evaluate(objective: Any, x: np.ndarray, threads: int = 1) -> tuple[float, np.ndarray]:
    gradient = np.full(objective.size, np.nan)
    loss, _ = objective.evaluate(x, gradient, threads)
    return loss, gradient


node_labels = pytest.mark.parametrize("labels", ["seen", "all"])

# -- the objective -----------------------------------------------------------------------------------------------------


@node_labels
@settings(max_examples=40)
@given(task=tasks())
def test_the_gradient_is_the_sum_of_the_differences_of_all_examples(labels: str, task: Task):
    parts, objective = variables(task, labels), objective_of(task, labels)
    assert objective.size == len(parts)
    loss, gradient = evaluate(objective, np.array([task.start[part] for part in parts]))
    weights = {part: task.start[part] for part in parts}
    total, expected = 0.0, dict.fromkeys(parts, 0.0)
    for sentence, gold in task.examples:
        if sentence and task.space.allows(gold):
            direction, one = crf_gradient(task.space, weights, sentence, gold)
            total += one
            for part in parts:
                expected[part] -= direction[part]
    assert loss == pytest.approx(total, abs=1e-10)
    assert dict(zip(parts, gradient.tolist())) == pytest.approx(expected, abs=1e-10)


@node_labels
@settings(max_examples=30)
@given(task=tasks())
def test_the_gradient_is_that_of_finite_differences(labels: str, task: Task):
    parts, objective, h = variables(task, labels), objective_of(task, labels), 1e-5
    x = np.array([task.start[part] for part in parts])
    _, gradient = evaluate(objective, x)
    slopes = [
        (evaluate(objective, x + h * unit)[0] - evaluate(objective, x - h * unit)[0]) / (2 * h)
        for unit in np.eye(len(x))
    ]
    assert np.allclose(gradient, slopes, atol=1e-7)


@node_labels
@given(task=tasks())
@settings(max_examples=30)
def test_variables_are_laid_out_as_weights_and_back(labels: str, task: Task):
    parts, objective = variables(task, labels), objective_of(task, labels)
    x = np.array([task.start[part] for part in parts])
    weights = objective.weights(x)
    assert weights.tobytes() == task.vector({part: task.start[part] for part in parts}).tobytes()
    assert objective.variables(weights).tobytes() == x.tobytes()
    narrow = objective_of(task, labels, "f32")
    assert np.allclose(evaluate(narrow, x)[1], evaluate(objective, x)[1], atol=1e-4)
    with pytest.raises(ValueError, match="do not fit"):
        objective.weights(np.zeros(len(parts) + 1))
    with pytest.raises(ValueError, match="do not fit"):
        objective.variables(weights[1:])


def random_data(sentences: int = 300, labels: int = 5, features: int = 900) -> tuple[_core.Chain, _core.ChainData]:
    """More sentences and features than a thread takes in one go, edge features among them."""
    rng = np.random.default_rng(4)
    yes = (True,) * labels
    pairs = frozenset((p, y) for p in range(labels) for y in range(labels) if (p + y) % 2)
    chain = core_chain(Space(yes, yes, (yes,) * labels, (pairs, pairs)), features)
    found, gold = [], []
    for length in rng.integers(1, 8, sentences):
        rows = rng.zipf(1.5, (length, 4)) % features
        found.append([Token(tuple((int(f), 1.0) for f in row), ((int(row[0]) % 2, 1.0),)) for row in rows])
        gold.append(tuple(((rows[:, 0] + rng.integers(0, 2, length)) % labels).tolist()))
    return chain, core_data(chain, found, gold)


@pytest.mark.parametrize("real", REALS)
@pytest.mark.parametrize("threads", [2, 4, 100])
def test_threads_do_not_change_a_bit(real: str, threads: int):
    _, data = random_data()
    for every_label in (False, True):
        objective = REALS[real](data, every_label)
        x = np.random.default_rng(5).normal(size=objective.size)
        (loss, gradient), (other, same) = evaluate(objective, x), evaluate(objective, x, threads)
        assert (loss, gradient.tobytes()) == (other, same.tobytes())


# -- the optimizers ----------------------------------------------------------------------------------------------------


def quadratic(size: int, seed: int) -> tuple[np.ndarray, np.ndarray, Any]:
    """0.5 x A x - b x with a positive definite A."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(size, size))
    A, b = root @ root.T + 0.1 * np.eye(size), 3 * rng.normal(size=size)

    def objective(x: np.ndarray, gradient: np.ndarray) -> float:
        gradient[:] = A @ x - b
        return float(0.5 * x @ A @ x - b @ x)

    return A, b, objective


def last_point(objective: Any, size: int, l1: float = 0.0, most: int = 2000) -> Point:
    """Where the optimizer ends, having never risen on the way."""
    value, point = np.inf, None
    for _, point in zip(range(most), minimise(objective, np.zeros(size), l1=l1)):
        assert point.value < value
        value = point.value
    assert point is not None
    return point


@settings(max_examples=20)
@given(size=st.integers(1, 12), seed=st.integers(0, 2**32))
def test_lbfgs_solves_quadratic_problems(size: int, seed: int):
    A, b, objective = quadratic(size, seed)
    best = 0.5 * -b @ np.linalg.solve(A, b)
    assert last_point(objective, size).value == pytest.approx(best, abs=1e-7, rel=1e-7)


def optimality(point: Point, l1: float) -> float:
    """The largest part of the shortest subgradient: |g + l1 sign(x)|, or what |g| has beyond l1 where x is 0."""
    x, gradient = point.x, point.gradient
    return float(np.where(x != 0, np.abs(gradient + l1 * np.sign(x)), np.maximum(np.abs(gradient) - l1, 0)).max())


@settings(max_examples=20)
@given(size=st.integers(1, 12), seed=st.integers(0, 2**32), l1=st.sampled_from([0.01, 0.5, 2.0]))
def test_owlqn_meets_the_conditions_of_the_optimum(size: int, seed: int, l1: float):
    A, b, objective = quadratic(size, seed)
    if np.abs(b).max() <= l1:
        assert not list(minimise(objective, np.zeros(size), l1=l1))  # zero is the optimum
        return
    point = last_point(objective, size, l1)
    assert np.abs(steepest(point, l1)).max() == pytest.approx(optimality(point, l1))
    # The condition of A decides how near to zero double precision comes.
    assert optimality(point, l1) < 1e-4 * np.abs(b).max()
    assert point.value <= coordinate_descent(A, b, l1) + 1e-6


def coordinate_descent(A: np.ndarray, b: np.ndarray, l1: float) -> float:
    """The least value of the lasso problem, by another way."""
    x = np.zeros(len(b))
    for _ in range(300):
        for i in range(len(x)):
            rest = b[i] - A[i] @ x + A[i, i] * x[i]
            x[i] = np.sign(rest) * max(abs(rest) - l1, 0) / A[i, i]
    return float(0.5 * x @ A @ x - b @ x + l1 * np.abs(x).sum())


def crf(c2: float) -> tuple[Any, Any]:
    """A small CRF in double precision: the objective, and the same as scipy takes it."""
    _, data = random_data(sentences=40, labels=3, features=30)
    core = _core_double.BatchObjective(data, False)

    def objective(x: np.ndarray, gradient: np.ndarray) -> float:
        loss, _ = core.evaluate(x, gradient, 1)
        gradient += 2 * c2 * x
        return float(loss + c2 * (x @ x))

    return core, objective


def test_lbfgs_finds_the_optimum_that_scipy_finds():
    optimize = pytest.importorskip("scipy.optimize")
    core, objective = crf(c2=0.1)

    def both(x: np.ndarray) -> tuple[float, np.ndarray]:
        gradient = np.empty_like(x)
        return objective(x, gradient), gradient

    found = optimize.minimize(
        both, np.zeros(core.size), jac=True, method="L-BFGS-B", options={"ftol": 1e-14, "gtol": 1e-8}
    )
    point = last_point(objective, core.size)
    assert point.value == pytest.approx(found.fun, rel=1e-8)
    assert np.allclose(point.x, found.x, atol=1e-3)


@pytest.mark.parametrize("c1", [0.2, 1.0, 3.0])
def test_owlqn_on_a_crf_is_optimal_and_sparse(c1: float):
    core, objective = crf(c2=0.01)
    point = last_point(objective, core.size, c1)
    assert optimality(point, c1) < 1e-3
    zeros = int((point.x == 0).sum())
    assert 0 < zeros < core.size
    stronger = last_point(objective, core.size, 2 * c1)
    assert (stronger.x == 0).sum() > zeros


# -- training ----------------------------------------------------------------------------------------------------------


def begin(name: str, **numbers: Any) -> BatchTraining:
    chain, data = random_data(sentences=60, features=50)
    training = begin_training(
        LEARNERS[name], Settings(**numbers), "abcde", chain, WholeData(data, 60), seed=1, threads=1
    )
    assert isinstance(training, BatchTraining)
    return training


@pytest.mark.parametrize("name", ["lbfgs", "owlqn"])
def test_training_ends_at_the_optimum_of_the_stated_objective(name: str):
    training = begin(name, c2=0.3) if name == "lbfgs" else begin(name, c1=0.5, c2=0.1)
    *_, last = training.passes(seed=1)
    c1, c2 = (0.0, 0.3) if name == "lbfgs" else (0.5, 0.1)
    weights = last.weights().astype(np.float64)
    _, data = random_data(sentences=60, features=50)
    loss = -data.log_probabilities(last.weights(), 1).sum()
    assert last.loss == pytest.approx(loss, rel=1e-5)
    stated = loss + c1 * np.abs(weights).sum() + c2 * np.square(weights).sum()
    assert training.state.descent.values[-1] == pytest.approx(stated, rel=1e-5)

    core = _core_double.BatchObjective(data, False)

    def objective(x: np.ndarray, gradient: np.ndarray) -> float:
        value, _ = core.evaluate(x, gradient, 1)
        gradient += 2 * c2 * x
        return float(value + c2 * (x @ x))

    best = last_point(objective, core.size, c1).value
    assert best * (1 - 1e-6) <= stated <= best * 1.001


@pytest.mark.parametrize("name", ["lbfgs", "owlqn"])
@pytest.mark.parametrize("stop", [1, 3, 9])
def test_a_training_that_stopped_goes_on_with_the_same_bytes(name: str, stop: int):
    straight = [(p.epoch, p.loss, p.weights().tobytes()) for p in begin(name).passes(seed=1)]
    first = begin(name)
    for p in first.passes(seed=1):
        if p.epoch == stop:
            break
    tensors = {key: array.copy() for key, array in first.state.to_tensors().items()}
    second = begin(name)
    second.state.restore(tensors)
    resumed = [(p.epoch, p.loss, p.weights().tobytes()) for p in second.passes(seed=1, done=stop)]
    assert resumed == straight[stop:]


def test_a_training_that_had_converged_says_so_again():
    training = begin("lbfgs")
    *_, last = training.passes(seed=1)
    again = begin("lbfgs")
    again.state.restore(training.state.to_tensors())
    (idle,) = again.passes(seed=1, done=last.epoch)
    assert (idle.epoch, idle.updates, idle.loss) == (last.epoch + 1, 0, last.loss)
    assert idle.weights().tobytes() == last.weights().tobytes()


def test_tensors_that_do_not_fit_are_refused():
    training = begin("lbfgs")
    next(training.passes(seed=1))
    tensors = training.state.to_tensors()
    for name in ("x", "gradient", "steps.0"):
        with pytest.raises(ValueError, match=f"tensor {name}: expected"):
            begin("lbfgs").state.restore({**tensors, name: np.zeros(3)})
    with pytest.raises(ValueError, match=r"tensor changes\.0: expected an array, found none"):
        begin("lbfgs").state.restore({name: array for name, array in tensors.items() if name != "changes.0"})


def test_all_labels_have_weights_if_asked_for():
    seen, every = begin("lbfgs"), begin("lbfgs", node_labels="all")
    assert every.objective.size > seen.objective.size
    *_, a = seen.passes(seed=1)
    *_, b = every.passes(seed=1)
    assert np.count_nonzero(b.weights()) > np.count_nonzero(a.weights())


@node_labels
@settings(max_examples=30)
@given(task=tasks())
def test_weights_taken_over_are_variables_where_their_feature_fires_and_stay_elsewhere(labels: str, task: Task):
    objective = objective_of(task, labels)
    objective.start(task.vector(task.start))
    fires = {f for x, _ in task.examples for token in x for f, _ in token.nodes}
    chosen = [
        part
        for part in variables(task, "all")
        if part[0] != "node" or (part[1] in fires and (part in variables(task, labels) or task.start[part] != 0))
    ]
    assert objective.variables(task.vector(task.start)).tolist() == [task.start[part] for part in chosen]
    moved = {part: value + (part in chosen) for part, value in task.start.items()}
    assert objective.weights(np.array([moved[part] for part in chosen])).tobytes() == task.vector(moved).tobytes()
    with pytest.raises(ValueError, match="do not fit"):
        objective.start(np.zeros(len(task.vector(task.start)) + 1))


def test_weights_to_begin_with_near_the_optimum_need_fewer_passes():
    *passes, last = begin("lbfgs").passes(seed=1)
    warm = begin("lbfgs")
    warm.start(last.weights())
    again = list(warm.passes(seed=1))
    assert len(again) < len(passes)
    assert again[0].loss == pytest.approx(last.loss, rel=1e-3)


# -- transitions that were seen, and a start by SGD --------------------------------------------------------------------


@settings(max_examples=30)
@given(task=tasks())
def test_transitions_can_be_limited_to_those_seen(task: Task):
    parts = variables(task, "seen")
    pairs = {("pair", p, y) for _, gold in task.examples for p, y in pairwise(gold)}
    objective = _core_double.BatchObjective(task.data(), False, 1, None, False)
    expected = [part for part in parts if part[0] != "pair" or part in pairs]
    weights = task.vector(dict.fromkeys(expected, 1.0))
    assert objective.size == len(expected)
    assert objective.weights(np.ones(objective.size)).tobytes() == weights.tobytes()


def test_the_curvature_is_a_bound_on_second_derivatives_of_independent_labels():
    rng, labels, features = np.random.default_rng(7), 3, 6
    yes = (True,) * labels
    chain = core_chain(Space(yes, yes, (yes,) * labels, transitions=False), features)
    rows = [[tuple((int(f), float(v)) for f, v in zip(rng.permutation(features)[:3], rng.normal(size=3)))
             for _ in range(length)] for length in (4, 1, 3)]  # fmt: skip
    tokens = [[Token(nodes, ()) for nodes in sentence] for sentence in rows]
    data = core_data(chain, tokens, [tuple(rng.integers(0, labels, len(sentence)).tolist()) for sentence in tokens])
    objective, h = _core_double.BatchObjective(data, True), 1e-4
    x = rng.normal(size=objective.size)
    evaluate(objective, x)
    bound = objective.curvature(1).reshape(features, labels)
    expected = np.zeros((features, labels))
    for nodes in (nodes for sentence in rows for nodes in sentence):
        scores = sum(value * x.reshape(features, labels)[f] for f, value in nodes)
        p = np.exp(scores) / np.exp(scores).sum()
        for f, value in nodes:  # by the plain formula
            expected[f] += abs(value) * (2 + sum(abs(other) for _, other in nodes)) * p * (1 - p)
    assert np.allclose(bound, expected, rtol=1e-6)
    for k, unit in enumerate(np.eye(len(x)) * h):
        slopes = [evaluate(objective, x + sign * unit)[1][k] for sign in (1, -1)]
        assert (slopes[0] - slopes[1]) / (2 * h) <= bound.ravel()[k] + 1e-6


@pytest.mark.parametrize("learner", ["lbfgs", "owlqn"])
def test_a_start_by_sgd_reaches_the_same_optimum_in_fewer_iterations(learner: str):
    chain, data = random_data()
    numbers = {"c2": 0.3, "tolerance": 1e-7, **({"c1": 0.2} if learner == "owlqn" else {})}
    found = {}
    for passes in (0, 5):
        settings_ = Settings(**numbers, sgd_passes=passes)
        training = begin_training(
            LEARNERS[learner], settings_, ["a"] * 5, chain, WholeData(data, 300), seed=1, threads=1
        )
        *_, last = training.passes(1)
        found[passes] = (last.epoch, last.state.point.value)
    assert found[5][1] == pytest.approx(found[0][1], rel=1e-5)
    assert found[5][0] < found[0][0]


def test_training_from_sgd_goes_on_from_its_state_and_does_not_depend_on_threads():
    chain, data = random_data()

    def begin(threads: int) -> Any:
        settings_ = Settings(c1=0.2, c2=0.3, sgd_passes=3)
        return begin_training(
            LEARNERS["owlqn"], settings_, ["a"] * 5, chain, WholeData(data, 300), seed=1, threads=threads
        )

    weights = []
    for threads in (1, 3):
        passes = begin(threads).passes(1)
        states = [(each.epoch, each.state.to_tensors(), each.weights().tobytes()) for each, _ in zip(passes, range(8))]
        weights.append(states[-1][2])
    assert weights[0] == weights[1]
    again = begin(1)
    again.restore(states[3][1])
    *_, last = (each.weights().tobytes() for each, _ in zip(again.passes(1, 4), range(4)))
    assert last == weights[0]
