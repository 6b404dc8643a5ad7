"""Edits of the arrays of a file: other numbers, types, lengths, shapes, names and offsets."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from tests.fuzz.containers import NUMPY, Move, Parts, Tensor

_MANY = 50_000
_NUMBERS = [
    0, 1, 2, 3, 7, 8, 9, 31, 63, 64, 100, 255, 256, 1000, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53,
    2**62, 2**63 - 1, 2**63, 2**64 - 1, -1, -2, -(2**31), -(2**63),
]  # fmt: skip
_REALS = [0.0, -0.0, 1.0, -1.0, 1e-45, 1e-38, 1e9, 1e30, 3e38, -3e38, 1e300, float("nan"), float("inf"), -float("inf")]
_NAMES = [
    "a", "", "weights", "line.00", "line.07", "line.tokenizer", "resource.gazetteer.text", "reranker.weights",
    "exact_weights", "tag_dictionary.words", "state.weights", "best.weights", "second_weights",
]  # fmt: skip
_KINDS = list(NUMPY)


def _draw_name(rng: random.Random, parts: Parts) -> str:
    return rng.choice(list(parts.tensors))


def _draw_number(rng: random.Random, tensor: Tensor) -> Any:
    if tensor.kind.startswith("F"):
        return rng.choice(_REALS)
    size = len(tensor.data) // np.dtype(NUMPY[tensor.kind]).itemsize
    return rng.choice([*_NUMBERS, size, size - 1, size + 1])


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


ARRAY_MOVES = {
    "put": Move(_draw_put, _put_number, weight=2),
    "nudge": Move(_draw_nudge, _nudge),
    "fill": Move(_draw_fill, _fill),
    "flip": Move(_draw_flip, _flip),
    "resize": Move(_draw_resize, _resize),
    "shuffle": Move(lambda rng, parts: [_draw_name(rng, parts), rng.randrange(1000)], _shuffle),
    "arrange": Move(lambda rng, parts: [_draw_name(rng, parts), rng.choice(["up", "down"])], _arrange),
    "cast": Move(lambda rng, parts: [_draw_name(rng, parts), rng.choice(_KINDS)], _cast),
    "convert": Move(lambda rng, parts: [_draw_name(rng, parts), rng.choice(_KINDS)], _convert),
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


LAYOUT_MOVES = {
    "lay out": Move(_draw_layout, _lay_out),
    "append": Move(lambda rng, parts: [rng.choice([1, 8, 1000])], _append),
}
