"""Re-ranking 1: the first model's score as a feature, and what takes the place of gold."""

from __future__ import annotations

import numpy as np
import pytest

import tagloom._core as _core
from tagloom.learners.reranking import FirstModels, _beside_scores
from tagloom.structures import Chain
from tagloom.structures.candidates import CandidateLists

NO_FLOATS = np.zeros(0, np.float32)
OFFSETS = np.arange(4, dtype=np.int64)


def two_documents() -> _core.ChainData:
    """Of two tokens and one token, with one feature everywhere."""
    chain = Chain(("a", "b")).compile(1)
    nothing = np.zeros(4, np.int64), np.zeros(0, np.uint32), NO_FLOATS
    gold = np.array([0, 1, 1], np.int32)
    return _core.ChainData(
        chain, OFFSETS, np.zeros(3, np.uint32), NO_FLOATS, *nothing, np.array([0, 2, 3], np.int64), gold
    )


def test_the_first_models_score_gets_the_weight_one() -> None:
    """Its feature is the score in units of 3 and has the weight 6: two in its own units."""
    weights = np.array([2.0, 4.0, 0.0, 6.0], np.float32)
    np.testing.assert_array_equal(_beside_scores(weights, row=3, scale=3.0), [1.0, 2.0])
    assert np.isfinite(_beside_scores(np.array([2.0, -5.0], np.float32), row=1, scale=3.0)).all()


def test_the_nearest_candidate_stands_for_gold() -> None:
    data = two_documents()
    labels = np.array([[1, 0], [0, 0], [1, 1]], np.int32)  # 2, 1 and 1 tokens in error; the earlier one scores higher
    candidates = CandidateLists(
        np.array([0, 3, 5]), np.array([0, 2, 4, 6, 7, 8]), np.append(labels.ravel(), [0, 1]).astype(np.int32),
        np.array([9.0, 8.0, 7.0, 5.0, 4.0]),
    )  # fmt: skip
    models = FirstModels(np.zeros(4, np.float32), candidates, np.array([1.0, 4.0]))
    models, nearest = models.with_oracle(data, data.gold)
    assert nearest.gold.tolist() == [0, 0, 1]
    assert models.gold_scores.tolist() == [8.0, 4.0]
    assert data.gold.tolist() == [0, 1, 1]
    models.lists(nearest, scale=2.0)  # what the core checks


def test_other_gold_labels_are_checked() -> None:
    with pytest.raises(ValueError, match="a gold label a token"):
        two_documents().relabelled(np.zeros(2, np.int32))
    with pytest.raises(ValueError, match="label out of range"):
        two_documents().relabelled(np.array([0, 1, 2], np.int32))
