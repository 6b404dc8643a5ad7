"""Packed weights: most weights of a row are zero, so a model file may keep one bit per weight and the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tagloom.features.tensors import Tensors


def pack_weights(weights: NDArray[np.float32] | NDArray[np.float64]) -> Tensors:
    """Pack weights: ``mask`` has one bit per weight, lowest first, and ``values`` the weights whose bit is set."""
    used = weights.view(f"u{weights.itemsize}") != 0  # minus zero is kept, so that unpacking gives the same bytes
    count = np.array([len(weights)], np.int64)
    return {"mask": np.packbits(used, bitorder="little"), "values": weights[used], "count": count}


def measure_packed(weights: NDArray[Any]) -> int:
    """Compute the bytes that packed weights take, without packing them."""
    used = int(np.count_nonzero(weights.view(f"u{weights.itemsize}")))
    return (len(weights) + 7) // 8 + used * weights.itemsize + np.dtype(np.int64).itemsize


def unpack_weights(packed: Tensors, dtype: Any = np.float32) -> NDArray[Any]:
    """Invert ``pack_weights``; raises ValueError if the arrays do not fit each other."""
    mask, values, count = packed["mask"], packed["values"], int(packed["count"][0])
    if len(mask) != (count + 7) // 8:
        raise ValueError("the mask of the weights has the wrong length")
    bits = np.unpackbits(mask, bitorder="little").view(np.bool_)
    if bits[count:].any():
        raise ValueError("the mask of the weights has bits beyond its end")
    if np.count_nonzero(bits) != len(values):
        raise ValueError("the mask of the weights does not fit their values")
    weights = np.zeros(count, dtype)
    weights[bits[:count]] = values
    weights.flags.writeable = False
    return weights
