"""Where names recur and do not show their type, non-local features win: the drawing of docs/documents.md in small."""

from __future__ import annotations

import tagloom
from tagloom.datasets import newswire


def test_nonlocal_features_win_by_a_margin() -> None:
    train, test = (newswire(100, seed=seed, ambiguity=0.5) for seed in (1, 2))

    def f1(learner: str) -> float:
        model = tagloom.train(train, label="ner", learner=learner, sequences="documents", epochs=8)
        return model.evaluate(test).value

    assert f1("nonlocal-perceptron") > f1("margin-perceptron") + 2.0
