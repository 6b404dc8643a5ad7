"""Scores of label sequences, as sklearn-crfsuite computes them: items of all sequences in one list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from tagloom.errors import ConfigError

Sequences = Iterable[Sequence[Any]]


def flatten(y: Sequences) -> list[Any]:
    """Join sequences to one list.

    >>> flatten([[1, 2], [3, 4]])
    [1, 2, 3, 4]
    """
    return list(chain.from_iterable(y))


def flat_accuracy_score(y_true: Sequences, y_pred: Sequences) -> float:
    """Compute the part of the items that have the right label."""
    return _score("accuracy_score", y_true, y_pred)  # type: ignore[no-any-return]


def flat_precision_score(y_true: Sequences, y_pred: Sequences, **options: Any) -> Any:
    """Compute the precision of items; options are those of ``sklearn.metrics.precision_score``."""
    return _score("precision_score", y_true, y_pred, **options)


def flat_recall_score(y_true: Sequences, y_pred: Sequences, **options: Any) -> Any:
    """Compute the recall of items; options are those of ``sklearn.metrics.recall_score``."""
    return _score("recall_score", y_true, y_pred, **options)


def flat_f1_score(y_true: Sequences, y_pred: Sequences, **options: Any) -> Any:
    """Compute F1 of items; options are those of ``sklearn.metrics.f1_score``."""
    return _score("f1_score", y_true, y_pred, **options)


def flat_fbeta_score(y_true: Sequences, y_pred: Sequences, beta: float, **options: Any) -> Any:
    """Compute F-beta of items; options are those of ``sklearn.metrics.fbeta_score``."""
    return _score("fbeta_score", y_true, y_pred, beta=beta, **options)


def flat_classification_report(
    y_true: Sequences, y_pred: Sequences, labels: Sequence[Any] | None = None, **options: Any
) -> Any:
    """Write a table of scores; options are those of ``sklearn.metrics.classification_report``."""
    return _score("classification_report", y_true, y_pred, labels=labels, **options)


def sequence_accuracy_score(y_true: Sequences, y_pred: Sequences) -> float:
    """Compute the part of the sequences whose labels are all right.

    >>> sequence_accuracy_score([["a", "b"], ["c"]], [["a", "b"], ["a"]])
    0.5
    """
    pairs = [list(gold) == list(found) for gold, found in zip(y_true, y_pred)]
    return sum(pairs) / len(pairs) if pairs else 0


def _score(name: str, y_true: Sequences, y_pred: Sequences, **options: Any) -> Any:
    try:
        from sklearn import metrics
    except ImportError:
        raise ConfigError(f'flat_{name} needs scikit-learn: pip install "tagloom[sklearn]"') from None
    return getattr(metrics, name)(flatten(y_true), flatten(y_pred), **options)
