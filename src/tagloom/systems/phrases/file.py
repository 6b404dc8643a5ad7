"""The arrays of a phrase chunker as a model file holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tagloom._core import StringTable
from tagloom.systems.file import check_tensor, select_tensors
from tagloom.systems.phrases.model import PhraseParameters
from tagloom.systems.phrases.packing import pack_vectors, unpack_vectors

if TYPE_CHECKING:
    from tagloom.features.tensors import Tensors
    from tagloom.systems.phrases.model import PhraseChunker

_VECTORS = ("filters", "scorers")
_KEYS = ("word_keys", "phrase_keys")


def chunker_to_tensors(chunker: PhraseChunker) -> Tensors:
    """Convert everything but the spec and the resources to arrays."""
    parameters = chunker.parameters
    tensors: dict[str, Any] = {name: getattr(parameters, name) for name in _KEYS}
    names = StringTable()
    names.intern_all(list(parameters.categories))
    tensors["categories.text"], tensors["categories.ends"] = names.to_blob()
    for name in _VECTORS:
        tensors |= {f"{name}.{key}": array for key, array in pack_vectors(getattr(parameters, name)).items()}
    return tensors


def read_parameters(tensors: Tensors) -> PhraseParameters:
    """Build the arrays of a chunker; raises a built-in error if they do not fit."""
    names = StringTable.from_blob(tensors["categories.text"], tensors["categories.ends"]).strings()
    keys = {name: check_tensor(tensors, name, np.uint64) for name in _KEYS}
    for name, array in keys.items():
        if len(np.unique(array)) < len(array):
            raise ValueError(f"tensor {name!r} has a feature twice")
    filters, scorers = (unpack_vectors(select_tensors(tensors, f"{name}.")) for name in _VECTORS)
    return PhraseParameters(tuple(names), filters=filters, scorers=scorers, **keys)
