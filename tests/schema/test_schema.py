"""Schemas: exact types, limits, names, arrays that agree; and a page that lists all of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest

from tagloom.features.resources import KINDS
from tagloom.files.checkpoint import CheckpointHeader
from tagloom.schema import (
    Array,
    Field,
    Layout,
    Misfit,
    OneOf,
    describe_names,
    describe_strings,
    list_fields,
    parse_json,
    read_record,
)
from tagloom.systems.file import LINE_LAYOUT, ModelHeader
from tagloom.systems.registry import SYSTEMS
from tagloom.systems.tagger.spec import TaggerSpec

PAGE = Path(__file__).parents[2] / "docs" / "model-format.md"


@dataclass(frozen=True)
class Inner:
    number: Annotated[int, Field(low=1, high=3)]


@dataclass(frozen=True)
class Record:
    name: Annotated[str, Field(length=5)]
    kind: Annotated[str, Field(choices=("a", "b"))]
    ratio: Annotated[float | None, Field(low=0)]
    flag: bool
    items: Annotated[tuple[Inner, ...], Field(least=1, most=2)]
    pairs: dict[str, float | str]
    row: tuple[int, float]
    extra: Annotated[int, Field(may_miss=True)] = 7


GOOD: dict[str, Any] = {"name": "n", "kind": "a", "ratio": 1, "flag": True, "items": [{"number": 2}],
                        "pairs": {"x": 1.5, "y": "z"}, "row": [1, 2.5]}  # fmt: skip


def test_a_record_is_built_of_its_types() -> None:
    assert read_record(Record, GOOD) == Record("n", "a", 1, True, (Inner(2),), {"x": 1.5, "y": "z"}, (1, 2.5))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": 5}, "spec.name: expected a text, found 5"),
        ({"name": "longer"}, "spec.name: expected at most 5 characters, found 6"),
        ({"name": "\ud800"}, "spec.name: expected valid Unicode"),
        ({"kind": "c"}, "spec.kind: expected one of a, b, found 'c'"),
        ({"ratio": True}, "spec.ratio: expected a number of 0 or more, found True"),
        ({"ratio": -0.5}, "spec.ratio: expected a number of 0 or more, found -0.5"),
        ({"ratio": float("nan")}, "spec.ratio: expected a number"),
        ({"ratio": 10**400}, "spec.ratio: expected a number of 0 or more, found a number of more than 100 bits"),
        ({"flag": 1}, "spec.flag: expected true or false, found 1"),
        ({"items": []}, "spec.items: expected 1 to 2 items, found 0"),
        ({"items": [{"number": 2}, {"number": 4}]}, "spec.items.1.number: expected a whole number from 1 to 3"),
        ({"items": [{"number": 2.0}]}, "spec.items.0.number: expected a whole number from 1 to 3, found 2.0"),
        ({"items": [{}]}, "spec.items.0.number: expected a value, found none"),
        ({"items": {}}, "spec.items: expected a list, found an object of 0"),
        ({"pairs": {"x": None}}, "spec.pairs.x: expected a number or a text, found None"),
        ({"row": [1]}, "spec.row: expected a list of 2, found a list of 1"),
        ({"more": 1}, "spec: expected 8 fields, found another one, 'more'"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_told(change: dict[str, Any], message: str) -> None:
    with pytest.raises(Misfit) as error:
        read_record(Record, {**GOOD, **change}, "spec")
    assert str(error.value).startswith(message)
    assert len(str(error.value)) < 200


@pytest.mark.parametrize("text", ["NaN", "[1, Infinity]", "[" * 100_000, "{", "", "1" * 5000])
def test_json_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(Misfit):
        parse_json(text, "header")


LAYOUT = Layout(
    (
        Array("keys", "U64", "F", "", increases=True),
        Array("offsets", "I64", "F + 1", "", cuts="E"),
        Array("pairs", "U8 U16", "E", "", below="F"),
        Array("numbers", "F32", "2", "", low=-1, high=1, is_needed=False),
        OneOf((Layout((Array("a", "U8", "", ""),)), Layout((Array("b", "U8", "", ""),)))),
        describe_names("names.", "F", "Names"),
        describe_strings("labels", "L", "Labels", is_needed=False),
    )
)


def arrays(**changes: Any) -> dict[str, Any]:
    found = {
        "keys": np.array([1, 5], np.uint64), "offsets": np.array([0, 1, 3]), "pairs": np.array([0, 1, 1], np.uint16),
        "b": np.zeros(1, np.uint8), "names.text": np.frombuffer("aé".encode(), np.uint8),
        "names.lengths": np.array([1, 2], np.uint8), "names.parts": np.array([0, 1, 1], np.uint8),
        "names.counts": np.array([1, 2], np.uint8),
    }  # fmt: skip
    renamed = {name.replace("_", "."): value for name, value in changes.items()}
    return {name: array for name, array in {**found, **renamed}.items() if array is not None}


def test_arrays_that_fit() -> None:
    LAYOUT.check_all(arrays())
    LAYOUT.check_all(arrays(numbers=np.array([-1, 1], np.float32)))
    without = {f"names_{name}": None for name in ("text", "lengths", "parts", "counts")}
    LAYOUT.check_all(arrays(**without))


@pytest.mark.parametrize(
    "changes",
    [
        {"keys": np.array([5, 1], np.uint64)},
        {"keys": np.array([1, 5])},
        {"keys": np.array([1], np.uint64)},
        {"keys": None},
        {"offsets": np.array([0, 3])},
        {"offsets": np.array([1, 1, 3])},
        {"offsets": np.array([0, 4, 3])},
        {"offsets": np.array([0, 1, 2])},
        {"offsets": np.array([], np.int64)},
        {"pairs": np.array([0, 1, 2], np.uint8)},
        {"pairs": np.array([0, 1, 1], np.uint32)},
        {"numbers": np.array([0, 1.5], np.float32)},
        {"numbers": np.array([0], np.float32)},
        {"b": None},
        {"b": None, "c": np.zeros(1, np.uint8)},
        {"a": np.zeros(1, np.uint8)},
        {"names_text": None},
        {"names_text": np.array([97, 0xC3, 0xC3], np.uint8)},
        {"names_lengths": np.array([2, 1], np.uint8)},
        {"names_lengths": np.array([1, 3], np.uint8)},
        {"names_parts": np.array([0, 1, 2], np.uint8)},
        {"labels_text": np.zeros(1, np.uint8)},
        {"other": np.zeros(1)},
    ],
)
def test_arrays_that_do_not_fit_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(Misfit):
        LAYOUT.check_all(arrays(**changes))


# -- the page ----------------------------------------------------------------------------------------------------------


def test_the_page_has_every_field_and_every_array() -> None:
    cells = set(re.findall(r"^\| `([^`]+)`", PAGE.read_text(encoding="utf-8"), re.M))
    models = [row.load_model() for row in SYSTEMS.values() if row.load_model().layout is not None]
    assert len(models) >= 5
    records = (ModelHeader, CheckpointHeader, TaggerSpec)
    assert {entry.name for record in records for entry in list_fields(record)} <= cells
    names = {name for model in models for name in model.layout.names}
    names |= {f"resource.{key}.{name}" for key, kind in KINDS.items() for name in kind.type.layout.names}
    assert names <= cells
    assert LINE_LAYOUT.names[0] in cells
