"""Schemas of JSON: a record is a dataclass, and the annotations of its fields say which values may stand for it.

::

    seed: Annotated[int, Field("Seed of the training.", low=0)]
    columns: Annotated[tuple[str, ...], Field("Names of the columns.", least=1, most=1000)]

Types are exact: true is no number, and 1.0 is no whole number. Every field must be there, and no other. Numbers are
finite, and texts can be written as UTF-8. What comes back is built of the declared types: tuples, records, unions.
"""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, NoReturn, TypeVar, get_args, get_origin

from tagloom.schema import limits
from tagloom.schema.misfit import Misfit, Text

RecordT = TypeVar("RecordT")


@dataclass(frozen=True)
class Field:
    """What there is to say about a field beside its name and type. Limits hold for all values inside it."""

    help: str = ""
    low: float | None = None  # least value of a number
    high: float | None = None  # largest value of a number
    least: int = 0  # number of items of a list or object
    most: int = limits.MOST_RECORDS
    length: int = limits.LONGEST_NAME  # most characters of a text
    choices: Collection[str] = ()  # accepted texts; if empty, any text
    may_miss: bool = False  # the field has a default, which stands for no value
    stored: Any = None  # the type that the file holds, if it is not that of the field
    restore: Callable[[Any], Any] | None = None  # from that type to that of the field


_PLAIN = Field()


@dataclass(frozen=True)
class Entry:
    """One field of a record: its name, the type that a file holds, and its limits."""

    name: str
    kind: Any
    field: Field


@cache
def list_fields(record: Any) -> tuple[Entry, ...]:
    """List the fields of a record that a file holds."""
    hints = typing.get_type_hints(record, include_extras=True)
    return tuple(_read_hint(each.name, hints[each.name]) for each in fields(record))


def _read_hint(name: str, hint: Any) -> Entry:
    if get_origin(hint) is not Annotated:
        return Entry(name, hint, _PLAIN)
    kind, *rest = get_args(hint)
    found = next((each for each in rest if isinstance(each, Field)), _PLAIN)
    return Entry(name, found.stored or kind, found)


def parse_json(text: str, where: str) -> Any:
    """Parse JSON; NaN, infinity, and what is nested too deeply are refused."""
    try:
        return json.loads(text, parse_constant=lambda name: _refuse_number(where, name))
    except RecursionError:
        raise Misfit(where, "JSON", Text("lists within lists without end")) from None
    except Misfit:
        raise
    except ValueError as error:
        raise Misfit(where, "JSON", Text(str(error)[:60])) from None


def _refuse_number(where: str, name: str) -> NoReturn:
    raise Misfit(where, "finite numbers", Text(name))


#: Builds a value of a type from plain values; raises :class:`Misfit`, which says where inside the value.
_Reader = Callable[[Any], Any]


def read_record(record: type[RecordT], values: object, where: str = "") -> RecordT:
    """Build a record from plain values; raises :class:`Misfit` for anything that does not fit its schema."""
    try:
        return typing.cast("RecordT", _build_record_reader(typing.cast("Any", record))(values))
    except Misfit as error:
        raise error.move_into(where) if where else error from None


def read_value(kind: Any, value: object, where: str, field: Field = _PLAIN) -> Any:
    """Build a value of a type from plain values; raises :class:`Misfit` for anything else."""
    try:
        return _build_reader(kind, field)(value)
    except Misfit as error:
        raise error.move_into(where) from None


def _build_reader(kind: Any, field: Field) -> _Reader:
    """Build the reader of a type. Readers of records are built once, so that reading follows no annotations."""
    origin = get_origin(kind)
    if kind is Any:
        return lambda value: value
    if origin is Annotated:
        return _build_entry_reader(_read_hint("", kind))
    if origin in (typing.Union, types.UnionType):
        return _build_union_reader(get_args(kind), field)
    if origin is tuple and get_args(kind)[-1] is not ...:
        return _build_row_reader(get_args(kind), field)
    if origin in (tuple, list):
        return _build_list_reader(origin, get_args(kind)[0], field)
    if origin is dict:
        return _build_mapping_reader(get_args(kind)[1], field)
    if is_dataclass(kind):
        return _build_record_reader(typing.cast("Any", kind))
    return _build_scalar_reader(kind, field)


@cache
def _build_record_reader(record: Any) -> _Reader:
    entries = list_fields(record)
    readers = {entry.name: _build_entry_reader(entry) for entry in entries}

    def read(values: Any) -> Any:
        if type(values) is not dict:
            raise Misfit("", "an object", values)
        if values.keys() != readers.keys():
            _check_names(entries, values)
        try:
            found = {name: readers[name](value) for name, value in values.items()}
        except Misfit:
            _refuse_field(readers, values)
        return record(**found)

    return read


def _refuse_field(readers: Mapping[str, _Reader], values: Mapping[str, Any]) -> NoReturn:
    """Find the field that does not fit, one by one: only those who are refused wait for its name."""
    for name, value in values.items():
        try:
            readers[name](value)
        except Misfit as error:
            raise error.move_into(ascii(name[:40])[1:-1]) from None
    raise AssertionError("all fields fit")


def _check_names(entries: tuple[Entry, ...], values: Mapping[str, object]) -> None:
    for entry in entries:
        if entry.name not in values and not entry.field.may_miss:
            raise Misfit(entry.name, "a value", Text("none"))
    for name in values:
        if all(name != entry.name for entry in entries):
            raise Misfit("", f"{len(entries)} fields", Text(f"another one, {ascii(name)[:40]}"))


def _build_entry_reader(entry: Entry) -> _Reader:
    read, restore = _build_reader(entry.kind, entry.field), entry.field.restore
    if restore is None:
        return read
    return lambda value: None if (found := read(value)) is None else restore(found)


def _build_union_reader(kinds: tuple[Any, ...], field: Field) -> _Reader:
    """Read the member that resembles a value; if none does, the first one complains."""
    others = [kind for kind in kinds if kind is not type(None)]
    readers = [(_build_test(kind), _build_reader(kind, field)) for kind in others]
    has_none = len(others) < len(kinds)
    if len(readers) == 1:
        only = readers[0][1]
        return lambda value: None if value is None and has_none else only(value)

    def read(value: Any) -> Any:
        if value is None and has_none:
            return None
        for resembles, reader in readers:
            if resembles(value):
                return reader(value)
        if is_dataclass(others[0]):
            return readers[0][1](value)
        raise Misfit("", " or ".join(_WORDS.get(kind, str(kind)) for kind in others), value)

    return read


def _build_test(kind: Any) -> Callable[[Any], bool]:
    """Build the test whether a value is meant to be of a type: its kind of JSON, and the names of its fields."""
    if is_dataclass(kind):
        names = {entry.name for entry in list_fields(typing.cast("Any", kind))}
        return lambda value: type(value) is dict and value.keys() == names
    kinds = (int, float) if kind is float else (get_origin(kind) or kind,)
    return lambda value: type(value) in kinds


def _build_row_reader(kinds: tuple[Any, ...], field: Field) -> _Reader:
    """Build the reader of a list of a fixed length, whose items have types of their own."""
    readers = [_build_reader(kind, field) for kind in kinds]

    def read(value: Any) -> tuple[Any, ...]:
        if type(value) is not list or len(value) != len(readers):
            raise Misfit("", f"a list of {len(readers)}", value)
        return tuple([reader(each) for reader, each in zip(readers, value)])

    return read


def _build_list_reader(origin: Any, kind: Any, field: Field) -> _Reader:
    reader = _build_reader(kind, field)

    def read(value: Any) -> Any:
        if type(value) is not list:
            raise Misfit("", "a list", value)
        _check_count(len(value), field)
        try:
            return origin([reader(each) for each in value])
        except Misfit:
            numbered = {str(number): each for number, each in enumerate(value)}
            _refuse_field(dict.fromkeys(numbered, reader), numbered)

    return read


def _build_mapping_reader(kind: Any, field: Field) -> _Reader:
    reader = _build_reader(kind, field)

    def read(value: Any) -> dict[str, Any]:
        if type(value) is not dict:
            raise Misfit("", "an object", value)
        _check_count(len(value), field)
        for name in value:
            _check_text(name, field.length)
        try:
            return {name: reader(each) for name, each in value.items()}
        except Misfit:
            _refuse_field(dict.fromkeys(value, reader), value)

    return read


def _check_count(count: int, field: Field) -> None:
    if not field.least <= count <= field.most:
        raise Misfit("", f"{field.least:,} to {field.most:,} items", count)


#: The types of single values, as messages write them.
_WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


def _build_scalar_reader(kind: Any, field: Field) -> _Reader:
    low, high = _find_range(kind, field)
    length, choices = field.length, field.choices
    kinds = (int, float) if kind is float else (kind,)

    def read_text(value: Any) -> Any:
        if type(value) is not str or (choices and value not in choices):
            raise Misfit("", describe_scalar(kind, field), value)
        if len(value) > length or not value.isascii():
            _check_text(value, length)
        return value

    def read_number(value: Any) -> Any:
        if type(value) not in kinds or not low <= value <= high:
            raise Misfit("", describe_scalar(kind, field), value)
        return value

    return read_text if kind is str else read_number


def _check_text(text: str, length: int) -> None:
    if len(text) > length:
        raise Misfit("", f"at most {length:,} characters", Text(f"{len(text):,}"))
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise Misfit("", "valid Unicode", ascii(text)) from None


def _find_range(kind: type[Any], field: Field) -> tuple[float, float]:
    most = limits.LARGEST_COUNT if kind is int else 1.7e308
    return -most if field.low is None else field.low, most if field.high is None else field.high


def describe_scalar(kind: Any, field: Field) -> str:
    """Say in words which single values fit a type and its limits."""
    words = _WORDS.get(kind, str(kind))
    if kind is str and field.choices:
        return f"one of {', '.join(field.choices)}"
    if kind not in (int, float) or (field.low is None and field.high is None):
        return words
    low, high = _find_range(kind, field)
    if field.low is None:
        return f"{words} of at most {_write(high)}"
    return (
        f"{words} of {_write(low)} or more" if field.high is None else f"{words} from {_write(low)} to {_write(high)}"
    )


def _write(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) and abs(number) < 10**12 else f"{number:g}"
