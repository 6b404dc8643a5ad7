"""Arrays that do not fit together are refused before they are used."""

from __future__ import annotations

import numpy as np
import pytest

from tagloom import _core

YES = np.ones(2, np.uint8)
PLAIN = _core.StepSettings(), np.zeros(0)  # no numbers, no costs


def i64(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


def u32(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.uint32)


def chain(**changes: object) -> _core.Chain:
    """Two labels, three node features, one edge feature with two pairs."""
    arguments = {"labels": 2, "node_rows": 3, "has_transitions": True, "edge_offsets": i64(0, 2),
                 "edge_pairs": u32(0, 3), "start": YES, "end": YES, "pairs": np.ones(4, np.uint8)}  # fmt: skip
    return _core.Chain(**(arguments | changes))


def data(**changes: object) -> _core.ChainData:
    """Two sentences of one and two tokens."""
    arguments = {"chain": chain(), "node_offsets": i64(0, 1, 1, 2), "node_rows": u32(0, 2), "node_values": floats(),
                 "edge_offsets": i64(0, 0, 1, 1), "edge_rows": u32(0), "edge_values": floats(),
                 "sentences": i64(0, 1, 3), "gold": np.array([0, 1, 1], np.int32)}  # fmt: skip
    return _core.ChainData(**(arguments | changes))


def floats(*numbers: float) -> np.ndarray:
    return np.array(numbers, np.float32)


@pytest.mark.parametrize(
    "changes",
    [
        {"labels": 0},
        {"labels": 4097},
        {"labels": 3},
        {"start": np.ones(3, np.uint8)},
        {"pairs": np.ones(2, np.uint8)},
        {"edge_offsets": i64()},
        {"edge_offsets": i64(0, 1)},
        {"edge_offsets": i64(1, 2)},
        {"edge_offsets": i64(0, 3, 2)},
        {"edge_pairs": u32(0, 4)},
    ],
    ids=str,
)
def test_chains_that_do_not_fit_are_refused(changes: dict):
    with pytest.raises(ValueError, match=r"\w"):
        chain(**changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"node_offsets": i64()},
        {"node_offsets": i64(0, 1, 2)},
        {"node_offsets": i64(0, 2, 1, 2)},
        {"node_offsets": i64(0, -1, 1, 2)},
        {"node_rows": u32(0, 3)},
        {"node_rows": u32(0)},
        {"node_values": floats(1.0)},
        {"edge_offsets": i64(0, 1)},
        {"edge_rows": u32(1)},
        {"edge_values": floats(1.0, 1.0)},
        {"sentences": i64(0, 1)},
        {"sentences": i64(0, 4, 3)},
        {"sentences": i64()},
        {"gold": np.array([0, 1], np.int32)},
        {"gold": np.array([0, 1, 2], np.int32)},
        {"gold": np.array([0, 1, -1], np.int32)},
    ],
    ids=str,
)
def test_sentences_that_do_not_fit_their_chain_are_refused(changes: dict):
    with pytest.raises(ValueError, match=r"\w"):
        data(**changes)


def test_weights_must_fit_the_chain():
    size = chain().size
    for count in (0, size - 1, size + 1):
        with pytest.raises(ValueError, match="do not fit"):
            data().decode(np.zeros(count, np.float32), 1)
        with pytest.raises(ValueError, match="do not fit"):
            _core.OnlineState(count, True).epoch(data(), i64(0), "best", "unit", *PLAIN)


@pytest.mark.parametrize("order", [i64(2), i64(0, -1), i64(2**62)], ids=str)
def test_examples_out_of_range_are_refused(order: np.ndarray):
    with pytest.raises(ValueError, match="out of range"):
        _core.OnlineState(chain().size, False).epoch(data(), order, "best", "unit", *PLAIN)


def test_training_needs_gold_labels_and_known_parts():
    state = _core.OnlineState(chain().size, False)
    with pytest.raises(ValueError, match="gold"):
        state.epoch(data(gold=np.zeros(0, np.int32)), i64(0), "best", "unit", *PLAIN)
    for parts in (("worst", "unit", *PLAIN), ("best", "two", *PLAIN)):
        with pytest.raises(ValueError, match="unknown"):
            state.epoch(data(), i64(0), *parts)


@pytest.mark.parametrize("costs", [1, 3, 5])
def test_costs_must_fit_the_labels(costs: int):
    with pytest.raises(ValueError, match="costs do not fit"):
        _core.OnlineState(chain().size, False).epoch(
            data(), i64(0), "cost-augmented", "pa", _core.StepSettings(), np.zeros(costs)
        )


@pytest.mark.parametrize(
    "name", ["aggressiveness", "rate", "decay", "l1", "l2", "examples", "period", "window", "slow", "fast"]
)
@pytest.mark.parametrize("number", [-1.0, np.nan, np.inf, 1e16])
def test_settings_of_steps_are_finite_and_not_negative(name: str, number: float):
    with pytest.raises(ValueError, match="from 0 to 1e15"):
        _core.StepSettings(**{name: number})


@pytest.mark.parametrize("name", ["aggressiveness", "examples", "period", "window"])
def test_settings_that_divide_are_positive(name: str):
    with pytest.raises(ValueError, match="positive"):
        _core.StepSettings(**{name: 0.0})


@pytest.mark.parametrize("step", ["adf", "l1"])
def test_what_a_step_remembers_must_fit(step: str):
    state = _core.OnlineState(chain().size, True)
    state.epoch(data(), i64(0, 1), "expected", step, *PLAIN)
    tensors = state.to_tensors()
    memory = {"adf": ("row_rates", "row_counts"), "l1": ("penalties",)}[step]
    other = _core.OnlineState(chain().size, True)
    other.restore({**tensors, **{name: tensors[name][1:] for name in memory}})
    with pytest.raises(ValueError, match="does not fit"):
        other.epoch(data(), i64(0), "expected", step, *PLAIN)


def test_states_are_restored_only_from_arrays_that_fit():
    state = _core.OnlineState(chain().size, True)
    tensors = state.to_tensors()
    for name in ("weights", "sums", "numbers"):
        for wrong in (tensors[name][1:], np.zeros(0, tensors[name].dtype)):
            with pytest.raises(ValueError, match="do not fit"):
                _core.OnlineState(chain().size, True).restore({**tensors, name: wrong})
        with pytest.raises(ValueError, match="do not fit"):
            _core.OnlineState(chain().size, True).restore({k: v for k, v in tensors.items() if k != name})
    with pytest.raises(ValueError, match="do not fit"):
        _core.OnlineState(chain().size, False).restore(tensors)
    with pytest.raises(ValueError, match="do not fit"):
        state.start(np.zeros(chain().size + 1, np.float32))


def test_batch_objectives_need_gold_and_variables_that_fit():
    with pytest.raises(ValueError, match="gold"):
        _core.BatchObjective(data(gold=np.zeros(0, np.int32)), False)
    objective = _core.BatchObjective(data(), True)
    for x, gradient in ((objective.size - 1, objective.size), (objective.size, objective.size + 1)):
        with pytest.raises(ValueError, match="do not fit"):
            objective.evaluate(np.zeros(x), np.zeros(gradient), 1)


def test_a_sample_teaches_what_its_sentences_teach():
    order = i64(1, 1, 0)
    small, sample = data().sample(order)
    assert small.node_rows == 2  # of three features two occur
    for opponent, step in (("best", "unit"), ("expected", "sgd"), ("expected", "adf")):
        whole, part = _core.OnlineStateF64(chain().size, False), _core.OnlineStateF64(small.size, False)
        report = whole.epoch(data(), order, opponent, step, *PLAIN)
        assert part.epoch(sample, np.arange(3), opponent, step, *PLAIN) == report
        assert part.weights().sum() == pytest.approx(whole.weights().sum(), abs=1e-12)
    for bad in (i64(2), i64(-1)):
        with pytest.raises(ValueError, match="out of range"):
            data().sample(bad)
    with pytest.raises(ValueError, match="gold"):
        data(gold=np.zeros(0, np.int32)).sample(i64(0))


def test_feature_tables_hold_a_key_once():
    with pytest.raises(ValueError, match="twice"):
        _core.FeatureTable(np.array([5, 7, 5], np.uint64))


def test_edge_features_get_the_pairs_seen_with_them():
    offsets, rows = i64(0, 1, 2, 3, 4), u32(1, 0, 1, 1)  # a feature a token
    sentences, gold = i64(0, 3, 4), np.array([0, 1, 0, 1], np.int32)
    ends, pairs = _core.edge_support(offsets, rows, sentences, gold, 2, 2, False)
    # Feature 0 stands between 0 and 1, feature 1 between 1 and 0; the first token of a sentence has no pair.
    assert (ends.tolist(), pairs.tolist()) == ([0, 1, 2], [1, 2])
    ends, pairs = _core.edge_support(offsets, rows, sentences, gold, 2, 2, True)
    assert (ends.tolist(), pairs.tolist()) == ([0, 4, 8], [0, 1, 2, 3] * 2)
