"""Sequences for the tests of the scikit-learn estimators: words, feature dicts, rows of data frames, and labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tagloom.datasets import indonesian_pos, newswire

SAMPLE = indonesian_pos()
X_TRAIN, Y_TRAIN = (list(SAMPLE.train.slice(0, 150).iter_sentences(name)) for name in ("form", "label"))
X_TEST, Y_TEST = (list(SAMPLE.test.slice(0, 40).iter_sentences(name)) for name in ("form", "label"))
NEWS = newswire(12, seed=5)
X_NEWS, Y_NEWS = (list(NEWS.iter_sentences(name)) for name in ("form", "ner"))
FAST = {"learner": "averaged-perceptron", "epochs": 3}
CRF = {"learner": "lbfgs", "epochs": 20}


def to_dicts(sequence: list[str]) -> list[dict[str, Any]]:
    return [
        {
            "word": word,
            "length": len(word),
            "title": word.istitle(),
            "affixes": sorted({word[:2], word[-2:]}),
            "next": {"word": after, "short": len(after) / 10},
        }
        for word, after in zip(sequence, [*sequence[1:], ""])
    ]


D_TRAIN, D_TEST = list(map(to_dicts, X_TRAIN)), list(map(to_dicts, X_TEST))


def object_array(items: list[Any]) -> np.ndarray[Any, Any]:
    array = np.empty(len(items), object)
    array[:] = items
    return array


def make_frame() -> tuple[Any, list[str]]:
    """Build a data frame with one row per token, and one label per row."""
    pandas = pytest.importorskip("pandas")
    numbers = np.repeat(np.arange(len(X_TRAIN)), list(map(len, X_TRAIN)))
    words = [word for words in X_TRAIN for word in words]
    return pandas.DataFrame({"sentence_id": numbers, "word": words}), [each for labels in Y_TRAIN for each in labels]
