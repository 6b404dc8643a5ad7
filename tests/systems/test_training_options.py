"""Models tell the options of their training: with these, the same data give the same model again."""

from __future__ import annotations

from typing import Any

import pytest

import tagloom
from tagloom.corpus import Corpus
from tagloom.datasets import newswire

CASES: list[tuple[str, tuple[str, ...], dict[str, Any]]] = [
    ("phrases", ("form", "pos", "ner"), {"epochs": 2, "cutoff": 1, "window": 2}),
    ("segments", ("form", "pos", "ner"), {"epochs": 2, "rate": 0.1, "longest": 3}),
    ("parser", ("form", "pos", "head"), {"epochs": 2, "tagger": {"epochs": 1, "depth": 1}}),
    ("parser", ("form", "pos", "head"), {"epochs": 2, "tags": "gold", "beam": 2, "learner": "beam-perceptron"}),
]


@pytest.mark.parametrize(("system", "columns", "options"), CASES)
def test_a_model_is_trained_again(system: str, columns: tuple[str, ...], options: dict[str, Any]):
    made = newswire(3, seed=2)
    data = Corpus({name: made.column(name) for name in columns}, made.sentences, made.documents, True)
    model = tagloom.train(data, system=system, **options)
    again = tagloom.train(data, system=system, **model.read_training_options())
    assert again.to_bytes() == model.to_bytes()
