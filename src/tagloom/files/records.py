"""Records of passes, as models, checkpoints and trials keep them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class EpochRecord:
    """What one pass over the training data did."""

    epoch: int
    updates: int
    token_errors: int
    loss: float = 0.0  # sum over the examples, without regularizer
    dev_score: float | None = None
