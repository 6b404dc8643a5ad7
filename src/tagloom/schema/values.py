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
def list_fields(record: type[Any]) -> tuple[Entry, ...]:
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


def read_record(record: type[RecordT], values: object, where: str = "") -> RecordT:
    """Build a record from plain values; raises :class:`Misfit` for anything that does not fit its schema."""
    if not isinstance(values, dict):
        raise Misfit(where or "header", "an object", values)
    entries = list_fields(record)
    if values.keys() != {entry.name for entry in entries}:
        _check_names(where, entries, values)
    found = [entry for entry in entries if entry.name in values]
    return record(**{entry.name: _read_entry(entry, values[entry.name], _join(where, entry.name)) for entry in found})


def _read_entry(entry: Entry, value: object, where: str) -> Any:
    found = read_value(entry.kind, value, where, entry.field)
    restore = entry.field.restore
    return found if restore is None or found is None else restore(found)


def _join(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _check_names(where: str, entries: tuple[Entry, ...], values: Mapping[str, object]) -> None:
    for entry in entries:
        if entry.name not in values and not entry.field.may_miss:
            raise Misfit(_join(where, entry.name), "a value", Text("none"))
    for name in values:
        if all(name != entry.name for entry in entries):
            raise Misfit(where or "header", f"{len(entries)} fields", Text(f"another one, {ascii(name)[:40]}"))


def read_value(kind: Any, value: object, where: str, field: Field = _PLAIN) -> Any:
    """Build a value of a type from plain values; raises :class:`Misfit` for anything else."""
    origin = get_origin(kind)
    if kind is Any:
        return value
    if origin is Annotated:
        entry = _read_hint("", kind)
        return _read_entry(entry, value, where)
    if origin in (typing.Union, types.UnionType):
        return _read_union(get_args(kind), value, where, field)
    if origin is tuple:
        return _read_tuple(get_args(kind), value, where, field)
    if origin is list:
        return list(_read_tuple((*get_args(kind), ...), value, where, field))
    if origin is dict:
        return _read_mapping(get_args(kind)[1], value, where, field)
    if is_dataclass(kind):
        return read_record(typing.cast("type[Any]", kind), value, where)
    return _read_scalar(kind, value, where, field)


def _read_union(kinds: tuple[Any, ...], value: object, where: str, field: Field) -> Any:
    """Read the member that fits best, whose complaint is the one to show."""
    if value is None and type(None) in kinds:
        return None
    others = [kind for kind in kinds if kind is not type(None)]
    for kind in others:
        if _resembles(kind, value):
            return read_value(kind, value, where, field)
    if len(others) == 1 or any(is_dataclass(kind) for kind in others):
        return read_value(others[0], value, where, field)
    raise Misfit(where, " or ".join(_WORDS.get(kind, str(kind)) for kind in others), value)


def _resembles(kind: Any, value: object) -> bool:
    if is_dataclass(kind):
        return isinstance(value, dict) and {entry.name for entry in list_fields(kind)} == value.keys()  # type: ignore[arg-type]
    if kind is float:
        return type(value) in (int, float)
    return type(value) is (get_origin(kind) or kind)


def _read_tuple(kinds: tuple[Any, ...], value: object, where: str, field: Field) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise Misfit(where, "a list", value)
    if kinds[-1] is not ...:
        _check_count(len(value), len(kinds), len(kinds), where)
        return tuple(read_value(kind, each, f"{where}.{n}", field) for n, (kind, each) in enumerate(zip(kinds, value)))
    _check_count(len(value), field.least, field.most, where)
    return tuple(read_value(kinds[0], each, f"{where}.{n}", field) for n, each in enumerate(value))


def _read_mapping(kind: Any, value: object, where: str, field: Field) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Misfit(where, "an object", value)
    _check_count(len(value), field.least, field.most, where)
    for name in value:
        _check_text(name, where, field.length)
    return {name: read_value(kind, each, f"{where}.{name:.40}", field) for name, each in value.items()}


def _check_count(count: int, least: int, most: int, where: str) -> None:
    if not least <= count <= most:
        raise Misfit(where, f"{least:,} to {most:,} items" if least < most else f"{most:,} items", count)


#: The types of single values, as messages write them.
_WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


def _read_scalar(kind: Any, value: object, where: str, field: Field) -> Any:
    if not _resembles(kind, value):
        raise Misfit(where, describe_scalar(kind, field), value)
    if kind is str:
        _check_text(typing.cast("str", value), where, field.length)
        if field.choices and value not in field.choices:
            raise Misfit(where, describe_scalar(kind, field), value)
    elif kind is not bool:
        _check_number(kind, typing.cast("float", value), where, field)
    return value


def _check_text(text: str, where: str, length: int) -> None:
    if len(text) > length:
        raise Misfit(where, f"at most {length:,} characters", Text(f"{len(text):,}"))
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise Misfit(where, "valid Unicode", ascii(text)) from None


def _check_number(kind: type[Any], number: float, where: str, field: Field) -> None:
    low, high = _find_range(kind, field)
    if not low <= number <= high:
        raise Misfit(where, describe_scalar(kind, field), number)


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
    return f"{words} of {_write(low)} or more" if field.high is None else f"{words} from {_write(low)} to {_write(high)}"


def _write(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) and abs(number) < 10**12 else f"{number:g}"


