"""Edits of files that were taken apart. An edit is plain data, so that a case can be kept, read and shortened.

An edit is ``[kind, *arguments]``. One of kind ``in`` edits the file that stands in an array. What an edit names may be
gone, by an edit before it or because models have changed: then it changes nothing.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from tagloom.files.container import NUMPY
from tests.fuzz.containers import JsonText, Parts, Tensor, Unquoted, put_together, take_apart
from tests.fuzz.mutate import mutate

Edit = list[Any]
Path = list[Any]  # keys and places that lead to a value of the header; "json" opens a text

_MANY = 50_000
#: What happens where the thing that an edit names is gone or broken.
_GONE = (LookupError, TypeError, ValueError, OverflowError, AttributeError, RecursionError)
#: Values that readers do not expect. Those with "$" are written out by _build_value.
VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2, 3, 7, 100, 255, 256, 65535, 65536, 2**31 - 1, 2**31, -(2**31), 2**32, 2**53, 2**63,
    -(2**63), 2**64, 10**30, 0.0, -0.0, 0.5, 1.5, -1.0, 1e-320, 1e-9, 1e9, 1e38, 1e308, -1e308, "", "a", " ", "\n", "0",
    "a b", "form", "label", "\0", "\ud800", "\x1b[31m", "\u2028", "é", "../x", "/dev/zero", "None", "-", "_", "O", "B-X",
    [], {}, [[]], [None], [0], ["a"], ["a", "a"], [["a", "b"]], [1, 2, 3], {"a": 1}, {"": ""}, {"a": {}}, {"0": []},
    {"$text": "1e999"}, {"$text": "-1e999"}, {"$text": "NaN"}, {"$text": "Infinity"}, {"$text": "1" * 5000},
    {"$deep": 100}, {"$deep": 900}, {"$deep": _MANY}, {"$long": "a"}, {"$long": "9"}, {"$long": "a "}, {"$many": 0},
    {"$many": ""}, {"$many": "a"}, {"$many": []}, {"$many": {}}, {"$keys": 0}, {"$keys": "a"},
]  # fmt: skip
PIECES = ["[0]", "[-1]", "[{-2..2}]", "{1..4}", " ", "\n", "form", "pos", "/ edge", "9", "9" * 30, "-", ",", "é", "\ud800",
          "#", "\t", "=", ":", "|", "B-", "I-", "O", "_", "+", "$", "suffix3", "bias", "\0", "\x85", "s0.", "q0"]  # fmt: skip
NUMBERS = [0, 1, 2, 3, 7, 8, 9, 31, 63, 64, 100, 255, 256, 1000, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53,
           2**62, 2**63 - 1, 2**63, 2**64 - 1, -1, -2, -(2**31), -(2**63)]  # fmt: skip
REALS = [0.0, -0.0, 1.0, -1.0, 1e-45, 1e-38, 1e9, 1e30, 3e38, -3e38, 1e300, float("nan"), float("inf"), -float("inf")]


class Move(NamedTuple):
    """A kind of edit: how its arguments are drawn for a file, and what they do to it."""

    draw: Callable[[random.Random, Parts], list[Any]]
    apply: Callable[..., None]


def draw_edit(rng: random.Random, parts: Parts) -> Edit:
    """Draw an edit that changes something in these parts; files within files are edited like others."""
    inner = [name for name, tensor in parts.tensors.items() if tensor.data[8:23] == b'{"__metadata__"']
    if inner and rng.random() < 0.6:
        name = rng.choice(inner)
        with suppress(*_GONE):
            return ["in", name, draw_edit(rng, take_apart(parts.tensors[name].data))]
    group = rng.choices((_OF_HEADER, _OF_TENSORS, _OF_LAYOUT), (10, 10, 1))[0]
    kind = rng.choice([name for name in group if parts.tensors or name not in _OF_TENSORS] or list(_OF_HEADER))
    return [kind, *MOVES[kind].draw(rng, parts)]


def apply_edit(parts: Parts, edit: Edit) -> None:
    """Change the parts of a file."""
    kind, *arguments = edit
    with suppress(*_GONE):
        if kind == "in":
            _edit_inside(parts, *arguments)
        else:
            MOVES[kind].apply(parts, *arguments)


def _edit_inside(parts: Parts, name: str, edit: Edit) -> None:
    tensor = parts.tensors[name]
    inner = take_apart(tensor.data)
    apply_edit(inner, edit)
    tensor.array = np.frombuffer(put_together(inner), np.uint8)


# -- the header --------------------------------------------------------------------------------------------------------


def _list_keys(value: Any) -> list[Any]:
    """List the steps that lead from a value to those inside it."""
    if isinstance(value, dict):
        return list(value)
    if isinstance(value, list):
        return list(range(min(len(value), 20)))
    return ["json"] if isinstance(value, JsonText) else []


def _get(header: Any, path: Path) -> Any:
    for key in path:
        header = header.value if isinstance(header, JsonText) else header[key]
    return header


def _put(header: Any, path: Path, value: Any) -> None:
    owner = _get(header, path[:-1])
    if isinstance(owner, JsonText):
        owner.value = value
    else:
        owner[path[-1]] = value


def _build_value(value: Any) -> Any:
    """Write out values that would be too long to be kept."""
    if not (isinstance(value, dict) and len(value) == 1):
        return value
    [(kind, content)] = value.items()
    builders: dict[str, Callable[[], Any]] = {
        "$text": lambda: Unquoted(content),
        "$deep": lambda: Unquoted("[" * content + "]" * content),
        "$long": lambda: content * _MANY,
        "$many": lambda: [content] * _MANY,
        "$keys": lambda: {str(number): content for number in range(_MANY // 10)},
    }
    return builders[kind]() if kind in builders else value


def _draw_path(rng: random.Random, parts: Parts) -> Path:
    """Draw a path; short lists and the few large ones are met equally often, because a level is drawn at a time."""
    path: Path = []
    value: Any = parts.header
    while (keys := _list_keys(value)) and not (path and rng.random() < 0.15):
        path.append(rng.choice(keys))
        value = _get(value, path[-1:])
    return path


def _draw_set(rng: random.Random, parts: Parts) -> list[Any]:
    path = _draw_path(rng, parts)
    return [path, _draw_value(rng, _get(parts.header, path))]


def _draw_value(rng: random.Random, old: Any) -> Any:
    """Draw a value: a near one of the same type, or any."""
    if rng.random() < 0.5 or old is None:
        return rng.choice(VALUES)
    if isinstance(old, str):
        return mutate(rng, old, PIECES) if len(old) < 10_000 else old[: rng.randrange(100)]
    if type(old) is bool:
        return not old
    if isinstance(old, int):
        return rng.choice([old + 1, old - 1, old * 2, -old, old * 1000, float(old), str(old), rng.choice(NUMBERS)])
    if isinstance(old, float):
        return rng.choice([-old, old * 2, 1 / old if old else 1, int(old), old * 1e30, rng.choice(REALS[:-3])])
    return rng.choice(VALUES)


def _set(parts: Parts, path: Path, value: Any) -> None:
    _get(parts.header, path)  # only what is there is replaced
    _put(parts.header, path, _build_value(value))


def _remove(parts: Parts, path: Path) -> None:
    del _get(parts.header, path[:-1])[path[-1]]


def _draw_add(rng: random.Random, parts: Parts) -> list[Any]:
    key = rng.choice(
        ["a", "", "0", "spec", "form", "label", "system", "resources", "checksums", "__class__", "tokenizer"]
    )
    return [_draw_path(rng, parts)[:-1], key, rng.choice(VALUES)]


def _add(parts: Parts, path: Path, key: str, value: Any) -> None:
    owner = _get(parts.header, path)
    if isinstance(owner, list):
        owner.append(_build_value(value))
    elif isinstance(owner, dict):
        owner[key] = _build_value(value)


def _copy(parts: Parts, source: Path, target: Path) -> None:
    if target[: len(source)] != source and source[: len(target)] != target:
        _put(parts.header, target, _get(parts.header, source))


def _swap(parts: Parts, one: Path, other: Path) -> None:
    first, second = _get(parts.header, one), _get(parts.header, other)
    if other[: len(one)] != one and one[: len(other)] != other:
        _put(parts.header, one, second)
        _put(parts.header, other, first)


def _rename(parts: Parts, path: Path, name: str) -> None:
    owner = _get(parts.header, path[:-1])
    owner[name] = owner.pop(path[-1])


def _repeat(parts: Parts, path: Path, count: int) -> None:
    value = _get(parts.header, path)
    if isinstance(value, (str, list)) and len(value) * count <= 10 * _MANY:
        _put(parts.header, path, value * count)


_OF_HEADER = {
    "set": Move(_draw_set, _set),
    "set too": Move(_draw_set, _set),
    "remove": Move(lambda rng, parts: [_draw_path(rng, parts)], _remove),
    "add": Move(_draw_add, _add),
    "copy": Move(lambda rng, parts: [_draw_path(rng, parts), _draw_path(rng, parts)], _copy),
    "swap": Move(lambda rng, parts: [_draw_path(rng, parts), _draw_path(rng, parts)], _swap),
    "rename": Move(
        lambda rng, parts: [_draw_path(rng, parts), rng.choice(["a", "", "form", "columns", "name"])], _rename
    ),
    "repeat": Move(lambda rng, parts: [_draw_path(rng, parts), rng.choice([0, 2, 100, 10_000])], _repeat),
}

# -- the arrays --------------------------------------------------------------------------------------------------------


def _draw_name(rng: random.Random, parts: Parts) -> str:
    return rng.choice(list(parts.tensors))


def _draw_number(rng: random.Random, tensor: Tensor) -> Any:
    if tensor.kind.startswith("F"):
        return rng.choice(REALS)
    size = len(tensor.data) // np.dtype(NUMPY[tensor.kind]).itemsize
    return rng.choice([*NUMBERS, size, size - 1, size + 1])


def _draw_put(rng: random.Random, parts: Parts) -> list[Any]:
    name = _draw_name(rng, parts)
    return [name, rng.random(), _draw_number(rng, parts.tensors[name])]


def _put_number(parts: Parts, name: str, where: float, value: Any) -> None:
    """Replace one number; ``where`` is its place as a share of the length."""
    array = parts.tensors[name].array
    array[int(where * len(array))] = _fit(array, value)
    parts.tensors[name].array = array


def _fit(array: Any, value: Any) -> Any:
    """Convert a number to the type of an array, with the bits that it has room for."""
    if array.dtype.kind == "f":
        with np.errstate(over="ignore"):
            return array.dtype.type(value)
    return np.array([value & (2**64 - 1)], np.uint64).astype(array.dtype)[0]


def _draw_nudge(rng: random.Random, parts: Parts) -> list[Any]:
    return [_draw_name(rng, parts), rng.random(), rng.choice([1, -1, 2, -2, 16, 256])]


def _nudge(parts: Parts, name: str, where: float, change: int) -> None:
    array = parts.tensors[name].array
    place = int(where * len(array))
    array[place] = _fit(array, int(array[place]) + change) if array.dtype.kind != "f" else array[place] + change
    parts.tensors[name].array = array


def _draw_fill(rng: random.Random, parts: Parts) -> list[Any]:
    name = _draw_name(rng, parts)
    return [name, _draw_number(rng, parts.tensors[name])]


def _fill(parts: Parts, name: str, value: Any) -> None:
    array = parts.tensors[name].array
    array[:] = _fit(array, value)
    parts.tensors[name].array = array


def _draw_flip(rng: random.Random, parts: Parts) -> list[Any]:
    return [_draw_name(rng, parts), [rng.random() for _ in range(rng.randrange(1, 5))], rng.randrange(8)]


def _flip(parts: Parts, name: str, places: list[float], bit: int) -> None:
    data = bytearray(parts.tensors[name].data)
    for place in places:
        data[int(place * len(data))] ^= 1 << bit
    parts.tensors[name].data = bytes(data)


def _draw_resize(rng: random.Random, parts: Parts) -> list[Any]:
    name = _draw_name(rng, parts)
    size = len(parts.tensors[name].array)
    sizes = [0, 1, size - 1, size + 1, size // 2, size * 2, rng.randrange(size + 1), _MANY]
    return [name, max(0, rng.choice(sizes))]


def _resize(parts: Parts, name: str, size: int) -> None:
    """Cut an array, or repeat it until it is long enough."""
    parts.tensors[name].array = np.resize(parts.tensors[name].array, size)


def _shuffle(parts: Parts, name: str, seed: int) -> None:
    array = parts.tensors[name].array
    np.random.default_rng(seed).shuffle(array)
    parts.tensors[name].array = array


def _arrange(parts: Parts, name: str, order: str) -> None:
    array = np.sort(parts.tensors[name].array)
    parts.tensors[name].array = array if order == "up" else array[::-1]


def _cast(parts: Parts, name: str, kind: str) -> None:
    """Read the same bytes as another type."""
    data = parts.tensors[name].data
    parts.tensors[name].array = np.frombuffer(data[: len(data) // 8 * 8], NUMPY[kind]).copy()


def _convert(parts: Parts, name: str, kind: str) -> None:
    """Write the same numbers in another type."""
    with np.errstate(invalid="ignore", over="ignore"):
        parts.tensors[name].array = parts.tensors[name].array.astype(NUMPY[kind])


def _reshape(parts: Parts, name: str, shape: list[int]) -> None:
    size = len(parts.tensors[name].array)
    parts.tensors[name].shape = [size if each == -1 else each for each in shape]


def _exchange(parts: Parts, one: str, other: str) -> None:
    parts.tensors[one], parts.tensors[other] = parts.tensors[other], parts.tensors[one]


def _duplicate(parts: Parts, source: str, target: str) -> None:
    tensor = parts.tensors[source]
    parts.tensors[target] = Tensor(tensor.kind, list(tensor.shape), tensor.data)


def _draw_pair(rng: random.Random, parts: Parts) -> list[Any]:
    return [_draw_name(rng, parts), _draw_name(rng, parts)]


def _drop(parts: Parts, name: str) -> None:
    del parts.tensors[name]


def _rename_tensor(parts: Parts, name: str, other: str) -> None:
    parts.tensors[other] = parts.tensors.pop(name)


_NAMES = ["a", "", "weights", "line.00", "line.07", "line.tokenizer", "resource.gazetteer.text", "reranker.weights",
          "exact_weights", "tag_dictionary.words", "state.weights", "best.weights", "second_weights"]  # fmt: skip
_KIND = list(NUMPY)

_OF_TENSORS = {
    "put": Move(_draw_put, _put_number),
    "put too": Move(_draw_put, _put_number),
    "nudge": Move(_draw_nudge, _nudge),
    "fill": Move(_draw_fill, _fill),
    "flip": Move(_draw_flip, _flip),
    "resize": Move(_draw_resize, _resize),
    "shuffle": Move(lambda rng, parts: [_draw_name(rng, parts), rng.randrange(1000)], _shuffle),
    "arrange": Move(lambda rng, parts: [_draw_name(rng, parts), rng.choice(["up", "down"])], _arrange),
    "cast": Move(lambda rng, parts: [_draw_name(rng, parts), rng.choice(_KIND)], _cast),
    "convert": Move(lambda rng, parts: [_draw_name(rng, parts), rng.choice(_KIND)], _convert),
    "reshape": Move(
        lambda rng, parts: [_draw_name(rng, parts), rng.choice([[-1, 1], [1, -1], [], [0], [-1, 0], [2, -1]])], _reshape
    ),
    "exchange": Move(_draw_pair, _exchange),
    "duplicate": Move(_draw_pair, _duplicate),
    "drop": Move(lambda rng, parts: [_draw_name(rng, parts)], _drop),
    "rename array": Move(lambda rng, parts: [_draw_name(rng, parts), rng.choice(_NAMES)], _rename_tensor),
    "copy array": Move(lambda rng, parts: [_draw_name(rng, parts), rng.choice(_NAMES)], _duplicate),
}

# -- the layout --------------------------------------------------------------------------------------------------------


def _draw_layout(rng: random.Random, parts: Parts) -> list[Any]:
    name = rng.choice([*parts.tensors, "__metadata__", "new"])
    entry = rng.choice(["data_offsets", "shape", "dtype", "a"])
    values = {
        "data_offsets": [
            [0, 0],
            [0, 8],
            [8, 0],
            [1, 9],
            [-8, 8],
            [0, 2**40],
            [2**63, 2**64],
            [0],
            "a",
            None,
            [0.0, 8.0],
        ],
        "shape": [[], [0], [1], [2**32, 2**32], [-1], [2**62], ["a"], None, [1.0], [1] * 1000],
        "dtype": ["BOOL", "F16", "BF16", "I8", "U64", "F64", "F8_E4M3", "", None, 1, "C64"],
        "a": [1, "a", None, {}],
    }
    return [name, entry, rng.choice(values[entry])]


def _lay_out(parts: Parts, name: str, entry: str, value: Any) -> None:
    parts.layout.append((name, entry, value))


def _append(parts: Parts, count: int) -> None:
    parts.trailer = b"\1" * count


_OF_LAYOUT = {
    "lay out": Move(_draw_layout, _lay_out),
    "append": Move(lambda rng, parts: [rng.choice([1, 8, 1000])], _append),
}

MOVES = {**_OF_HEADER, **_OF_TENSORS, **_OF_LAYOUT}
