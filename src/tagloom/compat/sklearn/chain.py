"""ChainClassifier: one label per token, by a tagger."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tagloom.compat.sklearn.base import SequenceEstimator
from tagloom.compat.sklearn.errors import as_value_errors
from tagloom.compat.sklearn.parameters import build_signature
from tagloom.compat.sklearn.samples import Samples, check_labels
from tagloom.corpus.schemes import BIOES, IOB2, writes
from tagloom.errors import ConfigError, DataError
from tagloom.systems.tagger.decode import require_probabilities
from tagloom.systems.tagger.model import Tagger

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from tagloom.compat.sklearn.keywords import ChainParameters


class ChainClassifier(SequenceEstimator):
    """Labels every token of a sequence: tags, chunks, entities, word boundaries.

    The parameters are the options of taggers, listed in docs/options.md, and those below. What is None is chosen from
    the data.

    Args:
        columns: Names of the columns of tuples, such as ``"form pos"``; of data frames, which columns to read.
        normalise: Unicode normal form of the words, NFC or NFKC.
        scoring: What ``score`` returns: a name in ``METRICS``, or a function of gold and predicted labels.
        decoder: How labels are found, see :meth:`tagloom.Tagger.tag`.
        **parameters: Options of taggers.

    Attributes:
        model_: The :class:`tagloom.Tagger`, with everything that it can do.
        classes_: The labels, ascending.

    Examples:
        >>> X = [[{"word": "the"}, {"word": "dog", "long": False}], [{"word": "a"}, {"word": "cat"}]]
        >>> classifier = ChainClassifier(learner="lbfgs").fit(X, [["DT", "NN"], ["DT", "NN"]])
        >>> classifier.predict_single([{"word": "a"}, {"word": "dog"}])
        ['DT', 'NN']
        >>> classifier.predict_proba(X)[0].shape
        (2, 2)
    """

    system = "tagger"
    model_: Tagger

    def __init__(self, **parameters: Unpack[ChainParameters]) -> None:
        self._store(parameters)

    @as_value_errors()
    def partial_fit(self, X: Any, y: Any, classes: Iterable[Any] | None = None) -> Self:  # noqa: N803
        """Make one pass over more data. Features and labels that are new are added to the model.

        Args:
            X: Sequences, see :meth:`fit`.
            y: Their labels.
            classes: Labels that will come. ``classes_`` holds them from the first call on, so that the columns of
                ``predict_proba`` stay the same; other labels are refused in this call.

        Returns:
            The estimator itself.
        """
        corpus, labels = self._read_training_data(X, y)
        given = [] if classes is None else check_labels(classes, "classes")
        known = {*getattr(self, "classes_", np.array([])).tolist(), *given}
        unknown = set() if classes is None else set(labels.values) - known
        if unknown:
            raise DataError(f"y has labels that are not in classes: {', '.join(map(repr, sorted(unknown)))}")
        found = check_labels([*known, *labels.values])
        extra: dict[str, Any] = {"start": self.model_} if self.__sklearn_is_fitted__() else {}
        if not extra and self.scheme is None and set(labels.values) == {IOB2.outside} and writes(IOB2, sorted(known)):
            extra = {"scheme": BIOES.name}  # spans will come, as by default
        self.model_ = self._train(corpus, epochs=1, **extra)
        self.classes_ = self._find_classes(found)
        return self

    def _find_classes(self, labels: Iterable[Any]) -> NDArray[Any]:
        """List the labels of y, and those that the model writes where y is not well formed."""
        found, scheme = set(labels), self.model_.spec.written
        if scheme is not None and not scheme.begins_where_touching:
            found |= self.model_.label_numbers.keys()
        return super()._find_classes(found)

    @as_value_errors()
    def predict_proba(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Compute P(label | sequence) of every token.

        Learners with a likelihood (lbfgs, owlqn, sgd, sgd-l1, adf, madf, dca) and maxent have such probabilities. The
        scores of the others become probabilities with ``calibration_folds``, or with development data in ``fit``.

        Returns:
            An array with one array [T, L] per sequence, in the order of ``classes_``; for a data frame with one row per
            token, one array [N, L].
        """
        samples, found = self._find_probabilities(X)
        return samples.arrange(found)

    @as_value_errors()
    def predict_marginals(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Compute what :meth:`predict_proba` does, as one dict from label to probability per token."""
        samples, found = self._find_probabilities(X)
        names = self.classes_.tolist()
        rows = [dict(zip(names, row)) for row in found.tolist()]
        return samples.arrange(rows)

    def predict_marginals_single(self, tokens: Any) -> list[dict[Any, float]]:
        """Compute the probabilities of the labels of one sequence, as dicts."""
        return self.predict_marginals([tokens])[0]  # type: ignore[no-any-return]

    def _find_probabilities(self, X: Any) -> tuple[Samples, NDArray[np.float32]]:  # noqa: N803
        """Compute probabilities [N, L] in the order of ``classes_``."""
        samples = self._open(X)
        self._require_probabilities()
        found = self.model_.marginals_corpus(samples.corpus, threads=self.threads)
        numbers = self.model_.label_numbers
        columns = [found[:, numbers.get(str(label), [])].sum(axis=1) for label in self.classes_.tolist()]
        return samples, np.stack(columns, axis=1)

    def _require_probabilities(self) -> None:
        """Refuse models without probabilities, and those whose probabilities are not of the labels of y."""
        try:
            require_probabilities(self.model_.spec, "predict_proba")
        except ConfigError as error:
            reason = str(error).partition(";")[0]
            remedy = "choose a learner with a likelihood, such as lbfgs, or pass calibration_folds or development data"
            raise ConfigError(f"{reason}; {remedy}") from None
        scheme = self.model_.spec.written
        if self.model_.spec.codec is not None or (scheme is not None and scheme.begins_where_touching):
            what = "lemmas" if scheme is None else f"labels in {scheme.name}"
            raise ConfigError(f"predict_proba: {what} have no probabilities of their own; write y in IOB2")


ChainClassifier.__init__.__signature__ = build_signature("tagger")  # type: ignore[attr-defined]
