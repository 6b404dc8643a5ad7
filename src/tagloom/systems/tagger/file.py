"""The model file: one safetensors file, memory-mapped when loaded, with a checksum of every part (container.py)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tagloom._core import StringTable
from tagloom.corpus.streams import replace_file
from tagloom.errors import ModelFileError, TagloomError
from tagloom.features import Resource, restore_resource
from tagloom.files.container import NUMPY, Container, short
from tagloom.files.packing import pack_weights, unpack_weights
from tagloom.structures.tag_dictionary import TagDictionary
from tagloom.systems.tagger.model import Model
from tagloom.systems.tagger.names import FeatureNames
from tagloom.systems.tagger.parameters import NO_WEIGHTS, Parameters
from tagloom.systems.tagger.rerank.reranker import RankerParameters
from tagloom.systems.tagger.spec import ModelSpec

if TYPE_CHECKING:
    from tagloom.features.tensors import Tensors
    from tagloom.systems.parser.model import Parser
    from tagloom.systems.phrases.model import PhraseChunker

MODEL_FILE = Container("tagloom", "model", version=6, remedy="restore it or train again")
#: What a file holds by its system, and how it is opened; all others are taggers.
_KINDS = {"parser": ("parser", "load_parser"), "phrases": ("phrase chunker", "load_phrases")}
_ARRAYS = ("weights", "node_keys", "edge_keys", "edge_offsets", "edge_pairs", "known_words")
_DTYPES = {"weights": "F32", "node_keys": "U64", "edge_keys": "U64", "edge_offsets": "I64", "edge_pairs": "U32",
           "known_words": "U64"}  # fmt: skip


def save_model(model: Model, path: str | os.PathLike[str], *, names: bool = True) -> None:
    """Write beside the path, then rename: whatever goes wrong, an older model of that name survives."""
    replace_file(path, model_bytes(model, names=names))


def model_bytes(model: Model, *, names: bool = True) -> bytes:
    """What the file of a model holds."""
    count = len(model.parameters.weights)
    header = {"library_version": model.spec.version, "spec": model.spec.to_json(), "weight_count": count}
    return MODEL_FILE.to_bytes(header, _smaller(_tensors(model, names)))


def load(path: str | os.PathLike[str], *, functions: Mapping[str, Callable[..., object]] | None = None) -> Model:
    """Open the file of a tagger. ``functions`` are the user's own attribute functions, if it was trained with any."""
    model = open_model(path, functions=functions)
    if not isinstance(model, Model):
        raise _other_kind(path, model, "tagger")
    return model


def load_parser(
    path: str | os.PathLike[str], *, functions: Mapping[str, Callable[..., object]] | None = None
) -> Parser:
    """Open the file of a parser, as :func:`load` opens that of a tagger."""
    from tagloom.systems.parser.model import Parser

    model = open_model(path, functions=functions)
    if not isinstance(model, Parser):
        raise _other_kind(path, model, "parser")
    return model


def load_phrases(
    path: str | os.PathLike[str], *, functions: Mapping[str, Callable[..., object]] | None = None
) -> PhraseChunker:
    """Open the file of a phrase chunker, as :func:`load` opens that of a tagger."""
    from tagloom.systems.phrases.model import PhraseChunker

    model = open_model(path, functions=functions)
    if not isinstance(model, PhraseChunker):
        raise _other_kind(path, model, "phrase chunker")
    return model


def open_model(
    path: str | os.PathLike[str], *, functions: Mapping[str, Callable[..., object]] | None = None
) -> Model | Parser | PhraseChunker:
    """Whatever a model file holds."""
    file = Path(path)
    header, tensors = MODEL_FILE.read(file)
    if header.get("system") == "parser":
        from tagloom.systems.parser.file import parser_from

        return parser_from(file, header, tensors, functions)
    if header.get("system") == "phrases":
        from tagloom.systems.phrases.file import chunker_from

        return chunker_from(file, header, tensors, functions)
    return _model(file, header, tensors, functions)


def _other_kind(path: str | os.PathLike[str], model: Model | Parser | PhraseChunker, expected: str) -> ModelFileError:
    noun, way = _KINDS.get(model.spec.system, ("tagger", "load"))
    return ModelFileError(f"{path}: a {noun}, not a {expected}; open it with {way}")


def model_from_bytes(file: Path, data: bytes, functions: Mapping[str, Callable[..., object]] | None) -> Model:
    """A model that stands inside another file."""
    return _model(file, *MODEL_FILE.from_bytes(file, data), functions)


def _model(
    file: Path, header: dict[str, Any], tensors: Tensors, functions: Mapping[str, Callable[..., object]] | None
) -> Model:
    try:
        spec = ModelSpec.from_json(header["spec"])
        parameters = _parameters(_unpacked(header, tensors))
        resources = {name: _resource(name, tensors, lists) for name, lists in spec.resources.items()}
        return Model(spec, parameters, resources, functions)
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError, TagloomError) as error:
        raise ModelFileError(f"{file}: not a usable model: {short(error)}; train it again") from None


def _tensors(model: Model, names: bool) -> dict[str, NDArray[Any]]:
    parameters = model.parameters
    tensors: dict[str, NDArray[Any]] = {name: getattr(parameters, name) for name in _ARRAYS}
    labels = StringTable()
    labels.intern_all(parameters.labels)
    tensors["labels.text"], tensors["labels.ends"] = labels.to_blob()
    for name in ("node_names", "edge_names"):
        stored: FeatureNames | None = getattr(parameters, name)
        if names and stored is not None:
            tensors |= {f"{name}.{key}": array for key, array in stored.to_tensors().items()}
    for name in ("second_weights", "nonlocal_weights"):
        if len(getattr(parameters, name)):
            tensors[name] = getattr(parameters, name)
    if parameters.nonlocal_names:
        strings = StringTable()
        strings.intern_all(parameters.nonlocal_names)
        tensors["nonlocal_names.text"], tensors["nonlocal_names.ends"] = strings.to_blob()
    if parameters.tag_dictionary is not None:
        tensors["tag_dictionary.words"] = parameters.tag_dictionary.words
        tensors["tag_dictionary.bits"] = parameters.tag_dictionary.bits
    if parameters.reranker is not None:
        tensors |= {f"reranker.{key}": array for key, array in parameters.reranker.to_tensors(names=names).items()}
    for name, resource in model.resources.items():
        tensors |= {f"resource.{name}.{key}": array for key, array in resource.to_tensors().items()}
    return tensors


def _smaller(tensors: Tensors) -> Tensors:
    """The arrays with packed weights, where that makes the file smaller by a quarter or more."""
    others = {name: array for name, array in tensors.items() if name != "weights"}
    packed = others | {f"weights.{key}": array for key, array in pack_weights(tensors["weights"]).items()}
    sizes = [sum(array.nbytes for array in arrays.values()) for arrays in (packed, tensors)]
    return packed if sizes[0] <= 0.75 * sizes[1] else tensors


def _unpacked(header: dict[str, Any], tensors: Tensors) -> Tensors:
    if "weights" in tensors:
        return tensors
    mask, values = tensors["weights.mask"], tensors["weights.values"]
    return {**tensors, "weights": unpack_weights(mask, values, header["weight_count"])}


def _parameters(tensors: Tensors) -> Parameters:
    arrays = {name: tensors[name] for name in _ARRAYS}
    for name, array in arrays.items():
        if array.ndim != 1 or array.dtype != np.dtype(NUMPY[_DTYPES[name]]):
            raise ValueError(f"tensor {name!r} has the wrong type or shape")
    labels = tuple(StringTable.from_blob(tensors["labels.text"], tensors["labels.ends"]).strings())
    return Parameters(
        labels=labels,
        tag_dictionary=_dictionary(tensors, len(labels)),
        node_names=_names(tensors, "node_names", len(arrays["node_keys"])),
        edge_names=_names(tensors, "edge_names", len(arrays["edge_keys"])),
        second_weights=_weights(tensors, "second_weights"),
        nonlocal_weights=_weights(tensors, "nonlocal_weights"),
        nonlocal_names=_strings(tensors, "nonlocal_names"),
        reranker=RankerParameters.from_tensors(_below(tensors, "reranker.")) if "reranker.keys" in tensors else None,
        **arrays,
    )


def _weights(tensors: Tensors, name: str) -> NDArray[np.float32]:
    """Weights that only some models have."""
    array = tensors.get(name, NO_WEIGHTS)
    if array.ndim != 1 or array.dtype != np.float32:
        raise ValueError(f"tensor {name!r} has the wrong type or shape")
    return array


def _dictionary(tensors: Tensors, labels: int) -> TagDictionary | None:
    if "tag_dictionary.words" not in tensors:
        return None
    return TagDictionary(tensors["tag_dictionary.words"], tensors["tag_dictionary.bits"], labels)


def _strings(tensors: Tensors, name: str) -> tuple[str, ...]:
    if f"{name}.text" not in tensors:
        return ()
    return tuple(StringTable.from_blob(tensors[f"{name}.text"], tensors[f"{name}.ends"]).strings())


def _names(tensors: Tensors, name: str, rows: int) -> FeatureNames | None:
    if f"{name}.text" not in tensors:
        return None
    names = FeatureNames.from_tensors(_below(tensors, f"{name}."))
    if len(names) != rows:
        raise ValueError(f"{name} do not fit the features")
    return names


def _resource(name: str, tensors: Tensors, lists: list[str]) -> Resource:
    return restore_resource(name, _below(tensors, f"resource.{name}."), lists)


def _below(tensors: Tensors, prefix: str) -> Tensors:
    return {key.removeprefix(prefix): array for key, array in tensors.items() if key.startswith(prefix)}
