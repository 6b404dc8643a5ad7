"""Feature dicts taken apart one by one: the plain truth beside the native reader."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any

import numpy as np

from tagloom.errors import DataError

MOST_LEVELS = 100  # of dicts in dicts
LARGEST_VALUE = float(np.finfo(np.float32).max)


def read_items(sequences: Any) -> list[list[list[tuple[str, float]]]]:
    """Sentences of tokens of (attribute, value)."""
    if isinstance(sequences, (str, bytes, Mapping)) or not is_iterable(sequences):
        raise DataError(f"expected a list of sentences, each a list of feature dicts; got {sequences!r:.60}")
    return [read_sequence(number, sequence) for number, sequence in enumerate(sequences, 1)]


def read_sequence(number: int, sequence: Any) -> list[list[tuple[str, float]]]:
    if not is_iterable(sequence) and hasattr(sequence, "items"):
        sequence = sequence.items()
    if isinstance(sequence, (str, bytes, Mapping)) or not is_iterable(sequence):
        raise DataError(f"sentence {number}: expected a list of feature dicts, got {sequence!r:.60}")
    found = []
    for position, item in enumerate(sequence, 1):
        try:
            found.append(list(weigh_attributes(item)))
        except ValueError as error:
            raise DataError(f"sentence {number}, token {position}: {error}") from None
    return found


def weigh_attributes(item: Any, prefix: str = "", level: int = 1) -> Iterator[tuple[str, float]]:
    """The attributes of one item and their values."""
    if level > MOST_LEVELS:
        raise ValueError(f"dicts in dicts: expected at most {MOST_LEVELS} levels")
    if isinstance(item, (str, bytes)) or not is_iterable(item):
        raise ValueError(f"expected a feature dict or a list of attributes, got {item!r:.60}")
    if not isinstance(item, Mapping):
        yield from ((prefix + to_text(name), 1.0) for name in item)
        return
    for key, value in item.items():
        name = prefix + to_text(key)
        if isinstance(value, (str, bytes)):
            yield f"{name}:{to_text(value)}", 1.0
        elif isinstance(value, (Mapping, list, tuple, Set)):
            yield from weigh_attributes(value, f"{name}:", level + 1)
        else:
            yield name, to_number(name, value)


def is_iterable(value: Any) -> bool:
    try:
        iter(value)
    except TypeError:
        return False
    return True


def to_text(name: Any) -> str:
    if not isinstance(name, (str, bytes)):
        raise ValueError(f"expected the name of an attribute, got {name!r:.60}")
    try:
        text = name.decode() if isinstance(name, bytes) else str(name)
        text.encode()
    except UnicodeError:
        raise ValueError(f"expected the name of an attribute in valid Unicode, got {name!r:.60}") from None
    return text


def to_number(name: str, value: Any) -> float:
    try:
        number = float(value) if hasattr(type(value), "__float__") else float(value.__index__())
    except (TypeError, ValueError, OverflowError, AttributeError):
        expected = "a number, a string or a list"
        raise ValueError(f"attribute {name!r:.60}: expected {expected}, got {value!r:.60}") from None
    if not abs(number) <= LARGEST_VALUE:  # refuses nan as well
        raise ValueError(f"attribute {name!r:.60}: expected a finite number, got {value!r:.60}")
    return number
