"""Where names recur and do not show their type, non-local features win: the drawing of docs/documents.md in small."""

from __future__ import annotations

import statistics

import pytest

import tagloom
from tagloom.datasets import newswire


@pytest.fixture(scope="module")
def mean_f1() -> dict[str, float]:
    """Of two orders of the examples, with averaged weights, which differ little from order to order."""
    train, test = (newswire(100, seed=seed, ambiguity=0.5) for seed in (1, 2))

    def f1(learner: str, seed: int) -> float:
        model = tagloom.train(
            train, label="ner", learner=learner, sequences="documents", averaging="lazy", epochs=8, seed=seed
        )
        return model.evaluate(test).value

    return {
        learner: statistics.mean(f1(learner, seed) for seed in (1, 2))
        for learner in ("margin-perceptron", "nonlocal-perceptron")
    }


def test_nonlocal_features_win_by_a_margin(mean_f1: dict[str, float]) -> None:
    assert mean_f1["nonlocal-perceptron"] > mean_f1["margin-perceptron"] + 2.0
