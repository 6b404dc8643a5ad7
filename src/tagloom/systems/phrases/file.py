"""The file of a phrase chunker: a model file whose tensors are those of the chunker."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tagloom._core import StringTable
from tagloom.corpus.streams import replace_file
from tagloom.errors import ModelFileError, TagloomError
from tagloom.features import restore_resource
from tagloom.files.container import short
from tagloom.systems.phrases.model import PhraseChunker, PhraseParameters
from tagloom.systems.phrases.packing import pack_vectors, unpack_vectors
from tagloom.systems.phrases.spec import SYSTEM, PhraseSpec

if TYPE_CHECKING:
    from tagloom.features.tensors import Tensors

_VECTORS = ("filters", "scorers")
_KEYS = ("word_keys", "phrase_keys")


def save_chunker(chunker: PhraseChunker, path: str | os.PathLike[str]) -> None:
    """Write beside the path, then rename: whatever goes wrong, an older model of that name survives."""
    replace_file(path, chunker_bytes(chunker))


def chunker_bytes(chunker: PhraseChunker) -> bytes:
    """What the file of a chunker holds."""
    from tagloom.systems.tagger.file import MODEL_FILE  # which opens the files of chunkers, too

    parameters = chunker.parameters
    tensors: dict[str, Any] = {name: getattr(parameters, name) for name in _KEYS}
    names = StringTable()
    names.intern_all(list(parameters.categories))
    tensors["categories.text"], tensors["categories.ends"] = names.to_blob()
    for name in _VECTORS:
        tensors |= {f"{name}.{key}": array for key, array in pack_vectors(getattr(parameters, name)).items()}
    for name, resource in chunker.resources.items():
        tensors |= {f"resource.{name}.{key}": array for key, array in resource.to_tensors().items()}
    header = {"library_version": chunker.spec.version, "system": SYSTEM, "spec": chunker.spec.to_json()}
    return MODEL_FILE.to_bytes(header, tensors)


def chunker_from(
    file: Path, header: dict[str, Any], tensors: Tensors, functions: Mapping[str, Callable[..., object]] | None
) -> PhraseChunker:
    """The chunker of a file that was opened and checked."""
    try:
        spec = PhraseSpec.from_json(header["spec"])
        names = StringTable.from_blob(tensors["categories.text"], tensors["categories.ends"]).strings()
        keys = {name: _keys(tensors, name) for name in _KEYS}
        filters, scorers = (unpack_vectors(_below(tensors, f"{name}.")) for name in _VECTORS)
        resources = {
            name: restore_resource(name, _below(tensors, f"resource.{name}."), lists)
            for name, lists in spec.resources.items()
        }
        parameters = PhraseParameters(tuple(names), filters=filters, scorers=scorers, **keys)
        return PhraseChunker(spec, parameters, resources, functions)
    except ModelFileError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError, RuntimeError, TagloomError) as error:
        raise ModelFileError(f"{file}: not a usable model: {short(error)}; train it again") from None


def _keys(tensors: Tensors, name: str) -> Any:
    array = tensors[name]
    if array.ndim != 1 or array.dtype != np.uint64 or len(np.unique(array)) < len(array):
        raise ValueError(f"tensor {name!r} has the wrong type or shape, or a feature twice")
    return array


def _below(tensors: Tensors, prefix: str) -> Tensors:
    return {key.removeprefix(prefix): array for key, array in tensors.items() if key.startswith(prefix)}
