"""Resources as arrays, as model files hold them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagloom._core import Lookup, StringTable

Tensors = dict[str, NDArray[Any]]


def lookup_to_tensors(lookup: Lookup) -> Tensors:
    """Convert a lookup table to arrays."""
    words, word_ends = lookup.words().to_blob()
    values, value_ends = lookup.values().to_blob()
    return {"words": words, "word_ends": word_ends, "values": values, "value_ends": value_ends,
            "value_ids": lookup.value_ids()}  # fmt: skip


def lookup_from_tensors(tensors: Tensors) -> Lookup:
    """Restore a lookup table from arrays.

    Raises:
        KeyError: An array is missing.
        TypeError: An array has the wrong type.
        ValueError: The arrays do not fit.
    """
    words = StringTable.from_blob(tensors["words"], tensors["word_ends"])
    values = StringTable.from_blob(tensors["values"], tensors["value_ends"])
    return Lookup.restore(words, values, tensors["value_ids"])


#: Sums over templates and over the actions of a long sentence stay finite below it.
_LARGEST_WEIGHT = 1e28


def check_weights(weights: NDArray[Any]) -> None:
    """Raise ValueError for weights that are not numbers, or so large that a search could not compare their sums."""
    if not bool(np.all(np.abs(weights) <= _LARGEST_WEIGHT)):
        raise ValueError("weights are not finite, or far too large")
