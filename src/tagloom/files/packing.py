"""Packed weights: most weights of a row are zero, so a model file may keep a bit a weight and those that are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tagloom.features.tensors import Tensors


def pack_weights(weights: NDArray[np.float32]) -> Tensors:
    """``mask`` has a bit a weight, lowest first; ``values`` has the weights whose bit is set. Bits of floats decide."""
    used = weights.view(np.uint32) != 0  # minus zero is kept: what is unpacked has the same bytes
    return {"mask": np.packbits(used, bitorder="little"), "values": weights[used]}


def unpack_weights(mask: NDArray[np.uint8], values: NDArray[np.float32], count: object) -> NDArray[np.float32]:
    """The inverse of ``pack_weights``; ValueError if the arrays do not fit each other."""
    if mask.dtype != np.uint8 or values.dtype != np.float32:
        raise ValueError("packed weights have the wrong type")
    if type(count) is not int or count < 0 or len(mask) != (count + 7) // 8:
        raise ValueError("the mask of the weights has the wrong length")
    bits = np.unpackbits(mask, bitorder="little").view(np.bool_)
    if bits[count:].any():
        raise ValueError("the mask of the weights has bits beyond its end")
    used = np.flatnonzero(bits)
    if len(used) != len(values):
        raise ValueError("the mask of the weights does not fit their values")
    weights = np.zeros(count, np.float32)
    weights[used] = values
    weights.flags.writeable = False
    return weights
