"""Rows of tables as sequences of one token, so that scikit-learn's checks, which know tables only, run."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from tagloom.compat.sklearn import ChainClassifier
from tagloom.compat.sklearn.parameters import build_signature


class RowClassifier(ClassifierMixin, ChainClassifier):
    """A ``ChainClassifier`` whose sequences are single rows, with one numeric feature per column."""

    def __init__(self, **parameters: Any) -> None:
        super().__init__(**parameters)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array, tags.input_tags.two_d_array = False, True
        return tags

    def fit(self, X: Any, y: Any) -> RowClassifier:
        return super().fit(to_sequences(X), to_label_lists(y))

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> RowClassifier:
        return super().partial_fit(to_sequences(X), to_label_lists(y), classes)

    def predict(self, X: Any) -> Any:
        return np.array([label for (label,) in super().predict(to_sequences(X))])

    def predict_proba(self, X: Any) -> Any:
        return np.concatenate(super().predict_proba(to_sequences(X)))

    def score(self, X: Any, y: Any) -> float:
        return super().score(to_sequences(X), to_label_lists(y))


RowClassifier.__init__.__signature__ = build_signature("tagger")  # type: ignore[attr-defined]


def to_sequences(X: Any) -> list[list[dict[str, Any]]]:
    return [[{f"x{number}": value for number, value in enumerate(row)}] for row in np.asarray(X).tolist()]


def to_label_lists(y: Any) -> list[list[Any]] | None:
    return None if y is None else [[label] for label in np.asarray(y).ravel().tolist()]
