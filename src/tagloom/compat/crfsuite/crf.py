"""CRF: the estimator of sklearn-crfsuite, with tagloom's learners."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tagloom.compat.crfsuite.dump import ParsedDump
from tagloom.compat.crfsuite.errors import raise_as
from tagloom.compat.crfsuite.items import ItemSequence
from tagloom.compat.crfsuite.log import TrainLogParser
from tagloom.compat.crfsuite.tagger import Tagger, tag_sequences
from tagloom.compat.crfsuite.trainer import BaseTrainer, LinePerIterationTrainer
from tagloom.corpus import Corpus, from_feature_dicts
from tagloom.systems.tagger.model import Tagger as Model

if TYPE_CHECKING:

    class BaseEstimator:
        """What scikit-learn expects of an estimator."""

else:
    try:
        from sklearn.base import BaseEstimator
    except ImportError:

        class BaseEstimator:
            """Parameters of an estimator, without scikit-learn."""

            def get_params(self, deep=True):
                """Get the arguments of the constructor by name."""
                return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

            def set_params(self, **params):
                """Set arguments of the constructor by name."""
                known = self.get_params()
                for name, value in params.items():
                    if name not in known:
                        raise ValueError(f"unknown parameter {name!r} (known: {', '.join(known)})")
                    setattr(self, name, value)
                return self


#: Arguments of the constructor whose parameters have other names in CRFsuite.
_NAMES = {
    "min_freq": "feature.minfreq", "all_possible_states": "feature.possible_states",
    "all_possible_transitions": "feature.possible_transitions", "pa_type": "type",
    **{f"calibration_{name}": f"calibration.{name}" for name in ("eta", "rate", "samples", "candidates", "max_trials")},
}  # fmt: skip
_PARAMETERS = (
    "min_freq", "all_possible_states", "all_possible_transitions", "c1", "c2", "max_iterations", "num_memories",
    "epsilon", "period", "delta", "linesearch", "max_linesearch", "calibration_eta", "calibration_rate",
    "calibration_samples", "calibration_candidates", "calibration_max_trials", "pa_type", "c", "error_sensitive",
    "averaging", "variance", "gamma",
)  # fmt: skip


class CRF(BaseEstimator):
    """A tagger of sequences of feature dicts, with the arguments of ``sklearn_crfsuite.CRF``.

    docs/compat.md says what every argument maps to. None stands for CRFsuite's default. Pickles hold the bytes of the
    model file.

    Args:
        algorithm: lbfgs (the default), l2sgd, ap, pa or arow.
        min_freq: Drop attributes of a label, and label pairs, that occur less often.
        all_possible_states: Weights for all labels of an attribute, not only for seen ones.
        all_possible_transitions: Weights for all label pairs, not only for seen ones.
        c1: Strength of L1 regularization (lbfgs).
        c2: Strength of L2 regularization (lbfgs, l2sgd).
        max_iterations: Largest number of iterations.
        num_memories: Number of steps that L-BFGS remembers.
        epsilon: When training ends: by the gradient (lbfgs), or by the mean loss (ap, pa, arow).
        period: Iterations over which the fall of the objective is measured (lbfgs, l2sgd).
        delta: Training ends when it falls by less than this part of itself.
        linesearch: No effect.
        max_linesearch: No effect.
        calibration_eta: No effect.
        calibration_rate: No effect.
        calibration_samples: No effect.
        calibration_candidates: No effect.
        calibration_max_trials: No effect.
        pa_type: 0 for PA without slack, 1 for PA-I, 2 for PA-II.
        c: Aggressiveness of pa.
        error_sensitive: Whether the cost of pa is the root of the number of wrong labels, instead of 1.
        averaging: Whether pa keeps the mean of the weights.
        variance: Variance of every weight at the start of arow.
        gamma: Weight of arow's regularization.
        verbose: Print one line per iteration.
        model_filename: File that ``fit`` writes, or that is opened if ``fit`` was not called.
        keep_tempfiles: No effect: there are no temporary files.
        trainer_cls: A subclass of :class:`Trainer`, whose methods receive the log.
        threads: Number of threads. Does not change the result.
    """

    def __init__(
        self,
        algorithm: str | None = None,
        min_freq: float | None = None,
        all_possible_states: bool | None = None,
        all_possible_transitions: bool | None = None,
        c1: float | None = None,
        c2: float | None = None,
        max_iterations: int | None = None,
        num_memories: int | None = None,
        epsilon: float | None = None,
        period: int | None = None,
        delta: float | None = None,
        linesearch: str | None = None,
        max_linesearch: int | None = None,
        calibration_eta: float | None = None,
        calibration_rate: float | None = None,
        calibration_samples: float | None = None,
        calibration_candidates: int | None = None,
        calibration_max_trials: int | None = None,
        pa_type: int | None = None,
        c: float | None = None,
        error_sensitive: bool | None = None,
        averaging: bool | None = None,
        variance: float | None = None,
        gamma: float | None = None,
        verbose: bool = False,
        model_filename: str | os.PathLike[str] | None = None,
        keep_tempfiles: bool = False,
        trainer_cls: type[BaseTrainer] | None = None,
        threads: int = 1,
    ) -> None:
        self.algorithm = algorithm
        self.min_freq = min_freq
        self.all_possible_states = all_possible_states
        self.all_possible_transitions = all_possible_transitions
        self.c1 = c1
        self.c2 = c2
        self.max_iterations = max_iterations
        self.num_memories = num_memories
        self.epsilon = epsilon
        self.period = period
        self.delta = delta
        self.linesearch = linesearch
        self.max_linesearch = max_linesearch
        self.calibration_eta = calibration_eta
        self.calibration_rate = calibration_rate
        self.calibration_samples = calibration_samples
        self.calibration_candidates = calibration_candidates
        self.calibration_max_trials = calibration_max_trials
        self.pa_type = pa_type
        self.c = c
        self.error_sensitive = error_sensitive
        self.averaging = averaging
        self.variance = variance
        self.gamma = gamma
        self.verbose = verbose
        self.model_filename = model_filename
        self.keep_tempfiles = keep_tempfiles
        self.trainer_cls = trainer_cls
        self.threads = threads
        self.training_log_: TrainLogParser | None = None
        self._model: Model | None = None
        self._tagger: Tagger | None = None
        self._dump: ParsedDump | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_tagger": None, "_dump": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)

    # -- learning ----------------------------------------------------------------------------------------------------

    def fit(
        self,
        X: Iterable[Any],  # noqa: N803
        y: Iterable[Sequence[str]],
        X_dev: Iterable[Any] | None = None,  # noqa: N803
        y_dev: Iterable[Sequence[str]] | None = None,
    ) -> CRF:
        """Learn from sequences of feature dicts and their labels; with ``X_dev``, log scores on held-out data."""
        if (X_dev is None) != (y_dev is None):
            raise ValueError("pass both X_dev and y_dev, or neither")
        trainer = self._build_trainer()
        _add_sequences(trainer, X, y, 0)
        if X_dev is not None and y_dev is not None:
            _add_sequences(trainer, X_dev, y_dev, 1)
        model = trainer.train_model(holdout=-1 if X_dev is None else 1)
        if model is None:
            raise ValueError("X: expected at least one sequence with an item, got none")
        self._model, self._tagger, self._dump = model, None, None
        self.training_log_ = getattr(trainer, "logparser", None)
        if self.model_filename is not None:
            model.save(self.model_filename)
        return self

    def _build_trainer(self) -> BaseTrainer:
        given = {name: value for name in _PARAMETERS if (value := getattr(self, name)) is not None}
        trainer = (self.trainer_cls or LinePerIterationTrainer)(
            algorithm=self.algorithm,
            params={_NAMES.get(name, name): value for name, value in given.items()},
            verbose=self.verbose,
        )
        trainer.threads = self.threads
        return trainer

    # -- use ---------------------------------------------------------------------------------------------------------

    def predict(self, X: Iterable[Any]) -> NDArray[Any]:  # noqa: N803
        """Label sequences; an array of lists, or with two dimensions if all sequences have the same length."""
        return np.array(tag_sequences(self._require_model(), _list_sequences(X), self.threads), dtype=object)

    def predict_single(self, xseq: Iterable[Any]) -> list[str]:
        """Label one sequence."""
        return self._require_tagger().tag(xseq)

    def predict_marginals(self, X: Iterable[Any]) -> NDArray[Any]:  # noqa: N803
        """Compute P(label | sequence) of all items, as a dict by label for every item."""
        model, corpus = self._require_model(), _encode(X)
        found = model.marginals_corpus(corpus, self.threads, calibrated=False).astype(np.float64)
        rows = [dict(zip(model.labels, row)) for row in (found / found.sum(axis=1, keepdims=True)).tolist()]
        return np.array([rows[a:b] for a, b in pairwise(corpus.sentences.tolist())], dtype=object)

    def predict_marginals_single(self, xseq: Iterable[Any]) -> list[dict[str, float]]:
        """Compute P(label | sequence) of the items of one sequence."""
        return list(self.predict_marginals([xseq])[0])

    def score(self, X: Iterable[Any], y: Iterable[Sequence[str]]) -> float:  # noqa: N803
        """Compute the part of the items that get the right label."""
        from tagloom.compat.crfsuite.metrics import flat_accuracy_score

        return flat_accuracy_score(y, self.predict(X))

    def _require_tagger(self) -> Tagger:
        tagger = self.tagger_
        if tagger is None:
            raise _not_fitted()
        return tagger

    def _require_model(self) -> Model:
        return self._require_tagger().model if self._model is None else self._model

    # -- what was learned --------------------------------------------------------------------------------------------

    @property
    def tagger_(self) -> Tagger | None:
        """The model as a ``Tagger``; None before ``fit``."""
        if self._tagger is None:
            if self._model is not None:
                self._tagger = Tagger.of_model(self._model)
            elif self.model_filename is not None:
                self._tagger = Tagger()
                self._tagger.open(self.model_filename)
        return self._tagger

    @property
    def classes_(self) -> list[str] | None:
        """The labels."""
        return None if self.tagger_ is None else self.tagger_.labels()

    @property
    def size_(self) -> int | None:
        """The number of bytes of the model file."""
        return None if self._info is None else int(self._info.header["size"])

    @property
    def num_attributes_(self) -> int | None:
        """The number of attributes that have a weight."""
        return None if self._info is None else int(self._info.header["num_attrs"])

    @property
    def attributes_(self) -> list[str] | None:
        """The attributes that have a weight."""
        return None if self._info is None else list(self._info.attributes)

    @property
    def state_features_(self) -> dict[tuple[str, str], float] | None:
        """Weights by (attribute, label)."""
        return None if self._info is None else self._info.state_features

    @property
    def transition_features_(self) -> dict[tuple[str, str], float] | None:
        """Weights by (label, next label)."""
        return None if self._info is None else self._info.transitions

    @property
    def _info(self) -> ParsedDump | None:
        if self._dump is None and self.tagger_ is not None:
            self._dump = self.tagger_.info()
        return self._dump


def _add_sequences(trainer: BaseTrainer, sequences: Iterable[Any], labels: Iterable[Any], group: int) -> None:
    """Add sequences to a trainer: at once, unless a subclass looks at each of them."""
    xs, ys = _list_sequences(sequences), list(labels)
    if len(xs) != len(ys):
        raise ValueError(f"expected one list of labels per sequence: {len(xs)} sequences, {len(ys)} lists of labels")
    if type(trainer).append is BaseTrainer.append:
        trainer.extend(xs, ys, group)
        return
    for xseq, yseq in zip(xs, ys):
        trainer.append(xseq, yseq, group)


def _list_sequences(sequences: Iterable[Any]) -> list[Any]:
    return [each.raw_items if isinstance(each, ItemSequence) else each for each in sequences]


def _encode(sequences: Iterable[Any]) -> Corpus:
    with raise_as(ValueError):
        return from_feature_dicts(_list_sequences(sequences))


def _not_fitted() -> Exception:
    text = "this CRF is not fitted: call fit, or set model_filename"
    try:
        from sklearn.exceptions import NotFittedError
    except ImportError:
        return ValueError(text)
    error: Exception = NotFittedError(text)
    return error
