"""A checked safetensors file: arrays, and one JSON object in the metadata, with a checksum of every part.

Opening a file runs no code from it. What is damaged, foreign or newer is refused with one line.
"""

from __future__ import annotations

import json
import mmap
import os
import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from tagloom.corpus.replace import replace_file
from tagloom.errors import ModelFileError
from tagloom.schema import Field, Misfit, Text, limits, parse_json, read_record, read_value
from tagloom.schema.arrays import TYPES

if TYPE_CHECKING:
    from tagloom.features.tensors import Tensors

#: Types of numbers, in the order of their arrays in a file.
_ORDER = ("U64", "I64", "F64", "F32", "U32", "I32", "F16", "U16", "U8")
ByteArray = NDArray[np.uint8]
_DTYPES = {kind: np.dtype(text) for kind, text in TYPES.items()}
_KINDS = {dtype: kind for kind, dtype in _DTYPES.items()}


@dataclass(frozen=True, kw_only=True)
class Header:
    """What the header of every file says."""

    format: Annotated[str, Field("Kind of the file, the same as the name of the metadata entry.")]
    format_version: Annotated[int, Field("Version of the format; others are refused.", low=1)]
    library_version: Annotated[str, Field("Version of tagloom that wrote the file.", length=100)]
    checksums: Annotated[dict[str, int], Field("CRC-32 of the bytes of every tensor, by name.", low=0, high=2**32 - 1)]


class _Cut(ValueError):  # noqa: N818
    """A file whose end is missing."""


HeaderT = TypeVar("HeaderT", bound=Header)


@dataclass(frozen=True)
class Container(Generic[HeaderT]):
    """One kind of file: the metadata entry that marks it, its name in messages, and the newest version it has."""

    key: str
    noun: str
    version: int
    remedy: str  # what to do with a damaged file
    record: type[HeaderT]  # the schema of its header

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
        try:
            read_record(self.record, whole)
        except Misfit as error:
            raise ModelFileError(f"cannot write a {self.noun}: {error}") from None
        text = json.dumps(whole, sort_keys=True, ensure_ascii=False)
        pieces = lay_out(arrays, {self.key: f"{zlib.crc32(text.encode()):08x}{text}"})
        if len(pieces[0]) > limits.LARGEST_HEADER:
            raise ModelFileError(
                f"cannot write a {self.noun}: its header has more than {limits.LARGEST_HEADER:,} bytes"
            )
        return pieces

    def read(self, file: Path, *, mapped: bool = False) -> tuple[HeaderT, Tensors]:
        """Return the checked header and the arrays: copies in memory, or views of the mapped file."""
        try:
            if not file.is_file():
                raise ModelFileError(f"{file}: no such {self.noun} file")
            data = _read_bytes(file, mapped=mapped)
        except OSError as error:
            raise ModelFileError(f"{file}: cannot be read: {(error.strerror or str(error)).lower()}") from None
        except ValueError as error:  # such as a path with a zero byte, or an empty file that cannot be mapped
            raise self._build_error(file, error) from None
        return self._open(file, data)

    def from_bytes(self, file: Path, data: bytes) -> tuple[HeaderT, Tensors]:
        """Do the same for a file that is embedded in ``file``."""
        return self._open(file, np.frombuffer(data, np.uint8))

    def _open(self, file: Path, data: ByteArray) -> tuple[HeaderT, Tensors]:
        try:
            layout, start = _read_layout(data)
            metadata = read_value(dict[str, str], layout.pop("__metadata__", {}), "__metadata__", _METADATA)
            tensors = _slice_arrays(data, start, layout)
            values = self._read_metadata(file, metadata)
        except _Cut as error:
            raise ModelFileError(f"{file}: cut off: {short(error)}; copy it again, or else {self.remedy}") from None
        except ValueError as error:
            raise self._build_error(file, error) from None
        try:
            header = read_record(self.record, values)
            self._verify(file, header.checksums, tensors)
        except Misfit as error:
            raise self.refuse(file, error) from None
        return header, tensors

    def refuse(self, file: Path, error: Exception) -> ModelFileError:
        """Build the error for a file that is whole, but whose values make no sense."""
        return ModelFileError(f"{file}: not a usable {self.noun}: {short(error)}; {self.remedy}")

    def _build_error(self, file: Path, error: Exception) -> ModelFileError:
        return ModelFileError(f"{file}: damaged or not a {self.noun} file ({short(error)}); {self.remedy}")

    def _read_metadata(self, file: Path, metadata: dict[str, str]) -> Any:
        """Check the checksum and the version of the header, and return its values."""
        if self.key not in metadata:
            raise ModelFileError(f"{file}: a safetensors file, but not a tagloom {self.noun}")
        checksum, text = metadata[self.key][:8], metadata[self.key][8:]
        if f"{zlib.crc32(text.encode()):08x}" != checksum:
            raise ModelFileError(f"{file}: damaged (the header does not match its checksum); {self.remedy}")
        values = read_value(dict[str, Any], parse_json(text, "header"), "header")
        version = read_value(int, values.get("format_version"), "format_version")
        if version != self.version:
            remedy = "upgrade tagloom" if version > self.version else self.remedy
            library = read_value(str, values.get("library_version"), "library_version", Field(length=40))
            raise ModelFileError(
                f"{file}: written by tagloom {library} in format {version}; "
                f"this version reads format {self.version}: {remedy}"
            )
        return values

    def _verify(self, file: Path, checksums: Mapping[str, int], tensors: Tensors) -> None:
        if checksums.keys() != tensors.keys():
            raise ModelFileError(f"{file}: damaged (parts are missing); {self.remedy}")
        for name, array in tensors.items():
            if zlib.crc32(array.view(np.uint8).data) != checksums[name]:
                raise ModelFileError(f"{file}: damaged ({name:.80} does not match its checksum); {self.remedy}")
        if (found := _find_non_finite(tensors)) is not None:
            raise ModelFileError(f"{file}: {found:.80} has numbers that are not finite; {self.remedy}")


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


_METADATA = Field(most=100, length=limits.LARGEST_HEADER)


def find_key(file: Path, keys: Collection[str]) -> str | None:
    """Find which of some metadata entries a file has; None if it has none, or cannot be read."""
    try:
        with file.open("rb") as stream:
            size = int.from_bytes(stream.read(8), "little")
            if size > limits.LARGEST_HEADER:
                return None
            layout = parse_json(stream.read(size).decode(), "header")
    except (OSError, ValueError):
        return None
    metadata = layout.get("__metadata__") if isinstance(layout, dict) else None
    return next((key for key in keys if isinstance(metadata, dict) and key in metadata), None)


def _read_bytes(file: Path, *, mapped: bool) -> ByteArray:
    if mapped:
        with file.open("rb") as stream:
            return np.frombuffer(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
    data = np.fromfile(file, np.uint8)
    data.flags.writeable = False
    return data


def _read_layout(data: ByteArray) -> tuple[dict[str, Any], int]:
    """Read the JSON at the beginning of a safetensors file, and return it with the place of the first byte after it."""
    if len(data) < 8:
        raise Misfit("file", "at least 8 bytes", len(data))
    size = int.from_bytes(data[:8].tobytes(), "little")
    if not 0 < size <= limits.LARGEST_HEADER:
        raise Misfit("header", f"a length of at most {limits.LARGEST_HEADER:,} bytes", size)
    if data[8:9].tobytes() not in (b"{", b""):
        raise Misfit("header", "a JSON object", Text("something else"))
    if len(data) < 8 + size:
        raise _Cut(f"the file has {len(data):,} bytes, and its header alone needs {8 + size:,}")
    layout = parse_json(data[8 : 8 + size].tobytes().decode(), "header")
    return read_value(dict[str, Any], layout, "header"), 8 + size


def _read_place(name: str, entry: object) -> tuple[int, int, int, str]:
    """Read where an array stands: its first byte, the one after its last, its length, and its type."""
    match entry:
        case {"dtype": str(kind), "shape": [int(count)], "data_offsets": [int(first), int(end)]} if kind in TYPES:
            return first, end, count, kind
    raise Misfit(f"tensor {name:.80}", "a type of numbers, one dimension, and two offsets", entry)


def _read_places(layout: Mapping[str, object]) -> list[tuple[int, int, np.dtype[Any], str]]:
    """Read where all arrays stand, in their order; they must follow each other without gaps."""
    places, begin = [], 0
    for first, end, count, kind, name in sorted((*_read_place(name, entry), name) for name, entry in layout.items()):
        if first != begin or end - first != count * _DTYPES[kind].itemsize:
            raise Misfit(
                f"tensor {name:.80}", f"{count:,} numbers after byte {begin:,}", Text(f"bytes {first:,} to {end:,}")
            )
        places.append((first, end, _DTYPES[kind], name))
        begin = end
    return places


def _slice_arrays(data: ByteArray, start: int, layout: Mapping[str, object]) -> Tensors:
    """Return views of all arrays, which must end with the file; offsets count from ``start``."""
    places = _read_places(layout)
    size = start + (places[-1][1] if places else 0)
    if len(data) < size:
        raise _Cut(f"the file has {len(data):,} bytes, and should have {size:,}")
    if len(data) > size:
        raise Misfit("file", f"{size:,} bytes", len(data))
    found = {}
    for first, end, dtype, name in places:
        found[name] = data[start + first : start + end].view(dtype)
        if not found[name].flags.aligned:
            raise Misfit(f"tensor {name:.80}", "an aligned array", Text(f"byte {first:,}"))
    return found


def select_tensors(tensors: Tensors, prefix: str) -> Tensors:
    """Select the arrays whose names begin with a prefix, by the rest of their names."""
    return {key.removeprefix(prefix): array for key, array in tensors.items() if key.startswith(prefix)}


def short(error: Exception) -> str:
    """Return the first words of an error."""
    return str(error).splitlines()[0][:240] if str(error) else type(error).__name__
