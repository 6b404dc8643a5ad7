"""tagloom as scikit-learn estimators: sequences of tokens in, labels out, in searches, pipelines and cross-validation.

>>> from tagloom.compat.sklearn import ChainClassifier
>>> X = [["the", "dog"], ["a", "cat", "sleeps"]]
>>> y = [["DT", "NN"], ["DT", "NN", "VBZ"]]
>>> ChainClassifier(epochs=5).fit(X, y).predict([["the", "cat"]])
array([list(['DT', 'NN'])], dtype=object)
"""

try:
    import sklearn as _sklearn  # noqa: F401
except ImportError:
    raise ImportError('tagloom.compat.sklearn needs scikit-learn: pip install "tagloom[sklearn]"') from None

from tagloom.compat.sklearn.chain import ChainClassifier
from tagloom.compat.sklearn.errors import ParameterError, SampleError
from tagloom.compat.sklearn.features import TokenFeatures
from tagloom.compat.sklearn.metrics import (
    METRICS,
    SCORERS,
    flat_f1,
    sequence_accuracy,
    span_f1,
    span_precision,
    span_recall,
    token_accuracy,
)
from tagloom.compat.sklearn.phrases import PhraseClassifier

__all__ = [
    "METRICS",
    "SCORERS",
    "ChainClassifier",
    "ParameterError",
    "PhraseClassifier",
    "SampleError",
    "TokenFeatures",
    "flat_f1",
    "sequence_accuracy",
    "span_f1",
    "span_precision",
    "span_recall",
    "token_accuracy",
]
