"""Structure-aware changes of model files, checkpoints and folds: one value is wrong, and all checksums fit.

A file is opened to a :class:`Draft`: its header as plain values, its arrays by name, and the drafts of the files inside
it. ``list_leaves`` and ``list_arrays`` say what can be changed, and ``BAD_VALUES`` and ``ARRAY_CHANGES`` to what.
"""

from __future__ import annotations

import copy
import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from safetensors.numpy import load, save

Array = np.ndarray[Any, Any]
Place = tuple[str | int, ...]
#: Prefixes and names of arrays that hold the bytes of other files.
_FILES = ("line.", "tagger", "sentences")


@dataclass
class Draft:
    """A file of the safetensors make that can be changed and written again."""

    key: str  # of the metadata entry: tagloom, tagloom-checkpoint or tagloom-fold
    header: dict[str, Any]
    arrays: dict[str, Array]
    inner: dict[str, Draft] = field(default_factory=dict)  # files inside it, by the name of their array

    @classmethod
    def open(cls, data: bytes) -> Draft:
        """Take the bytes of a file apart."""
        size = int.from_bytes(data[:8], "little")
        ((key, text),) = json.loads(data[8 : 8 + size])["__metadata__"].items()
        header = json.loads(text[8:])
        if "spec" in header:
            header["spec"] = json.loads(header["spec"])
        arrays = load(data)
        inner = {
            name: cls.open(array.tobytes())
            for name, array in arrays.items()
            if key == "tagloom" and (name.startswith(_FILES[0]) or name in _FILES[1:])
        }
        return cls(key, header, {name: array for name, array in arrays.items() if name not in inner}, inner)

    def copy(self) -> Draft:
        """Copy all but the contents of the arrays, which changes replace and do not write into."""
        inner = {name: draft.copy() for name, draft in self.inner.items()}
        return Draft(self.key, copy.deepcopy(self.header), dict(self.arrays), inner)

    def to_bytes(self) -> bytes:
        """Write the file, with checksums that fit."""
        arrays = dict(self.arrays)
        arrays |= {name: np.frombuffer(draft.to_bytes(), np.uint8) for name, draft in self.inner.items()}
        arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
        header = dict(self.header)
        if "spec" in header:
            header["spec"] = json.dumps(header["spec"])
        if "checksums" in header:
            header["checksums"] = {name: zlib.crc32(array.tobytes()) for name, array in arrays.items()}
        text = json.dumps(header)
        return save(arrays, {self.key: f"{zlib.crc32(text.encode()):08x}{text}"})


# -- values of the header ----------------------------------------------------------------------------------------------

#: What stands in the place of a value, by name; none is as deep as to end the recursion of the JSON reader.
BAD_VALUES: dict[str, object] = {
    "null": None, "true": True, "zero": 0, "minus": -1, "huge": 2**70, "half": 0.5, "nan": float("nan"),
    "infinity": float("inf"), "empty": "", "text": "nowhere", "surrogate": "\ud800", "control": "\x1b[31m\n\0",
    "long": "x" * 100_000, "list": [], "nested": [[["x"]]], "mixed": [1, "x", None], "object": {}, "other": {"x": 1},
    "number text": "1", "long list": ["x"] * 3000, "deep": json.loads("[" * 200 + "]" * 200), "far": 10**9,
}  # fmt: skip


def list_leaves(value: object, before: Place = (), most: int = 3) -> Iterator[Place]:
    """List the paths to all values, inner ones included; of long lists only the first items."""
    if before:
        yield before
    if isinstance(value, dict):
        for name in value:
            if (*before, name) != ("checksums",):
                yield from list_leaves(value[name], (*before, name), most)
    elif isinstance(value, list):
        for place in range(min(len(value), most)):
            yield from list_leaves(value[place], (*before, place), most)


def set_value(header: dict[str, Any], path: Place, value: object) -> None:
    """Put a value at a path."""
    _find_owner(header, path)[path[-1]] = value


def remove_value(header: dict[str, Any], path: Place) -> None:
    """Remove the value at a path."""
    del _find_owner(header, path)[path[-1]]


def add_value(header: dict[str, Any], path: Place, value: object) -> None:
    """Put a value that does not belong there beside that at a path."""
    owner = _find_owner(header, path)
    if isinstance(owner, dict):
        owner["surprise"] = value
    else:
        owner.append(value)


def _find_owner(header: Any, path: Place) -> Any:
    for step in path[:-1]:
        header = header[step]
    return header


# -- arrays ------------------------------------------------------------------------------------------------------------


def _put(array: Array, place: int, value: object) -> Array:
    changed = array.copy()
    if len(changed):
        changed[place] = value
    return changed


def _largest(array: Array) -> Any:
    return np.finfo(array.dtype).max if array.dtype.kind == "f" else np.iinfo(array.dtype).max


def _smallest(array: Array) -> Any:
    return np.finfo(array.dtype).min if array.dtype.kind == "f" else np.iinfo(array.dtype).min


def _retype(array: Array) -> Array:
    return array.astype(np.int32 if array.dtype != np.int32 else np.float64)


def _spoil(array: Array) -> Array:
    if array.dtype.kind == "f":
        return _put(array, 0, np.nan)
    return array.view(np.uint8).copy().view(np.dtype(f"f{array.itemsize}")) if array.itemsize in (4, 8) else array + 1


#: What becomes of an array, by name.
ARRAY_CHANGES: dict[str, Callable[[Array], Array]] = {
    "empty": lambda array: array[:0],
    "cut": lambda array: array[:-1],
    "longer": lambda array: np.concatenate([array, array[-1:] if len(array) else np.zeros(1, array.dtype)]),
    "one": lambda array: array[:1],
    "reversed": lambda array: array[::-1],
    "retyped": _retype,
    "not a number": _spoil,
    "largest first": lambda array: _put(array, 0, _largest(array)),
    "largest last": lambda array: _put(array, -1, _largest(array)),
    "largest": lambda array: np.full_like(array, _largest(array)),
    "smallest": lambda array: np.full_like(array, _smallest(array)),
    "smallest first": lambda array: _put(array, 0, _smallest(array)),
    "zeros": np.zeros_like,
    "ones": np.ones_like,
    "flipped": lambda array: _put(array, len(array) // 2, ~array[len(array) // 2]) if _is_whole(array) else -array,
    "plus one": lambda array: array + array.dtype.type(1),
    "matrix": lambda array: array.reshape(1, -1),
    "scalar": lambda array: array[:1].reshape(()) if len(array) else array,
}


def _is_whole(array: Array) -> bool:
    return array.dtype.kind != "f" and len(array) > 0


# -- all changes -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mutation:
    """One change of a draft."""

    where: tuple[str, ...]  # names of the arrays of the files that the changed file stands in
    what: str  # for messages
    apply: Callable[[Draft], None]

    def forge(self, draft: Draft) -> bytes:
        """Write the changed file."""
        changed = draft.copy()
        part = changed
        for name in self.where:
            part = part.inner[name]
        with np.errstate(all="ignore"):
            self.apply(part)
        return changed.to_bytes()

    def __str__(self) -> str:
        return " > ".join([*self.where, self.what])


def list_mutations(draft: Draft, where: tuple[str, ...] = ()) -> Iterator[Mutation]:
    """List all changes of one value or array, those of the files inside included."""
    for path in list_leaves(draft.header):
        yield from _list_value_changes(path, where)
    for name in draft.arrays:
        yield from _list_array_changes(name, where)
    for name in draft.inner:
        yield Mutation(where, f"without {name}", lambda d, n=name: d.inner.pop(n) and None)  # type: ignore[misc]
        yield from list_mutations(draft.inner[name], (*where, name))


def _list_value_changes(path: Place, where: tuple[str, ...]) -> Iterator[Mutation]:
    text = ".".join(map(str, path))
    for name, value in BAD_VALUES.items():
        yield Mutation(where, f"{text} = {name}", lambda d, v=value: set_value(d.header, path, v))  # type: ignore[misc]
    yield Mutation(where, f"without {text}", lambda d: remove_value(d.header, path))
    yield Mutation(where, f"beside {text}", lambda d: add_value(d.header, path, 1))


def _list_array_changes(name: str, where: tuple[str, ...]) -> Iterator[Mutation]:
    def replace(change: Callable[[Array], Array]) -> Callable[[Draft], None]:
        return lambda draft: draft.arrays.update({name: change(draft.arrays[name])})

    for kind, change in ARRAY_CHANGES.items():
        yield Mutation(where, f"{name} {kind}", replace(change))
    yield Mutation(where, f"without {name}", lambda draft: draft.arrays.pop(name) is None)  # type: ignore[arg-type,return-value]
    yield Mutation(where, f"beside {name}", lambda draft: draft.arrays.update({f"{name}.x": np.zeros(3, np.uint8)}))
