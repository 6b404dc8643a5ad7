"""The online learners of the core against the plain ones of tests/oracle, weight by weight."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from tagloom import _core, _core_double
from tests.core.chains import all_parts
from tests.learners.examples import FEATURES, NO_COSTS, Task, by_part, run, tasks
from tests.oracle import learners as oracle
from tests.oracle.chain import Part
from tests.oracle.perceptron import average

Vectors = Iterator[dict[Part, float]]

RATES = st.floats(0.01, 0.5)
STRENGTHS = st.sampled_from([0.0, 0.01, 0.1, 0.5])
SIZES = st.sampled_from([0.01, 0.1, 1.0, 100.0])
POWERS = st.sampled_from([0.0, 0.5, 1.0])
#: step, and its opponent if it has several -> the numbers a task may set
NUMBERS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "pa": {"aggressiveness": SIZES},
    "pa2": {"aggressiveness": SIZES},
    "pa predicted": {"aggressiveness": SIZES, "cost_power": POWERS},
    "pa2 predicted": {"aggressiveness": SIZES, "cost_power": POWERS},
    "arow predicted": {"variance": SIZES, "gamma": SIZES, "cost_power": POWERS},
    "dca": {"aggressiveness": SIZES},
    "sgd": {"rate": RATES, "decay": STRENGTHS, "l2": STRENGTHS, "period": st.integers(1, 4)},
    "madf": {"rate": RATES, "decay": STRENGTHS, "l2": STRENGTHS, "period": st.integers(1, 4)},
    "adf": {"rate": RATES, "l2": STRENGTHS, "period": st.integers(1, 4), "window": st.integers(1, 4)},
    "l1": {"rate": RATES, "decay": st.floats(0.1, 1), "l1": STRENGTHS, "examples": st.integers(1, 10)},
}
steps = pytest.mark.parametrize("step", NUMBERS)


def plain(task: Task, step: str, costs: list[list[float]], numbers: dict[str, Any], gap: float) -> Vectors:
    """The weights of the plain learner after each example."""
    space, stream, start, rest = task.space, task.stream, task.start, dict(numbers)
    if step == "arow predicted":
        return oracle.confidence(space, stream, start, power=rest.pop("cost_power"), gap=gap, **rest)
    if step.endswith("predicted"):
        C, power = rest["aggressiveness"], rest["cost_power"]
        damped = step == "pa2 predicted"
        return oracle.predicted_passive_aggressive(space, stream, start, C, power, damped=damped, gap=gap)
    if step in ("pa", "pa2"):
        C = rest["aggressiveness"]
        return oracle.passive_aggressive(space, stream, start, costs, C, damped=step == "pa2", gap=gap)
    if step == "dca":
        return oracle.dual_ascent(space, stream, start, rest["aggressiveness"])
    if step == "adf":
        return oracle.adaptive(space, stream, start, **rest)
    if step == "l1":
        return oracle.lasso(space, stream, start, count=rest.pop("examples"), **rest)
    parts = all_parts(space, FEATURES)
    rates = oracle.frequency_factors(space, task.examples, parts, 0.001, 1.0) if step == "madf" else None
    return oracle.descent(space, stream, start, rates=rates, **rest)


@st.composite
def cost_tables(draw: st.DrawFn, labels: int) -> list[list[float]]:
    """Costs without a pattern, or one for each wrong label."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    table = rng.random((labels, labels)) if draw(st.booleans()) else np.ones((labels, labels))
    np.fill_diagonal(table, 0)
    return table.tolist()


def trained(data: st.DataObject, step: str, gap: float) -> tuple[Callable[..., Any], Task, list[dict[Part, float]]]:
    """The core's learner, ready to run with further options, and the plain one's weights after each example."""
    task = data.draw(tasks())
    numbers = {name: data.draw(strategy, name) for name, strategy in NUMBERS[step].items()}
    costs = data.draw(cost_tables(len(task.space.start)))
    try:
        vectors = list(plain(task, step, costs, numbers, gap))
    except oracle.TieError:
        reject()
    flat = np.array(costs).ravel() if step in ("pa", "pa2") else NO_COSTS
    opponent = step.partition(" ")[2] or ("expected" if flat is NO_COSTS else "cost-augmented")
    name = step.partition(" ")[0]
    return lambda **options: run(task, opponent, name, costs=flat, **numbers, **options), task, vectors


@steps
@settings(max_examples=40)
@given(data=st.data())
def test_weights_and_their_mean_are_those_of_the_plain_learner(step: str, data: st.DataObject):
    core, task, vectors = trained(data, step, 1e-9)
    last = vectors[-1] if vectors else task.start
    for averaged in (False, True):
        state = core(averaged=averaged)
        assert by_part(state.weights(), task.places) == pytest.approx(last, abs=1e-12, rel=1e-12)
        mean = average(vectors) if averaged and vectors else last
        assert by_part(state.mean(), task.places) == pytest.approx(mean, abs=1e-12, rel=1e-12)
        assert not np.delete(state.weights(), list(task.places.values())).any()  # padding has not moved
        assert state.mean().tobytes() == state.take_mean().tobytes()


@steps
@settings(max_examples=15)
@given(data=st.data())
def test_single_precision_is_close(step: str, data: st.DataObject):
    core, _, _ = trained(data, step, 1e-3)
    narrow, wide = core(precision="f32"), core()
    assert np.allclose(narrow.weights(), wide.weights(), rtol=2e-3, atol=2e-3)
    assert np.allclose(narrow.mean(), wide.mean(), rtol=2e-3, atol=2e-3)


@steps
@settings(max_examples=15)
@given(data=st.data(), cuts=st.sets(st.integers(0, 7)))
def test_stretches_and_restored_states_give_the_same_bits(step: str, data: st.DataObject, cuts: set[int]):
    core, task, _ = trained(data, step, 0.0)
    for precision in ("f32", "f64"):
        whole, pieces = core(precision=precision), core(precision=precision, cuts=sorted(cuts))
        tensors, others = whole.to_tensors(), pieces.to_tensors()
        assert {name: array.tobytes() for name, array in tensors.items()} == {
            name: array.tobytes() for name, array in others.items()
        }
        empty = type(whole)(task.chain.size, True)
        empty.restore(tensors)
        assert empty.mean().tobytes() == whole.mean().tobytes()
        assert {name: array.tobytes() for name, array in empty.to_tensors().items()} == {
            name: array.tobytes() for name, array in tensors.items()
        }


@settings(max_examples=40)
@given(data=st.data(), step=st.sampled_from(["unit", "pa predicted", "arow predicted", "sgd"]))
def test_weights_that_do_not_exist_stay_at_zero_and_do_not_count(step: str, data: st.DataObject):
    task = data.draw(tasks())
    places, order = sorted(task.places.values()), np.arange(len(task.examples))
    exists = np.zeros(task.chain.size)
    exists[data.draw(st.lists(st.sampled_from(places), unique=True))] = 1
    name, opponent = step.partition(" ")[::2]
    opponent = opponent or {"unit": "best", "sgd": "expected"}[name]
    state = _core_double.OnlineState(task.chain.size, True)
    state.restrict(exists)
    assert state.size == exists.sum()
    numbers = _core.StepSettings(rate=0.1)
    state.epoch(task.data(), order, opponent, name, numbers, NO_COSTS)
    assert not state.weights()[exists == 0].any()
    assert not state.mean()[exists == 0].any()
    free = _core_double.OnlineState(task.chain.size, True)
    free.restrict(np.ones(task.chain.size))
    free.epoch(task.data(), order, opponent, name, numbers, NO_COSTS)
    plain = _core_double.OnlineState(task.chain.size, True)
    plain.epoch(task.data(), order, opponent, name, numbers, NO_COSTS)
    assert free.weights().tobytes() == plain.weights().tobytes()
