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
