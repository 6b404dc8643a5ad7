"""For systems that learn nothing by passes: a learner of one pass, and a scorer of the model as it is.

What such a training learns is counted, or trained, when it is planned. Its passes and its weights are empty, so that
the one driver, checkpoints and development scores work for it as for all others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from tagloom.corpus import Corpus
    from tagloom.evaluate import Score
    from tagloom.systems.base import Model


@dataclass(frozen=True)
class _State:
    def to_tensors(self) -> dict[str, Any]:
        return {"nothing": np.zeros(1)}


@dataclass(frozen=True)
class _Pass:
    epoch: int = 1
    updates: int = 0
    token_errors: int = 0
    loss: float = 0.0
    is_last: bool = True
    is_batch: bool = False
    patience_start: int = 0
    state: _State = _State()

    def weights(self) -> Any:
        return np.zeros(1)

    take_weights = weights


class SinglePass:
    """A learner of one pass that learns nothing."""

    def restore(self, tensors: Any) -> None:
        """Take nothing back."""

    def passes(self, seed: int, done: int = 0) -> Iterator[Any]:
        """Give one pass."""
        if not done:
            yield _Pass()


@dataclass(frozen=True)
class ModelScorer:
    """Scores a model that does not depend on weights."""

    model: Model
    corpus: Corpus

    def __call__(self, weights: Any, total: Any = None) -> float:
        """Return the value of the score."""
        return self.score(weights, total).value

    def score(self, weights: Any, total: Any = None) -> Score:
        """Evaluate the model."""
        return self.model.evaluate(self.corpus)
