"""The kernels for plain and for AVX2 instructions compute the same bits, in everything that learns or infers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tagloom import _core, _core_double
from tagloom.learners.blocks import WholeData, count_gold
from tests.core.test_kernels import EDGES, FEATURES, WIDTHS, edge_pairs, random_rows

STEPS = {"unit": "best", "pa": "best", "pa2": "best"} | dict.fromkeys(("dca", "sgd", "madf", "adf", "l1"), "expected")
REALS = {
    "f32": (np.float32, "", _core.OnlineState, _core.BatchObjective),
    "f64": (np.float64, "_f64", _core_double.OnlineState, _core_double.BatchObjective),
}
ANY = np.zeros(0, np.uint8)
Arrays = list[np.ndarray]


def random_data(width: int, *, weighted: bool = True, edges: bool = True) -> tuple[_core.Chain, _core.ChainData]:
    rng = np.random.default_rng(width)
    allowed = rng.random((width, width)) < 0.9
    one = np.ones(width, np.uint8)
    offsets, pairs = edge_pairs(rng, width) if edges else (np.zeros(1, np.int64), np.zeros(0, np.uint32))
    chain = _core.Chain(width, FEATURES, True, offsets, pairs, one, one, allowed.astype(np.uint8).ravel())
    bounds = np.cumsum([0, *rng.integers(1, 8, size=6)])
    tokens = int(bounds[-1])
    nodes = random_rows(rng, tokens, FEATURES, 8, weighted)
    edge_rows = random_rows(rng, tokens, EDGES if edges else 0, 3, weighted)
    gold = random_gold(rng, bounds, allowed)
    return chain, _core.ChainData(chain, *nodes, *edge_rows, bounds, np.array(gold, np.int32))


def random_gold(rng: np.random.Generator, bounds: np.ndarray, allowed: np.ndarray) -> list[int]:
    """Labels that the masks allow, as far as there are any."""
    gold: list[int] = []
    for t in range(int(bounds[-1])):
        follows = (
            np.flatnonzero(allowed[gold[-1]])
            if t not in bounds and allowed[gold[-1]].any()
            else np.arange(len(allowed))
        )
        gold.append(int(rng.choice(follows)))
    return gold


def assert_same_bits(compute: Callable[[], Arrays]) -> None:
    fast = compute()
    for core in (_core, _core_double):
        core.use_baseline_kernels(True)
    try:
        assert _core.kernel_name() == _core_double.kernel_name() == "baseline"
        slow = compute()
    finally:
        for core in (_core, _core_double):
            core.use_baseline_kernels(False)
    assert [array.tobytes() for array in fast] == [array.tobytes() for array in slow]
    assert all(np.isfinite(array).all() for array in fast)


@pytest.mark.parametrize("real", REALS)
@pytest.mark.parametrize("width", WIDTHS)
def test_marginals_and_posterior_labels(width: int, real: str):
    dtype, suffix, _, _ = REALS[real]
    for edges, size in ((False, 1.0), (True, 1.0), (True, 500.0)):  # the last takes the logarithmic way
        chain, data = random_data(width, weighted=edges, edges=edges)
        weights = (size * np.random.default_rng(1).normal(size=chain.size)).astype(dtype)
        assert_same_bits(
            lambda: [
                *getattr(data, "marginals" + suffix)(weights, ANY, 1),  # noqa: B023
                *getattr(data, "decode_posterior" + suffix)(weights, ANY, 1),  # noqa: B023
            ]
        )


@pytest.mark.parametrize("real", REALS)
@pytest.mark.parametrize("step", STEPS)
def test_epochs_of_every_step(step: str, real: str):
    numbers = {"l1": 0.01} if step == "l1" else {"l2": 0.05, "period": 4}
    settings = _core.StepSettings(rate=0.2, decay=0.5, examples=6, **numbers)

    def learn(width: int, plain: bool) -> Arrays:
        chain, data = random_data(width, weighted=not plain, edges=not plain)
        state = REALS[real][2](chain.size, not plain)
        if step == "madf":
            state.set_frequency_rates(count_gold(chain, WholeData(data, 1)), 0.001, 1.0)
        costs = (1.0 - np.eye(width)).ravel() if step in ("pa", "pa2") else np.zeros(0)
        state.epoch(data, np.array([0, 1, 2, 3, 4, 5, 1, 3]), STEPS[step], step, settings, costs)
        return [state.mean(), *state.to_tensors().values()]

    for width in WIDTHS:
        assert_same_bits(lambda: learn(width, plain=width % 2 == 1))  # noqa: B023


@pytest.mark.parametrize("real", REALS)
@pytest.mark.parametrize("width", WIDTHS)
def test_batch_gradients(width: int, real: str):
    _, data = random_data(width)
    objective = REALS[real][3](data, True)
    x = np.random.default_rng(2).normal(size=objective.size)

    def evaluate() -> Arrays:
        gradient = np.empty(objective.size)
        loss, errors = objective.evaluate(x, gradient, 1)
        return [np.array([loss, errors]), gradient]

    assert_same_bits(evaluate)
