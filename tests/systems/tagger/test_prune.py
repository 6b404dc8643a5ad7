"""Pruning: features with small weights alone are left out of a model, and nothing else changes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tagloom
from tagloom.datasets import newswire
from tagloom.errors import ConfigError
from tagloom.systems.tagger.parameters import WeightViews

NEWS = newswire(12, seed=3)
TEMPLATES = "form[{-1..1}]\nsuffix2[0]\nform[0] / edge\n/ edge\n"
QUICK = {"label": "ner", "learner": "sgd", "epochs": 3, "templates": TEMPLATES}


def weights(model: tagloom.Tagger) -> tuple[dict[int, np.ndarray], np.ndarray]:
    """Rows of node features by key, and all weights of label pairs."""
    views = WeightViews(model.chain, model.parameters.weights)
    return dict(zip(model.parameters.node_keys.tolist(), views.nodes)), views.edges


def test_only_features_with_small_weights_are_left_out(tmp_path: Path) -> None:
    whole, small = tagloom.train(NEWS, **QUICK), tagloom.train(NEWS, prune=0.2, **QUICK)
    (before, edges), (after, kept) = weights(whole), weights(small)
    assert 0 < len(after) < len(before)
    assert all(np.array_equal(after[key], before[key]) for key in after)
    assert all(np.abs(before[key]).max() < 0.2 for key in before.keys() - after.keys())
    assert all(np.abs(row).max() >= 0.2 for row in after.values())
    assert sorted(kept.tolist()) == sorted(edges[np.abs(edges) >= 0.2].tolist())
    assert np.array_equal(*(WeightViews(each.chain, each.parameters.weights).transitions for each in (whole, small)))
    for name, model in (("whole", whole), ("small", small)):
        model.save(tmp_path / name)
    assert (tmp_path / "small").stat().st_size < 0.8 * (tmp_path / "whole").stat().st_size
    assert tagloom.load(tmp_path / "small").tag_corpus(NEWS).texts() == small.tag_corpus(NEWS).texts()


def test_everything_may_be_left_out() -> None:
    model = tagloom.train(NEWS, prune=1e9, **QUICK)
    assert model.sizes["features"] == 0
    assert len(model.tag(["Anna", "sleeps"])) == 2


def test_buckets_cannot_be_pruned() -> None:
    with pytest.raises(ConfigError, match="prune: with buckets"):
        tagloom.train(NEWS, prune=0.1, buckets=1000, **QUICK)
    with pytest.raises(ConfigError, match="prune: expected a number of 0 or more"):
        tagloom.train(NEWS, prune=-1.0, **QUICK)
