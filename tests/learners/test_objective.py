"""The objective of batch learners over blocks: the sum is that of all data at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tagloom import _core
from tagloom.learners import LEARNERS, Settings
from tagloom.learners.blocks import WholeData
from tagloom.learners.objective import SummedObjective, find_support
from tests.core.chains import core_chain, core_data
from tests.oracle.chain import Space, Token

LABELS, FEATURES, SENTENCES = 4, 120, 90
BOUNDS = np.array([0, 1, 40, 41, 90])


def random_data() -> tuple[_core.Chain, _core.ChainData]:
    rng, yes = np.random.default_rng(7), (True,) * LABELS
    pairs = frozenset((p, y) for p in range(LABELS) for y in range(LABELS) if (p + y) % 3)
    chain = core_chain(Space(yes, yes, (yes,) * LABELS, (pairs, pairs), triples=True), FEATURES)
    found, gold = [], []
    for length in rng.integers(1, 8, SENTENCES):
        rows = rng.zipf(1.5, (length, 3)) % FEATURES
        found.append([Token(tuple((int(f), 1.0) for f in row), ((int(row[0]) % 2, 1.0),)) for row in rows])
        gold.append(tuple(((rows[:, 0] + rng.integers(0, 2, length)) % LABELS).tolist()))
    return chain, core_data(chain, found, gold)


CHAIN, DATA = random_data()
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "crf": ("lbfgs", {}),
    "labels that are seen": ("lbfgs", {"node_labels": "seen", "transition_pairs": "seen"}),
    "cut-off": ("lbfgs", {"node_labels": "seen", "label_cutoff": 3}),
    "maxent": ("maxent", {}),
    "maxent backwards": ("maxent", {"direction": "right-to-left", "label_cutoff": 2}),
}


def build(case: str, bounds: Any) -> SummedObjective:
    name, chosen = CASES[case]
    numbers = {**Settings().of(LEARNERS[name]), **chosen}
    return SummedObjective(LEARNERS[name], numbers, CHAIN, WholeData(DATA, bounds))


@pytest.mark.parametrize("case", CASES)
def test_the_sum_over_blocks_is_that_of_all_data(case: str) -> None:
    whole, blocks = build(case, SENTENCES), build(case, BOUNDS)
    assert blocks.size == whole.size
    x = np.random.default_rng(3).normal(size=whole.size)
    expected, found = np.empty_like(x), np.empty_like(x)
    loss, errors = whole.evaluate(x, expected, 1)
    assert blocks.evaluate(x, found, 2) == (pytest.approx(loss, rel=1e-6), errors)
    assert np.allclose(found, expected, rtol=1e-4, atol=1e-4)
    if CASES[case][0] == "lbfgs":
        assert np.allclose(blocks.curvature(x, 1), whole.curvature(x, 1), rtol=1e-4, atol=1e-4)
    else:
        observed = whole.observed(1)
        assert np.array_equal(blocks.observed(1), observed)
        assert blocks.largest_sum(observed, 1) == whole.largest_sum(observed, 1)


@pytest.mark.parametrize("case", CASES)
def test_all_data_decide_which_weights_exist_and_begin(case: str) -> None:
    whole, blocks = build(case, SENTENCES), build(case, BOUNDS)
    weights = np.random.default_rng(2).normal(size=CHAIN.size).astype(np.float32)
    for objective in (whole, blocks):
        objective.start(weights)
    assert blocks.size == whole.size
    assert np.array_equal(blocks.variables(weights), whole.variables(weights))
    blocks.evaluate(blocks.variables(weights), np.empty(blocks.size), 1)  # opens all blocks, the last one last
    assert np.array_equal(blocks.weights(np.zeros(blocks.size)), whole.weights(np.zeros(whole.size)))


def test_support_of_online_learners() -> None:
    numbers = {**Settings().of(LEARNERS["sgd"]), "node_labels": "seen", "transition_pairs": "seen"}
    found = [find_support(LEARNERS["sgd"], numbers, CHAIN, WholeData(DATA, bounds)) for bounds in (SENTENCES, BOUNDS)]
    assert np.array_equal(*found)
    assert 0 < found[0].sum() < CHAIN.size
