"""What the estimators share: training, prediction and scores, through the contract that every system has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from tagloom.compat.sklearn.errors import as_value_errors
from tagloom.compat.sklearn.metrics import METRICS
from tagloom.compat.sklearn.parameters import complete_parameters, list_search_options, list_training_options
from tagloom.compat.sklearn.samples import Labels, Samples, read_labels, read_samples, to_object_array
from tagloom.corpus import Column, Corpus, decode_spans
from tagloom.errors import ConfigError, DataError, unknown_name
from tagloom.systems.base import Model
from tagloom.systems.train import train

EstimatorT = TypeVar("EstimatorT", bound="SequenceEstimator")

#: First token, one past the last, category.
Span = tuple[int, int, str]


class SequenceEstimator(BaseEstimator):  # type: ignore[misc]
    """Labels the tokens of sequences by a model of one system."""

    system: ClassVar[str]  # its name in the registry
    model_: Model
    classes_: NDArray[Any]
    columns: Any
    normalise: str | None
    scoring: str | Callable[[Any, Any], float]

    def _store(self, given: Mapping[str, object]) -> None:
        for name, value in complete_parameters(type(self), self.system, given).items():
            setattr(self, name, value)

    def __sklearn_tags__(self) -> Any:
        """Say that X is sequences, not a table, and that y is required."""
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array, tags.input_tags.two_d_array = True, False
        tags.input_tags.string = tags.input_tags.dict = True
        tags.target_tags.required = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        """Tell whether there is a model."""
        return hasattr(self, "model_")

    # -- training ----------------------------------------------------------------------------------------------------

    @as_value_errors()
    def fit(self: EstimatorT, X: Any, y: Any, X_dev: Any = None, y_dev: Any = None) -> EstimatorT:  # noqa: N803
        """Train a model.

        Args:
            X: Sequences of words, of tuples with one field per column, or of feature dicts; or a data frame, with one
                row per token and a sentence id, or with lists in its cells.
            y: One list of labels per sequence; of a data frame with one row per token, one label per row.
            X_dev: Held-out data, which decides which pass is kept and when to stop.
            y_dev: The labels of the held-out data.

        Returns:
            The estimator itself.
        """
        corpus, labels = self._read_training_data(X, y)
        dev = None if X_dev is None else self._read_training_data(X_dev, y_dev)[0]
        self.model_ = self._train(corpus, dev=dev)
        self.classes_ = self._find_classes(labels.values)
        return self

    def _find_classes(self, labels: Iterable[Any]) -> NDArray[Any]:
        """List the distinct labels, ascending."""
        return np.array(sorted(set(labels)))

    def _read_training_data(self, X: Any, y: Any) -> tuple[Corpus, Labels]:  # noqa: N803
        if y is None:
            name = type(self).__name__
            raise DataError(f"This {name} estimator requires y to be passed, but the target y is None.")
        samples = read_samples(X, self.columns)
        labels = read_labels(y, samples)
        return samples.with_labels(labels), labels

    def _train(self, corpus: Corpus, **extra: Any) -> Any:
        options = {name: getattr(self, name) for name in list_training_options(self.system)}
        given = {name: value for name, value in options.items() if value is not None}
        return train(corpus, system=self.system, normalise=self.normalise, **{**given, **extra})  # type: ignore[call-overload]

    # -- use -----------------------------------------------------------------------------------------------------------

    @as_value_errors()
    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Predict the labels of sequences.

        Returns:
            An array with one list of labels per sequence; for a data frame with one row per token, one label per row.
        """
        samples, column = self._annotate(X)
        if not samples.by_token:
            return to_object_array(self._restore_lists(samples, column))
        return np.array(self._restore(column.texts()), dtype=None if len(column) else self.classes_.dtype)

    def predict_single(self, tokens: Any) -> list[Any]:
        """Predict the labels of one sequence."""
        return self.predict([tokens])[0]  # type: ignore[no-any-return]

    @as_value_errors()
    def predict_spans(self, X: Any) -> NDArray[np.object_]:  # noqa: N803
        """Predict the spans of sequences.

        Returns:
            An array with one list of (first token, one past the last, category) per sequence.
        """
        samples, column = self._annotate(X)
        scheme = self.model_.own_layers[-1].scheme
        if scheme is None:
            raise ConfigError("predict_spans: the labels of this model are plain tags; use predict")
        found: list[list[Span]] = [[] for _ in range(len(samples.corpus))]
        firsts = samples.corpus.sentences.tolist()
        spans = decode_spans(column.strings.strings(), column.codes, samples.corpus.sentences, scheme)
        for sentence, start, stop, category in spans.tuples():
            found[sentence].append((start - firsts[sentence], stop - firsts[sentence], category))
        return to_object_array(found)

    @as_value_errors()
    def score(self, X: Any, y: Any) -> float:  # noqa: N803
        """Score predicted labels against ``y`` by the metric ``scoring``, by default the share of right labels."""
        metric = self._find_metric()
        samples, column = self._annotate(X)
        return metric(samples.cut(read_labels(y, samples).values), self._restore_lists(samples, column))

    def _find_metric(self) -> Callable[[Any, Any], float]:
        if callable(self.scoring):
            return self.scoring
        if self.scoring not in METRICS:
            raise unknown_name("scoring", self.scoring, METRICS)
        return METRICS[self.scoring]

    def _annotate(self, X: Any) -> tuple[Samples, Column]:  # noqa: N803
        """Predict the column of labels."""
        samples = self._open(X)
        search = {name: getattr(self, name) for name in list_search_options(self.system)}
        threads: int = self.threads
        columns = self.model_.predict_columns(samples.corpus, threads=threads, **search)
        return samples, columns[self.model_.own_layers[-1].column]

    def _open(self, X: Any) -> Samples:  # noqa: N803
        """Read X with the columns that the model reads."""
        if not self.__sklearn_is_fitted__():
            name = type(self).__name__
            raise NotFittedError(f"This {name} instance is not fitted yet: call 'fit' before using this estimator.")
        samples = read_samples(X, self.columns, has_features=bool(self.model_.reads.bags))
        return Samples(self.model_.reads.adopt(samples.corpus), samples.by_token)

    def _restore(self, labels: list[str]) -> list[Any]:
        """Turn labels as models have them, which are strings, into those of y."""
        if self.classes_.dtype.kind == "U":
            return labels
        return list(map({str(label): label for label in self.classes_.tolist()}.__getitem__, labels))

    def _restore_lists(self, samples: Samples, column: Column) -> list[list[Any]]:
        return [self._restore(labels) for labels in samples.cut_column(column)]
