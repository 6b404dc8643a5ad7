"""Scorers for ``cross_val_score``, ``GridSearchCV`` and the like, as in sklearn-crfsuite."""

from tagloom.compat.crfsuite.metrics import flat_accuracy_score, sequence_accuracy_score
from tagloom.errors import ConfigError

try:
    from sklearn.metrics import make_scorer
except ImportError:
    raise ConfigError('scorers need scikit-learn: pip install "tagloom[sklearn]"') from None

flat_accuracy = make_scorer(flat_accuracy_score)
sequence_accuracy = make_scorer(sequence_accuracy_score)
