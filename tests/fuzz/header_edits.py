"""Edits of the JSON object of a file: values of other types, extreme ones, fields that are gone, new or exchanged."""

from __future__ import annotations

import random
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from tests.fuzz.containers import JsonText, Move, Parts, Unquoted
from tests.fuzz.mutate import mutate

Path = list[Any]  # keys and places that lead to a value of the header; "json" opens a text

_MANY = 50_000
#: Values that readers do not expect. Those with "$" are written out by _build_value.
VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2, 3, 7, 100, 255, 256, 65535, 65536, 2**31 - 1, 2**31, -(2**31), 2**32, 2**53, 2**63,
    -(2**63), 2**64, 10**30, 0.0, -0.0, 0.5, 1.5, -1.0, 1e-320, 1e-9, 1e9, 1e38, 1e308, -1e308, "", "a", " ", "\n", "0",
    "a b", "form", "label", "\0", "\ud800", "\x1b[31m", "\u2028", "é", "../x", "/dev/zero", "None", "-", "_", "O",
    "B-X", [], {}, [[]], [None], [0], ["a"], ["a", "a"], [["a", "b"]], [1, 2, 3], {"a": 1}, {"": ""}, {"a": {}},
    {"0": []}, {"$text": "1e999"}, {"$text": "-1e999"}, {"$text": "NaN"}, {"$text": "Infinity"}, {"$text": "1" * 5000},
    {"$deep": 100}, {"$deep": 900}, {"$deep": _MANY}, {"$long": "a"}, {"$long": "9"}, {"$long": "a "}, {"$many": 0},
    {"$many": ""}, {"$many": "a"}, {"$many": []}, {"$many": {}}, {"$keys": 0}, {"$keys": "a"},
]  # fmt: skip
_PIECES = [
    "[0]", "[-1]", "[{-2..2}]", "{1..4}", " ", "\n", "form", "pos", "/ edge", "9", "9" * 30, "-", ",", "é", "\ud800",
    "#", "\t", "=", ":", "|", "B-", "I-", "O", "_", "+", "$", "suffix3", "bias", "\0", "\x85", "s0.", "q0",
]  # fmt: skip
_NUMBERS = [
    0,
    1,
    2,
    7,
    64,
    100,
    1000,
    65536,
    2**31 - 1,
    2**31,
    2**32,
    2**53,
    2**63,
    2**64 - 1,
    -1,
    -2,
    -(2**31),
    -(2**63),
]
_REALS = [0.0, -0.0, 1.0, -1.0, 1e-45, 1e-38, 1e9, 1e30, 3e38, -3e38, 1e300]
_FIELDS = ["a", "", "0", "spec", "form", "label", "system", "resources", "checksums", "__class__", "tokenizer", "name"]


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
    """Write out values that would be too long to be kept; others are copied, because a later edit may change them."""
    if not (isinstance(value, dict) and len(value) == 1):
        return deepcopy(value)
    [(kind, content)] = value.items()
    builders: dict[str, Callable[[], Any]] = {
        "$text": lambda: Unquoted(content),
        "$deep": lambda: Unquoted("[" * content + "]" * content),
        "$long": lambda: content * _MANY,
        "$many": lambda: [content] * _MANY,
        "$keys": lambda: {str(number): content for number in range(_MANY // 10)},
    }
    return builders[kind]() if kind in builders else deepcopy(value)


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
        return mutate(rng, old, _PIECES) if len(old) < 10_000 else old[: rng.randrange(100)]
    if type(old) is bool:
        return not old
    if isinstance(old, int):
        return rng.choice([old + 1, old - 1, old * 2, -old, old * 1000, float(old), str(old), rng.choice(_NUMBERS)])
    if isinstance(old, float):
        return rng.choice([-old, old * 2, 1 / old if old else 1, int(old), old * 1e30, rng.choice(_REALS)])
    return rng.choice(VALUES)


def _set(parts: Parts, path: Path, value: Any) -> None:
    _get(parts.header, path)  # only what is there is replaced
    _put(parts.header, path, _build_value(value))


def _remove(parts: Parts, path: Path) -> None:
    del _get(parts.header, path[:-1])[path[-1]]


def _draw_add(rng: random.Random, parts: Parts) -> list[Any]:
    key = rng.choice(_FIELDS)
    return [_draw_path(rng, parts)[:-1], key, rng.choice(VALUES)]


def _add(parts: Parts, path: Path, key: str, value: Any) -> None:
    owner = _get(parts.header, path)
    if isinstance(owner, list):
        owner.append(_build_value(value))
    elif isinstance(owner, dict):
        owner[key] = _build_value(value)


def _copy(parts: Parts, source: Path, target: Path) -> None:
    if target[: len(source)] != source and source[: len(target)] != target:
        _put(parts.header, target, deepcopy(_get(parts.header, source)))


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


HEADER_MOVES = {
    "set": Move(_draw_set, _set, weight=2),
    "remove": Move(lambda rng, parts: [_draw_path(rng, parts)], _remove),
    "add": Move(_draw_add, _add),
    "copy": Move(lambda rng, parts: [_draw_path(rng, parts), _draw_path(rng, parts)], _copy),
    "swap": Move(lambda rng, parts: [_draw_path(rng, parts), _draw_path(rng, parts)], _swap),
    "rename": Move(lambda rng, parts: [_draw_path(rng, parts), rng.choice(_FIELDS)], _rename),
    "repeat": Move(lambda rng, parts: [_draw_path(rng, parts), rng.choice([0, 2, 100, 10_000])], _repeat),
}
