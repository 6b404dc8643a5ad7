"""Metrics of label sequences, and scorers made of them for searches and cross-validation.

Every metric takes gold and predicted labels: one list per sequence, or one flat list, which counts as one sequence.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import f1_score, make_scorer

from tagloom.compat.sklearn.errors import as_value_errors
from tagloom.corpus import Column
from tagloom.corpus.corpus import IntArray
from tagloom.corpus.objects import is_list
from tagloom.errors import ConfigError, DataError, show_value
from tagloom.evaluate import Score, score

Metric = Callable[[Any, Any], float]


@dataclass(frozen=True)
class _Pair:
    """Gold and predicted labels of the same tokens."""

    gold: list[str]
    predicted: list[str]
    sequences: IntArray  # [S + 1] offsets

    @classmethod
    def read(cls, y_true: Any, y_pred: Any) -> _Pair:
        """Flatten both sides; raises DataError if their lengths differ."""
        gold, predicted = _list_sequences(y_true, "y_true"), _list_sequences(y_pred, "y_pred")
        if len(gold) != len(predicted):
            raise DataError(f"y_true has {len(gold)} sequences, y_pred {len(predicted)}; score the same sequences")
        for number, (left, right) in enumerate(zip(gold, predicted), 1):
            if len(left) != len(right):
                raise DataError(f"sequence {number}: {len(left)} labels in y_true, but {len(right)} in y_pred")
        sides = [[str(label) for label in itertools.chain.from_iterable(side)] for side in (gold, predicted)]
        return cls(sides[0], sides[1], np.cumsum([0, *map(len, gold)], dtype=np.int64))

    @property
    def is_right(self) -> Any:
        """Flags of the tokens whose labels are equal, [N]."""
        return np.array([left == right for left, right in zip(self.gold, self.predicted)], bool)


def _list_sequences(labels: Any, name: str) -> list[list[Any]]:
    if not is_list(labels):
        raise DataError(f"{name}: expected lists of labels, got {show_value(labels)}")
    items = list(labels)
    if items and not is_list(items[0]):
        return [items]
    for number, each in enumerate(items, 1):
        if not is_list(each):
            raise DataError(f"{name}: sequence {number}: expected a list of labels, got {show_value(each)}")
    return [list(each) for each in items]


@as_value_errors()
def token_accuracy(y_true: Any, y_pred: Any) -> float:
    """Compute the share of tokens with the right label.

    >>> token_accuracy([["DT", "NN"], ["NN"]], [["DT", "NN"], ["VB"]])
    0.6666666666666666
    """
    pair = _Pair.read(y_true, y_pred)
    return float(np.mean(pair.is_right)) if pair.gold else 0.0


@as_value_errors()
def sequence_accuracy(y_true: Any, y_pred: Any) -> float:
    """Compute the share of sequences whose labels are all right.

    >>> sequence_accuracy([["DT", "NN"], ["NN"]], [["DT", "NN"], ["VB"]])
    0.5
    """
    pair = _Pair.read(y_true, y_pred)
    errors = np.concatenate([[0], np.cumsum(~pair.is_right)])[pair.sequences]
    return float(np.mean(np.diff(errors) == 0)) if len(errors) > 1 else 0.0


@as_value_errors()
def flat_f1(y_true: Any, y_pred: Any, *, labels: Iterable[str] | None = None, average: str | None = "weighted") -> Any:
    """Compute the F1 of labels, token by token; see :func:`sklearn.metrics.f1_score`.

    Args:
        y_true: Gold labels.
        y_pred: Predicted labels.
        labels: Labels to score, such as all but ``O``; None for all.
        average: How the F1 of single labels are averaged; None returns one value per label.

    >>> flat_f1([["O", "B-PER"]], [["O", "O"]], labels=["B-PER"])
    0.0
    """
    pair = _Pair.read(y_true, y_pred)
    chosen = None if labels is None else [str(label) for label in labels]
    found = f1_score(pair.gold, pair.predicted, labels=chosen, average=average, zero_division=0.0)
    return found if average is None else float(found)


@as_value_errors()
def span_f1(y_true: Any, y_pred: Any, *, rule: str = "conlleval") -> float:
    """Compute the F1 of spans; the labels must follow a scheme such as IOB2 or BIOES.

    Args:
        y_true: Gold labels.
        y_pred: Predicted labels.
        rule: "conlleval", or "strict", which counts only complete and well-formed spans; see :func:`tagloom.score`.

    >>> span_f1([["B-PER", "I-PER", "O"], ["B-LOC"]], [["B-PER", "I-PER", "O"], ["B-PER"]])
    0.5
    """
    return _score_spans(y_true, y_pred, rule).overall.f1 / 100


@as_value_errors()
def span_precision(y_true: Any, y_pred: Any, *, rule: str = "conlleval") -> float:
    """Compute the precision of spans, see :func:`span_f1`."""
    return _score_spans(y_true, y_pred, rule).overall.precision / 100


@as_value_errors()
def span_recall(y_true: Any, y_pred: Any, *, rule: str = "conlleval") -> float:
    """Compute the recall of spans, see :func:`span_f1`."""
    return _score_spans(y_true, y_pred, rule).overall.recall / 100


def _score_spans(y_true: Any, y_pred: Any, rule: str) -> Score:
    if rule not in ("conlleval", "strict"):
        raise ConfigError(f"rule: expected 'conlleval' or 'strict', got {show_value(rule)}")
    pair = _Pair.read(y_true, y_pred)
    columns = Column.from_strings(pair.gold), Column.from_strings(pair.predicted)
    scheme = "IOB2" if {*pair.gold, *pair.predicted} <= {"O"} else None  # a part of the data may have no spans
    found = score(*columns, pair.sequences, rule=rule, scheme=scheme)
    if found.rule != rule:  # no label scheme was found
        raise ConfigError(
            f"the labels are plain tags such as {show_value(pair.gold[0], 40)}, no spans; score token_accuracy"
        )
    return found


#: Metrics by name: what ``scoring`` of an estimator may be.
METRICS: Mapping[str, Metric] = {
    "token_accuracy": token_accuracy,
    "sequence_accuracy": sequence_accuracy,
    "flat_f1": flat_f1,
    "span_f1": span_f1,
    "span_precision": span_precision,
    "span_recall": span_recall,
}
#: Scorers by name, for ``scoring`` of GridSearchCV, cross_validate and others.
SCORERS: Mapping[str, Any] = {name: make_scorer(metric) for name, metric in METRICS.items()}
