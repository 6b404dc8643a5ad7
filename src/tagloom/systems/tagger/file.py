"""The arrays of a tagger as a model file holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tagloom._core import StringTable
from tagloom.files.packing import measure_packed, pack_weights, unpack_weights
from tagloom.structures.tag_dictionary import TagDictionary
from tagloom.systems.file import check_tensor, select_tensors
from tagloom.systems.tagger.names import FeatureNames
from tagloom.systems.tagger.parameters import Parameters
from tagloom.systems.tagger.rerank.reranker import RankerParameters

if TYPE_CHECKING:
    from tagloom.features.tensors import Tensors
    from tagloom.systems.tagger.model import Tagger

_ARRAYS = {
    "weights": np.float32, "node_keys": np.uint64, "edge_keys": np.uint64, "edge_offsets": np.int64,
    "edge_pairs": np.uint32, "known_words": np.uint64,
}  # fmt: skip
_OPTIONAL_WEIGHTS = {"exact_weights": np.float64, "second_weights": np.float32, "nonlocal_weights": np.float32}
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
    whole = rest + sum(array.nbytes for array in arrays.values())
    if rest + sum(map(measure_packed, arrays.values())) > 0.75 * whole:
        return tensors
    return others | {f"{name}.{key}": array for name, own in arrays.items() for key, array in pack_weights(own).items()}


def _unpack(tensors: Tensors) -> Tensors:
    packed = {name: kind for name, kind in _PACKED.items() if name not in tensors and f"{name}.mask" in tensors}
    found = {name: unpack_weights(select_tensors(tensors, f"{name}."), kind) for name, kind in packed.items()}
    return {**tensors, **found}


def read_parameters(tensors: Tensors) -> Parameters:
    """Build the arrays of a tagger; raises a built-in error if they do not fit together."""
    tensors = _unpack(tensors)
    arrays = {name: check_tensor(tensors, name, dtype) for name, dtype in _ARRAYS.items()}
    labels = _read_strings(tensors, "labels")
    return Parameters(
        labels=labels,
        tag_dictionary=_read_dictionary(tensors, len(labels)),
        node_names=_read_names(tensors, "node_names", len(arrays["node_keys"])),
        edge_names=_read_names(tensors, "edge_names", len(arrays["edge_keys"])),
        nonlocal_names=_read_strings(tensors, "nonlocal_names") if "nonlocal_names.text" in tensors else (),
        reranker=RankerParameters.from_tensors(ranker) if (ranker := select_tensors(tensors, "reranker.")) else None,
        **arrays,
        **{name: check_tensor(tensors, name, kind) for name, kind in _OPTIONAL_WEIGHTS.items() if name in tensors},
    )


def _read_dictionary(tensors: Tensors, labels: int) -> TagDictionary | None:
    if "tag_dictionary.words" not in tensors:
        return None
    return TagDictionary(tensors["tag_dictionary.words"], tensors["tag_dictionary.bits"], labels)


def _read_strings(tensors: Tensors, name: str) -> tuple[str, ...]:
    return tuple(StringTable.from_blob(tensors[f"{name}.text"], tensors[f"{name}.ends"]).strings())


def _read_names(tensors: Tensors, name: str, rows: int) -> FeatureNames | None:
    if f"{name}.text" not in tensors:
        return None
    names = FeatureNames.from_tensors(select_tensors(tensors, f"{name}."))
    if len(names) != rows:
        raise ValueError(f"{name} do not fit the features")
    return names
