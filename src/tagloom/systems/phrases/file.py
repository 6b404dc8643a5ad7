"""The arrays of a phrase chunker as a model file holds them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tagloom.features.tensors import Tensors
from tagloom.learners.voted import VotedVectors
from tagloom.schema import limits
from tagloom.structures.candidates import to_offsets
from tagloom.systems.file import pack_names, select_tensors, unpack_names
from tagloom.systems.phrases.model import PhraseParameters

_BYTES = 5  # of a number below 2^32, seven bits per byte


def pack_vectors(vectors: VotedVectors) -> Tensors:
    """Pack vectors; ``lengths`` and ``uses`` count the features and the functions of every instance."""
    lengths = np.diff(vectors.offsets)
    steps: NDArray[np.int64] = np.concatenate([[0], np.diff(vectors.rows.astype(np.int64))])[: len(vectors.rows)]
    first = vectors.offsets[:-1][lengths > 0]
    steps[first] = vectors.rows[first]
    return {
        "decisions": vectors.decisions,
        "lengths": lengths.astype(np.uint16),
        "steps": _to_bytes(steps),
        "uses": np.bincount(vectors.instances, minlength=len(lengths)).astype(np.uint16),
        "functions": vectors.functions.astype(np.uint16),
        "amounts": vectors.amounts,
    }


def unpack_vectors(tensors: Tensors) -> VotedVectors:
    """Invert ``pack_vectors``; raises ValueError for arrays that do not fit each other."""
    lengths, uses = tensors["lengths"].astype(np.int64), tensors["uses"].astype(np.int64)
    offsets = to_offsets(lengths)
    steps = _from_bytes(tensors["steps"])
    if len(steps) != offsets[-1]:
        raise ValueError("the features of instances do not fit their lengths")
    sums = np.concatenate([[0], np.cumsum(steps)])
    rows = sums[1:] - np.repeat(sums[offsets[:-1]], lengths)
    if len(rows) and int(rows.max()) >= 2**32:
        raise ValueError("a feature is out of range")
    found = VotedVectors(
        np.array(tensors["decisions"]), offsets, rows.astype(np.uint32), np.repeat(np.arange(len(uses)), uses),
        tensors["functions"].astype(np.uint32), np.array(tensors["amounts"]),
    )  # fmt: skip
    found.check()
    return found


def _to_bytes(numbers: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Write seven bits per byte, lowest first; all bytes of a number but its last have the highest bit set."""
    counts = np.ones(len(numbers), np.int64)
    for size in range(1, _BYTES):
        counts += numbers >= 1 << 7 * size
    begins = np.cumsum(counts) - counts
    found = np.zeros(int(counts.sum()), np.uint8)
    for place in range(_BYTES):
        here = counts > place
        more = np.where(counts[here] > place + 1, 128, 0)
        found[begins[here] + place] = (numbers[here] >> 7 * place & 127) | more
    return found


def _from_bytes(data: NDArray[np.uint8]) -> NDArray[np.int64]:
    ends = np.flatnonzero(data < 128)
    begins = np.concatenate([[0], ends[:-1] + 1]).astype(np.int64) if len(ends) else ends
    counts = ends - begins + 1
    if len(data) and (not len(ends) or ends[-1] != len(data) - 1 or counts.max() > _BYTES):
        raise ValueError("numbers of voted vectors are cut")
    numbers = np.zeros(len(ends), np.int64)
    for place in range(_BYTES):
        here = counts > place
        numbers[here] |= (data[begins[here] + place].astype(np.int64) & 127) << 7 * place
    return numbers


_VECTORS = ("filters", "scorers")
_KEYS = ("word_keys", "phrase_keys")


def parameters_to_tensors(parameters: PhraseParameters) -> Tensors:
    """Convert the parameters of a chunker to arrays of a file."""
    tensors = pack_names("categories", parameters.categories) | {name: getattr(parameters, name) for name in _KEYS}
    for name in _VECTORS:
        tensors |= {f"{name}.{key}": array for key, array in pack_vectors(getattr(parameters, name)).items()}
    return tensors


def read_parameters(tensors: Tensors) -> PhraseParameters:
    """Build the arrays of a chunker; raises a built-in error if they do not fit."""
    names = unpack_names("categories", tensors)
    keys = {name: tensors[name] for name in _KEYS}
    for name, array in keys.items():
        if len(np.unique(array)) < len(array):
            raise ValueError(f"tensor {name!r} has a feature twice")
    filters, scorers = (unpack_vectors(select_tensors(tensors, f"{name}.")) for name in _VECTORS)
    stored = sum(array.nbytes for array in tensors.values())
    for vectors, name in zip((filters, scorers), _KEYS):
        _check_size(vectors, len(keys[name]), stored)
    return PhraseParameters(names, filters=filters, scorers=scorers, **keys)


_BYTES_OF_NUMBER = 8


def _check_size(vectors: VotedVectors, features: int, stored: int) -> None:
    """Refuse vectors that take much more memory than their file: one number per function and feature or instance."""
    instances = int(np.diff(vectors.offsets)[vectors.instances].sum())  # features of instances, once per function
    numbers = max(instances, (features + 1) * len(vectors.decisions))
    if not limits.is_bounded(_BYTES_OF_NUMBER * numbers, stored):
        raise ValueError("few features or instances are used by too many functions")
