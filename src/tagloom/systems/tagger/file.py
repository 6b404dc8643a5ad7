"""The arrays of a tagger as a model file holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tagloom._core import StringTable
from tagloom.files.packing import measure_packed, pack_weights, unpack_weights
from tagloom.schema import Misfit, limits
from tagloom.structures.tag_dictionary import TagDictionary
from tagloom.systems.file import select_tensors
from tagloom.systems.tagger.names import FeatureNames
from tagloom.systems.tagger.parameters import Parameters
from tagloom.systems.tagger.rerank.reranker import RankerParameters

if TYPE_CHECKING:
    from tagloom.features.tensors import Tensors
    from tagloom.systems.tagger.model import Tagger

_ARRAYS = ("weights", "node_keys", "edge_keys", "edge_offsets", "edge_pairs", "known_words")
_OPTIONAL_WEIGHTS = ("exact_weights", "second_weights", "nonlocal_weights")
_PACKED = {"weights": np.float32, "exact_weights": np.float64}


def tagger_to_tensors(model: Tagger, *, names: bool = True) -> Tensors:
    """Convert everything but the spec and the resources to arrays."""
    parameters = model.parameters
    tensors: dict[str, NDArray[Any]] = {name: getattr(parameters, name) for name in _ARRAYS}
    for name, texts in (("labels", parameters.labels), ("nonlocal_names", parameters.nonlocal_names)):
        if texts:
            strings = StringTable()
            strings.intern_all(texts)
            tensors[f"{name}.text"], tensors[f"{name}.ends"] = strings.to_blob()
    for name in ("node_names", "edge_names"):
        stored: FeatureNames | None = getattr(parameters, name)
        if names and stored is not None:
            tensors |= {f"{name}.{key}": array for key, array in stored.to_tensors().items()}
    for name in _OPTIONAL_WEIGHTS:
        if len(getattr(parameters, name)):
            tensors[name] = getattr(parameters, name)
    if parameters.tag_dictionary is not None:
        tensors["tag_dictionary.words"] = parameters.tag_dictionary.words
        tensors["tag_dictionary.bits"] = parameters.tag_dictionary.bits
    if parameters.reranker is not None:
        tensors |= {f"reranker.{key}": array for key, array in parameters.reranker.to_tensors(names=names).items()}
    return _pack(tensors)


def _pack(tensors: Tensors) -> Tensors:
    """Return the arrays with packed weights, where that makes the file smaller by a quarter or more."""
    arrays = {name: tensors[name] for name in _PACKED if name in tensors}
    others = {name: array for name, array in tensors.items() if name not in _PACKED}
    rest = sum(array.nbytes for array in others.values())
    memory = sum(array.nbytes for array in arrays.values())
    packed = rest + sum(map(measure_packed, arrays.values()))
    if packed > 0.75 * (rest + memory) or not limits.is_bounded(memory, packed):  # so that it can be opened
        return tensors
    return others | {f"{name}.{key}": array for name, own in arrays.items() for key, array in pack_weights(own).items()}


def _unpack(tensors: Tensors) -> Tensors:
    packed = {name: kind for name, kind in _PACKED.items() if f"{name}.mask" in tensors}
    if not packed:
        return tensors
    counts = {name: int(tensors[f"{name}.count"][0]) for name in packed}
    memory = sum(count * np.dtype(packed[name]).itemsize for name, count in counts.items())
    if not limits.is_bounded(memory, sum(array.nbytes for array in tensors.values())):
        raise Misfit("tensor weights.count", f"weights of at most {limits.MOST_GROWTH} times the file", memory)
    found = {name: unpack_weights(select_tensors(tensors, f"{name}."), kind) for name, kind in packed.items()}
    return {**tensors, **found}


def read_parameters(tensors: Tensors) -> Parameters:
    """Build the arrays of a tagger, which fit their schema; raises ValueError if they do not fit each other."""
    tensors = _unpack(tensors)
    labels = _read_strings(tensors, "labels")
    return Parameters(
        labels=labels,
        tag_dictionary=_read_dictionary(tensors, len(labels)),
        node_names=_read_names(tensors, "node_names"),
        edge_names=_read_names(tensors, "edge_names"),
        nonlocal_names=_read_strings(tensors, "nonlocal_names") if "nonlocal_names.text" in tensors else (),
        reranker=RankerParameters.from_tensors(ranker) if (ranker := select_tensors(tensors, "reranker.")) else None,
        **{name: tensors[name] for name in (*_ARRAYS, *_OPTIONAL_WEIGHTS) if name in tensors},
    )


def _read_dictionary(tensors: Tensors, labels: int) -> TagDictionary | None:
    if "tag_dictionary.words" not in tensors:
        return None
    return TagDictionary(tensors["tag_dictionary.words"], tensors["tag_dictionary.bits"], labels)


def _read_strings(tensors: Tensors, name: str) -> tuple[str, ...]:
    return tuple(StringTable.from_blob(tensors[f"{name}.text"], tensors[f"{name}.ends"]).strings())


def _read_names(tensors: Tensors, name: str) -> FeatureNames | None:
    if f"{name}.text" not in tensors:
        return None
    return FeatureNames.from_tensors(select_tensors(tensors, f"{name}."))
