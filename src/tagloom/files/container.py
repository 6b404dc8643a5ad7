"""A checked safetensors file: arrays, and one JSON object in the metadata, with a checksum of every part.

Opening a file runs no code from it. What is damaged, foreign or newer is refused with one line.
"""

from __future__ import annotations

import json
import mmap
import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import load

from tagloom.corpus.replace import replace_file
from tagloom.errors import ModelFileError

if TYPE_CHECKING:
    from tagloom.features.tensors import Tensors

#: Types of numbers, in the order of their arrays in a file.
_ORDER = ("U64", "I64", "F64", "F32", "U32", "I32", "U16", "U8")
NUMPY = {"F32": "<f4", "F64": "<f8", "U64": "<u8", "I64": "<i8", "U32": "<u4", "U16": "<u2", "I32": "<i4", "U8": "|u1"}
_KINDS = {np.dtype(text): kind for kind, text in NUMPY.items()}


@dataclass(frozen=True)
class Container:
    """One kind of file: the metadata entry that marks it, its name in messages, and the newest version it has."""

    key: str
    noun: str
    version: int
    remedy: str  # what to do with a damaged file

    def write(self, path: str | os.PathLike[str], header: Mapping[str, object], tensors: Tensors) -> None:
        """Write to a temporary file, then rename it: an older file of this name survives any failure."""
        replace_file(path, *self.to_pieces(header, tensors))

    def to_pieces(self, header: Mapping[str, object], tensors: Tensors) -> list[bytes | memoryview]:
        """Convert to the bytes of a file in pieces, without copies; numbers that are not finite are refused."""
        arrays = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
        if (name := _find_non_finite(arrays)) is not None:
            raise ModelFileError(f"cannot write a {self.noun}: {name} has numbers that are not finite; train it again")
        checksums = {name: zlib.crc32(array.view(np.uint8).data) for name, array in arrays.items()}
        whole = {**header, "format": self.key, "format_version": self.version, "checksums": checksums}
        text = json.dumps(whole, sort_keys=True, ensure_ascii=False)
        return lay_out(arrays, {self.key: f"{zlib.crc32(text.encode()):08x}{text}"})

    def read(self, file: Path, *, mapped: bool = False) -> tuple[dict[str, Any], Tensors]:
        """Return the checked header and the arrays: copies in memory, or views of the mapped file."""
        try:
            if not file.is_file():
                raise ModelFileError(f"{file}: no such {self.noun} file")
            with safe_open(file, framework="numpy") as opened:
                metadata = opened.metadata() or {}
            header = self._header(file, metadata)
            tensors = _read_arrays(file, mapped=mapped)
            self._verify(file, header, tensors)
        except OSError as error:
            raise ModelFileError(f"{file}: cannot be read: {(error.strerror or str(error)).lower()}") from None
        except (SafetensorError, LookupError, TypeError, ValueError, RecursionError) as error:
            raise self._build_error(file, error) from None
        return header, tensors

    def from_bytes(self, file: Path, data: bytes) -> tuple[dict[str, Any], Tensors]:
        """Do the same for a file that is embedded in ``file``."""
        try:
            size = int.from_bytes(data[:8], "little")
            metadata = json.loads(data[8 : 8 + size])["__metadata__"]
            header = self._header(file, metadata)
            tensors = {name: array.ravel() for name, array in load(data).items()}
            self._verify(file, header, tensors)
        except (SafetensorError, LookupError, TypeError, ValueError, RecursionError) as error:
            raise self._build_error(file, error) from None
        return header, tensors

    def _build_error(self, file: Path, error: Exception) -> ModelFileError:
        return ModelFileError(f"{file}: damaged or not a {self.noun} file ({short(error)})")

    def _header(self, file: Path, metadata: dict[str, str]) -> dict[str, Any]:
        if self.key not in metadata:
            raise ModelFileError(f"{file}: a safetensors file, but not a tagloom {self.noun}")
        checksum, text = metadata[self.key][:8], metadata[self.key][8:]
        if f"{zlib.crc32(text.encode()):08x}" != checksum:
            raise ModelFileError(f"{file}: damaged (the header does not match its checksum); {self.remedy}")
        header: dict[str, Any] = json.loads(text)
        version = header["format_version"]
        if version != self.version:
            remedy = "upgrade tagloom" if version > self.version else self.remedy
            raise ModelFileError(
                f"{file}: written by tagloom {header['library_version']} in format {version}; "
                f"this version reads format {self.version}: {remedy}"
            )
        return header

    def _verify(self, file: Path, header: dict[str, Any], tensors: Tensors) -> None:
        checksums = header["checksums"]
        if set(checksums) != set(tensors):
            raise ModelFileError(f"{file}: damaged (parts are missing); {self.remedy}")
        for name, array in tensors.items():
            if zlib.crc32(array.view(np.uint8).data) != checksums[name]:
                raise ModelFileError(f"{file}: damaged ({name} does not match its checksum); {self.remedy}")
        if (found := _find_non_finite(tensors)) is not None:
            raise ModelFileError(f"{file}: {found} has numbers that are not finite; {self.remedy}")


def lay_out(arrays: Mapping[str, NDArray[Any]], metadata: Mapping[str, str]) -> list[bytes | memoryview]:
    """Lay arrays out as a safetensors file, in the order of ``safetensors.serialize``: wide numbers first, by name.

    ``safetensors.numpy.save`` gives the same bytes, and needs twice their size in memory for it.
    """
    kinds = {name: _KINDS[array.dtype] for name, array in arrays.items()}
    ordered = sorted(arrays, key=lambda name: (_ORDER.index(kinds[name]), name))
    layout: dict[str, object] = {"__metadata__": dict(metadata)}
    begin = 0
    for name in ordered:
        end = begin + arrays[name].nbytes
        layout[name] = {"dtype": kinds[name], "shape": arrays[name].shape, "data_offsets": [begin, end]}
        begin = end
    head = json.dumps(layout, ensure_ascii=False, separators=(",", ":")).encode()
    head += b" " * (-len(head) % 8)
    return [len(head).to_bytes(8, "little") + head, *(arrays[name].view(np.uint8).data for name in ordered)]


def _find_non_finite(tensors: Tensors) -> str | None:
    """Return the name of an array with infinite numbers or NaN."""
    for name, array in tensors.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            return name
    return None


def _read_arrays(file: Path, *, mapped: bool) -> Tensors:
    """Read or map the file; ``safe_open`` has checked that all offsets lie inside it."""
    data: NDArray[np.uint8]
    if mapped:
        with file.open("rb") as stream:
            data = np.frombuffer(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
    else:
        data = np.fromfile(file, np.uint8)
        data.flags.writeable = False
    size = int.from_bytes(data[:8].tobytes(), "little")
    layout = json.loads(data[8 : 8 + size].tobytes())
    layout.pop("__metadata__", None)
    return {name: _view(data[8 + size :], name, entry) for name, entry in layout.items()}


def _view(data: NDArray[np.uint8], name: str, entry: dict[str, Any]) -> NDArray[Any]:
    first, end = entry["data_offsets"]
    array = data[first:end].view(np.dtype(NUMPY[entry["dtype"]]))
    if array.nbytes != end - first:
        raise ValueError(f"tensor {name!r} does not lie inside the file")
    if not array.flags.aligned:
        raise ValueError(f"tensor {name!r} is not aligned")
    return array


def select_tensors(tensors: Tensors, prefix: str) -> Tensors:
    """Select the arrays whose names begin with a prefix, by the rest of their names."""
    return {key.removeprefix(prefix): array for key, array in tensors.items() if key.startswith(prefix)}


def short(error: Exception) -> str:
    """Return the first words of an error."""
    return str(error).splitlines()[0][:100] if str(error) else type(error).__name__
