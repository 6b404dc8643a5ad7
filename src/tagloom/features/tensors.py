"""Arrays as model files hold them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Tensors = dict[str, NDArray[Any]]

#: Sums over templates and over the actions of a long sentence stay finite below it.
_LARGEST_WEIGHT = 1e28


def check_weights(weights: NDArray[Any]) -> None:
    """Raise ValueError for weights that are not numbers, or so large that a search could not compare their sums."""
    if not bool(np.all(np.abs(weights) <= _LARGEST_WEIGHT)):
        raise ValueError("weights are not finite, or far too large")
