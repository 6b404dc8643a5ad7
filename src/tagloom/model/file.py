"""The model file: one safetensors file, memory-mapped when loaded, with a checksum of every part.

Arrays are tensors; everything else is one JSON object in the metadata, followed by its own checksum. Opening a file
runs no code from it. What is damaged, foreign or newer is refused with one line.
"""

from __future__ import annotations

import json
import mmap
import os
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from tagloom._core import StringTable
from tagloom.corpus.files import replace_file
from tagloom.errors import ModelFileError, TagloomError
from tagloom.features import Resource, restore_resource
from tagloom.model.model import FeatureNames, Model, Parameters
from tagloom.model.spec import ModelSpec

if TYPE_CHECKING:
    from tagloom.features.tensors import Tensors

FORMAT = "tagloom"
FORMAT_VERSION = 1
_ARRAYS = ("weights", "node_keys", "edge_keys", "edge_offsets", "edge_pairs", "known_words")
_DTYPES = {"weights": "F32", "node_keys": "U64", "edge_keys": "U64", "edge_offsets": "I64", "edge_pairs": "U32",
           "known_words": "U64"}  # fmt: skip
_NUMPY = {"F32": "<f4", "U64": "<u8", "I64": "<i8", "U32": "<u4", "I32": "<i4", "U8": "|u1"}


def save_model(model: Model, path: str | os.PathLike[str], *, names: bool = True) -> None:
    """Write beside the path, then rename: whatever goes wrong, an older model of that name survives."""
    tensors = _tensors(model, names)
    checksums = {name: zlib.crc32(np.ascontiguousarray(array).view(np.uint8).data) for name, array in tensors.items()}
    header = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "library_version": model.spec.version,
        "spec": model.spec.to_json(),
        "checksums": checksums,
    }
    text = json.dumps(header, sort_keys=True, ensure_ascii=False)
    replace_file(path, save(tensors, {FORMAT: f"{zlib.crc32(text.encode()):08x}{text}"}))


def load(path: str | os.PathLike[str], *, functions: Mapping[str, Callable[..., object]] | None = None) -> Model:
    """Open a model file. ``functions`` are the user's own attribute functions, if the model was trained with any."""
    file = Path(path)
    header, tensors = _read(file)
    try:
        spec = ModelSpec.from_json(header["spec"])
        parameters = _parameters(tensors)
        resources = {name: _resource(name, tensors, lists) for name, lists in spec.resources.items()}
        return Model(spec, parameters, resources, functions)
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError, TagloomError) as error:
        raise ModelFileError(f"{file}: not a usable model: {_short(error)}; train it again") from None


def _tensors(model: Model, names: bool) -> dict[str, NDArray[Any]]:
    parameters = model.parameters
    tensors: dict[str, NDArray[Any]] = {name: getattr(parameters, name) for name in _ARRAYS}
    labels = StringTable()
    labels.intern_all(parameters.labels)
    tensors["labels.text"], tensors["labels.ends"] = labels.to_blob()
    for name in ("node_names", "edge_names"):
        stored: FeatureNames | None = getattr(parameters, name)
        if names and stored is not None:
            tensors |= {f"{name}.text": stored.text, f"{name}.ends": stored.ends}
    for name, resource in model.resources.items():
        tensors |= {f"resource.{name}.{key}": array for key, array in resource.to_tensors().items()}
    return tensors


def _parameters(tensors: Tensors) -> Parameters:
    arrays = {name: tensors[name] for name in _ARRAYS}
    for name, array in arrays.items():
        if array.ndim != 1 or array.dtype != np.dtype(_NUMPY[_DTYPES[name]]):
            raise ValueError(f"tensor {name!r} has the wrong type or shape")
    return Parameters(
        labels=tuple(StringTable.from_blob(tensors["labels.text"], tensors["labels.ends"]).strings()),
        node_names=_names(tensors, "node_names", len(arrays["node_keys"])),
        edge_names=_names(tensors, "edge_names", len(arrays["edge_keys"])),
        **arrays,
    )


def _names(tensors: Tensors, name: str, rows: int) -> FeatureNames | None:
    if f"{name}.text" not in tensors:
        return None
    text, ends = tensors[f"{name}.text"], tensors[f"{name}.ends"]
    spans_text = len(ends) == rows + 1 and ends[0] == 0 and ends[-1] == len(text) and not (np.diff(ends) < 0).any()
    if text.dtype != np.uint8 or ends.dtype != np.int64 or not spans_text:
        raise ValueError(f"{name} do not fit the features")
    return FeatureNames(text, ends)


def _resource(name: str, tensors: Tensors, lists: list[str]) -> Resource:
    prefix = f"resource.{name}."
    mine = {key.removeprefix(prefix): array for key, array in tensors.items() if key.startswith(prefix)}
    return restore_resource(name, mine, lists)


def _read(file: Path) -> tuple[dict[str, Any], Tensors]:
    """The checked header and views of the mapped tensors."""
    try:
        if not file.is_file():
            raise ModelFileError(f"{file}: no such model file")
        with safe_open(file, framework="numpy") as opened:
            metadata = opened.metadata() or {}
        header = _header(file, metadata)
        tensors = _map(file)
        _verify(file, header, tensors)
    except (SafetensorError, OSError, LookupError, TypeError, ValueError, RecursionError) as error:
        raise ModelFileError(f"{file}: damaged or not a model file ({_short(error)})") from None
    return header, tensors


def _header(file: Path, metadata: dict[str, str]) -> dict[str, Any]:
    if FORMAT not in metadata:
        raise ModelFileError(f"{file}: a safetensors file, but not a tagloom model")
    checksum, text = metadata[FORMAT][:8], metadata[FORMAT][8:]
    if f"{zlib.crc32(text.encode()):08x}" != checksum:
        raise ModelFileError(f"{file}: damaged (the header does not match its checksum); restore it or train again")
    header: dict[str, Any] = json.loads(text)
    if header["format_version"] > FORMAT_VERSION:
        raise ModelFileError(
            f"{file}: written by tagloom {header['library_version']} in format {header['format_version']}; "
            f"this version reads up to {FORMAT_VERSION}: upgrade tagloom"
        )
    return header


def _map(file: Path) -> Tensors:
    """Views into the mapped file; safe_open has checked that all offsets lie inside it."""
    with file.open("rb") as stream:
        mapped = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    size = int.from_bytes(mapped[:8], "little")
    layout = json.loads(mapped[8 : 8 + size])
    layout.pop("__metadata__", None)
    tensors: Tensors = {}
    for name, entry in layout.items():
        begin, end = entry["data_offsets"]
        dtype = np.dtype(_NUMPY[entry["dtype"]])
        count = (end - begin) // dtype.itemsize
        tensors[name] = np.frombuffer(mapped, dtype, count, 8 + size + begin)
        if not tensors[name].flags.aligned:
            raise ValueError(f"tensor {name!r} is not aligned")
    return tensors


def _verify(file: Path, header: dict[str, Any], tensors: Tensors) -> None:
    checksums = header["checksums"]
    if set(checksums) != set(tensors):
        raise ModelFileError(f"{file}: damaged (parts are missing); restore it or train again")
    for name, array in tensors.items():
        if zlib.crc32(array.view(np.uint8).data) != checksums[name]:
            raise ModelFileError(f"{file}: damaged ({name} does not match its checksum); restore it or train again")


def _short(error: Exception) -> str:
    return str(error).splitlines()[0][:100] if str(error) else type(error).__name__
