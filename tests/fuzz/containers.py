"""Model files and checkpoints taken apart into plain values, and put together again with checksums that fit."""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Header = dict[str, Any]
#: Types of numbers as safetensors and as numpy name them.
NUMPY = {"F32": "<f4", "F64": "<f8", "U64": "<u8", "I64": "<i8", "U32": "<u4", "U16": "<u2", "I32": "<i4", "F16": "<f2",
         "U8": "|u1"}  # fmt: skip
KINDS = {np.dtype(text): kind for kind, text in NUMPY.items()}


class JsonText:
    """A JSON object that stands as a text in another one."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Unquoted:
    """A text that stands in a JSON file as it is, such as a number that Python cannot write."""

    def __init__(self, text: str) -> None:
        self.text = text


@dataclass
class Tensor:
    """The bytes of an array with what the file says about them."""

    kind: str
    shape: list[int]
    data: bytes

    @property
    def array(self) -> NDArray[Any]:
        """The numbers in one dimension; a copy, which may be changed."""
        return np.frombuffer(self.data, NUMPY[self.kind]).copy()

    @array.setter
    def array(self, values: NDArray[Any]) -> None:
        self.kind, self.shape, self.data = KINDS[values.dtype], [len(values)], values.tobytes()


@dataclass
class Parts:
    """A container: the marking entry of its metadata, the JSON object of this entry, and the arrays.

    ``layout`` are changes of the outermost header after everything else was laid out: an array, a field of its entry,
    and the value; ``trailer`` are bytes after the last array.
    """

    key: str
    header: Header
    tensors: dict[str, Tensor]
    layout: list[tuple[str, str, Any]] = field(default_factory=list)
    trailer: bytes = b""


class Move(NamedTuple):
    """A kind of edit: how its arguments are drawn for a file, and what they do to it."""

    draw: Callable[[random.Random, Parts], list[Any]]
    apply: Callable[..., None]
    weight: int = 1  # how often it is drawn


def take_apart(data: bytes) -> Parts:
    """Take the bytes of a file apart, which must be a whole one."""
    size = int.from_bytes(data[:8], "little")
    layout = json.loads(data[8 : 8 + size])
    [(key, text)] = layout.pop("__metadata__").items()
    tensors = {
        name: Tensor(entry["dtype"], entry["shape"], data[8 + size + entry["data_offsets"][0] :][: _count(entry)])
        for name, entry in layout.items()
    }
    header = open_texts(json.loads(text[8:]))
    del header["checksums"]
    return Parts(key, header, tensors)


def put_together(parts: Parts) -> bytes:
    """Lay the parts out as a file; every checksum is right."""
    checksums = {name: zlib.crc32(tensor.data) for name, tensor in parts.tensors.items()}
    text = write_json({"checksums": checksums, **parts.header})
    layout: Header = {"__metadata__": {parts.key: f"{zlib.crc32(text.encode()):08x}{text}"}}
    end = 0
    for name, tensor in parts.tensors.items():
        layout[name] = {"dtype": tensor.kind, "shape": tensor.shape, "data_offsets": [end, end + len(tensor.data)]}
        end += len(tensor.data)
    for name, entry, value in parts.layout:
        layout.setdefault(name, {})[entry] = value
    head = write_json(layout).encode()
    head += b" " * (-len(head) % 8)
    body = b"".join(tensor.data for tensor in parts.tensors.values())
    return len(head).to_bytes(8, "little") + head + body + parts.trailer


def open_texts(value: Any) -> Any:
    """Open JSON objects that stand as texts in others, at any depth."""
    if isinstance(value, dict):
        return {key: open_texts(each) for key, each in value.items()}
    if isinstance(value, list):
        return [open_texts(each) for each in value]
    if isinstance(value, str) and value.startswith("{"):
        try:
            return JsonText(open_texts(json.loads(value)))
        except ValueError:
            return value  # it only looks like one
    return value


def write_json(value: Any) -> str:
    """Write JSON, with the texts of :class:`Unquoted` values in their places."""
    found: list[str] = []

    def write_other(each: object) -> str:
        if isinstance(each, JsonText):
            return write_json(each.value)
        assert isinstance(each, Unquoted)
        found.append(each.text)
        return f"<unquoted {len(found) - 1}>"

    text = json.dumps(value, default=write_other)
    for number, each in enumerate(found):
        text = text.replace(f'"<unquoted {number}>"', each)
    return text


def _count(entry: Header) -> int:
    first, end = entry["data_offsets"]
    return int(end - first)
