"""Arguments of public functions, checked once: at the door, by the types that the functions declare.

``@check_arguments`` stands before a public function, ``@check_methods`` before a class whose public methods and
constructor are called by users. A value that cannot have the declared type is refused with one line before anything is
done. That check looks at the value itself and costs less than a microsecond. What is inside containers is looked at
only if the call fails: then the first argument that does not fit to its core explains the failure. If all arguments
fit, the exception is passed on as it is.

- Data (``Any``, or containers of ``object``) is checked by what reads it.
- Exceptions of the caller's own objects (an ``__iter__`` that raises, a callback) pass through unchanged.
- A missing argument or an unknown keyword is Python's own TypeError, which names it.
"""

from __future__ import annotations

import collections.abc as abc
import functools
import inspect
import math
import numbers
import os
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ParamSpec, TypeVar

import numpy as np

from tagloom.errors import ConfigError, TagloomError

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)

_UNITS = 80  # characters of a value in a message
_WIDEST = 1 << 63  # whole numbers are at most this wide
_MOST_ELEMENTS = 100_000  # of a container that are looked at after a failure
_SYNTAX = ("__init__", "__call__", "__getitem__")


def check_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Check the arguments of a function by its annotations.

    >>> @check_arguments
    ... def repeat(word: str, times: int = 2) -> str:
    ...     return word * times
    >>> repeat("a", times="3")
    Traceback (most recent call last):
    tagloom.errors.ConfigError: repeat: times: expected a whole number, got '3'
    """
    door: list[_Door] = []  # made by the first call, because annotations may name what is defined further down

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        if not door:
            door.append(_Door(function))
        door[0].check(args, kwargs)
        try:
            return function(*args, **kwargs)
        except TagloomError:
            raise
        except Exception:
            door[0].explain(args, kwargs)
            raise

    return checked


def check_methods(*leave_out: str) -> Callable[[C], C]:
    """Check the arguments of the public methods of a class, and of its constructor.

    Args:
        *leave_out: Methods that take a few microseconds, and check what they are given themselves.
    """

    def decorate(cls: C) -> C:
        for name, value in list(vars(cls).items()):
            if name in leave_out or (name.startswith("_") and name not in _SYNTAX):
                continue
            if isinstance(value, (classmethod, staticmethod)):
                setattr(cls, name, type(value)(check_arguments(value.__func__)))
            elif isinstance(value, types.FunctionType) and _has_parameters(value):
                setattr(cls, name, check_arguments(value))
        return cls

    return decorate


def _has_parameters(method: types.FunctionType) -> bool:
    return method.__code__.co_argcount + method.__code__.co_kwonlyargcount > 1


def show_value(value: object) -> str:
    """Write a value for a message: short, and whatever it is.

    >>> show_value(10**5000), show_value("x" * 1000)[-4:]
    ('a whole number of 16610 bits', 'x...')
    """
    if isinstance(value, int) and value.bit_length() > _UNITS * 3:
        return f"a whole number of {value.bit_length()} bits"  # Python writes no longer ones
    try:
        text = repr(value[:_UNITS] if isinstance(value, (str, bytes)) else value)
    except (ValueError, RecursionError):  # such numbers, or loops, inside
        text = f"a {type(value).__name__}"
    return text if len(text) <= _UNITS else f"{text[:_UNITS]}..."


class Kind(typing.NamedTuple):
    """What a declared type asks of a value."""

    fits: Callable[[Any], bool]  # whether the value itself may have the type
    holds: Callable[[Any], bool]  # whether everything inside has it, too
    words: str


class _Door:
    """The checks of one function."""

    def __init__(self, function: Callable[..., object]) -> None:
        self.name = function.__name__ if function.__name__ != "__init__" else function.__qualname__.split(".")[-2]
        self.kinds = dict(_read_kinds(function))
        parameters = inspect.signature(function).parameters.values()
        self.order = [self.kinds.get(each.name) for each in parameters if each.kind is not each.KEYWORD_ONLY]
        self.names = [each.name for each in parameters]

    def check(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> None:
        """Refuse values that cannot have the declared types."""
        for value, kind in zip(args, self.order):
            if kind is not None and not kind.fits(value):
                self.refuse(args, kwargs, "fits")
        for name, value in kwargs.items():
            if name in self.kinds and not self.kinds[name].fits(value):
                self.refuse(args, kwargs, "fits")

    def explain(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> None:
        """Refuse values that hold something that does not fit, after a call has failed."""
        self.refuse(args, kwargs, "holds")

    def refuse(self, args: tuple[object, ...], kwargs: Mapping[str, object], test: str) -> None:
        """Raise ConfigError for the first argument that does not pass a test."""
        for name, value in [*zip(self.names, args), *kwargs.items()]:
            kind = self.kinds.get(name)
            if kind is not None and not getattr(kind, test)(value):
                raise ConfigError(f"{self.name}: {name}: expected {kind.words}, got {show_value(value)}") from None


def _read_kinds(function: Callable[..., object]) -> Iterator[tuple[str, Kind]]:
    """Read the annotations of parameters. Names that only type checkers import are taken for anything."""
    for parameter in inspect.signature(function).parameters.values():
        annotation = parameter.annotation
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) or annotation is parameter.empty:
            continue
        try:
            hint = eval(annotation, function.__globals__) if isinstance(annotation, str) else annotation  # type: ignore[attr-defined]
        except (NameError, TypeError, AttributeError):
            continue
        kind = _read_kind(hint)
        if kind is not None:
            yield parameter.name, kind


def _read_kind(hint: Any) -> Kind | None:
    """What a type asks of values; None if any value will do."""
    origin, inside = typing.get_origin(hint) or hint, typing.get_args(hint)
    if origin is typing.Annotated:
        return _read_kind(inside[0])
    if origin in (typing.Union, types.UnionType):
        return _join([_read_kind(each) for each in inside])
    if origin is typing.Literal:
        return Kind(lambda value: value in inside, _anything, " or ".join(map(repr, inside)))
    if origin in _PLAIN:
        return _PLAIN[origin]
    if origin is np.ndarray:
        return _read_array(inside)
    if origin in _CONTAINERS:
        return _read_container(origin, inside)
    if not isinstance(origin, type) or getattr(origin, "_is_protocol", False):
        return None
    return Kind(lambda value: isinstance(value, origin), _anything, f"a {origin.__name__}")


def _join(kinds: list[Kind | None]) -> Kind | None:
    known = [kind for kind in kinds if kind is not None]
    if len(known) < len(kinds):
        return None
    if _PATH in known:
        known = [_PATH_TEXT if kind is _TEXT else kind for kind in known]
    return Kind(
        lambda value: any(kind.fits(value) for kind in known),
        lambda value: any(kind.fits(value) and kind.holds(value) for kind in known),
        " or ".join(dict.fromkeys(kind.words for kind in known)),
    )


def _read_array(inside: tuple[Any, ...]) -> Kind:
    """An array of one dimension; its type says which numbers."""
    scalar = (typing.get_args(inside[1]) or (np.generic,))[0] if len(inside) > 1 else np.generic
    letters, words = next((row[1:] for row in _ARRAYS if scalar in row[0]), ("", "an array"))
    return Kind(
        lambda value: isinstance(value, np.ndarray) and (not letters or value.dtype.kind in letters), _anything, words
    )


def _read_container(origin: Any, inside: tuple[Any, ...]) -> Kind | None:
    if origin is abc.Callable:
        return Kind(callable, _anything, "a function")
    elements = [None if each is ... else _read_kind(each) for each in inside]
    if origin is not abc.Mapping and (not elements or elements[0] is None) and origin is not tuple:
        return None  # data, which its reader checks
    if origin is abc.Mapping:
        return Kind(lambda value: isinstance(value, abc.Mapping), lambda value: _holds_pairs(value, elements), "a dict")
    words = f"a list ({elements[0].words} each)" if elements[0] is not None else "a tuple"
    return Kind(lambda value: _is_collection(value, origin), lambda value: _holds_all(value, elements[0]), words)


def _is_collection(value: object, origin: Any) -> bool:
    if isinstance(value, (str, bytes, bytearray)):
        return False
    if origin in (abc.Iterable, abc.Collection):
        return isinstance(value, origin)
    return isinstance(value, (abc.Sequence, np.ndarray)) and not isinstance(value, memoryview)


def _holds_all(values: Any, kind: Kind | None) -> bool:
    if kind is None or isinstance(values, abc.Iterator) or len(values) > _MOST_ELEMENTS:
        return True
    return all(kind.fits(each) and kind.holds(each) for each in values)


def _holds_pairs(values: Mapping[Any, Any], kinds: list[Kind | None]) -> bool:
    pairs = zip(kinds, (values.keys(), values.values()))
    return all(kind is None or (kind.fits(each) and kind.holds(each)) for kind, part in pairs for each in part)


def _anything(_: object) -> bool:
    return True


def _is_whole(value: object) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool) and -_WIDEST <= value < _WIDEST


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and not math.isnan(value)


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_path(value: Any) -> bool:
    try:
        return b"\0" not in os.fsencode(value)
    except (TypeError, ValueError):
        return False


def _is_stream(value: object) -> bool:
    return hasattr(value, "read") or hasattr(value, "write")


_TEXT = Kind(lambda value: isinstance(value, str), _is_text, "a str of valid Unicode")
_PATH = Kind(lambda value: isinstance(value, os.PathLike), _is_path, "a path")
_PATH_TEXT = Kind(_TEXT.fits, _is_path, "a path")
_PLAIN: dict[Any, Kind] = {
    type(None): Kind(lambda value: value is None, _anything, "None"),
    None: Kind(lambda value: value is None, _anything, "None"),
    str: _TEXT,
    bytes: Kind(lambda value: isinstance(value, bytes), _anything, "bytes"),
    bool: Kind(lambda value: isinstance(value, (bool, np.bool_)), _anything, "True or False"),
    int: Kind(_is_whole, _anything, "a whole number"),
    float: Kind(_is_number, _anything, "a number"),
    os.PathLike: _PATH,
    typing.IO: Kind(_is_stream, _anything, "a stream"),
}
_PLAIN |= dict.fromkeys((Any, object, typing.Hashable), None)  # type: ignore[arg-type]
_ARRAYS = (
    ((np.int8, np.int32, np.int64, np.uint8, np.uint32, np.uint64), "iu", "an array of whole numbers"),
    ((np.float32, np.float64), "fiu", "an array of numbers"),
    ((np.bool_,), "b", "an array of True and False"),
)
_CONTAINERS = (abc.Sequence, abc.Iterable, abc.Collection, abc.Mapping, abc.Callable, list, tuple, dict, set, frozenset)
