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

import builtins
import collections
import collections.abc as abc
import functools
import inspect
import itertools
import math
import numbers
import os
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ParamSpec, TypeGuard, TypeVar

import numpy as np

from tagloom.errors import ConfigError, TagloomError, show_value

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)

_WIDEST = 1 << 65  # whole numbers are at most this wide
_FIRST = 16  # elements of a list that are looked at in any case
_MOST_ELEMENTS = 100_000  # of a container that are looked at after a failure
_SYNTAX = ("__init__", "__call__", "__getitem__")  # special methods that users call
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def check_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Check the arguments of a function by its annotations.

    >>> @check_arguments
    ... def repeat(word: str, times: int = 2) -> str:
    ...     return word * times
    >>> repeat("a", times="3")
    Traceback (most recent call last):
    tagloom.errors.ConfigError: repeat: times: expected a whole number, got '3'
    """
    read_door = functools.cache(lambda: _Door(function))  # when first needed: annotations may name what comes later

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        read_door().check(args, kwargs)
        try:
            return function(*args, **kwargs)
        except TagloomError:
            raise
        except Exception as error:
            read_door().explain(args, kwargs, error)
            raise

    return checked


def explain_failures(function: Callable[P, R]) -> Callable[P, R]:
    """Look at the arguments of a function only if it fails: for functions that take a few microseconds."""

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except TagloomError:
            raise
        except Exception as error:
            _Door(function).explain(args, kwargs, error)
            raise

    return checked


def check_methods(*quick: str) -> Callable[[C], C]:
    """Check the arguments of the public methods of a class, and of its constructor.

    Args:
        *quick: Methods that take a few microseconds, so that their arguments are looked at only if they fail.
    """

    def decorate(cls: C) -> C:
        for name, value in list(vars(cls).items()):
            check = explain_failures if name in quick else check_arguments
            if name.startswith("_") and name not in _SYNTAX:
                continue
            if isinstance(value, (classmethod, staticmethod)):
                setattr(cls, name, type(value)(check(value.__func__)))
            elif isinstance(value, types.FunctionType) and _has_parameters(value):
                setattr(cls, name, check(value))
        return cls

    return decorate


def _has_parameters(method: types.FunctionType) -> bool:
    code = method.__code__
    return code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & inspect.CO_VARARGS) > 1


class Kind(typing.NamedTuple):
    """What a declared type asks of a value."""

    fits: Callable[[Any], bool]  # whether the value itself may have the type
    holds: Callable[[Any], bool]  # whether everything inside has it, too
    words: str
    is_place: bool = False  # whether it may say where something stands


class _Door:
    """The checks of one function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        names = function.__qualname__.split(".")
        self.name = names[-2] if names[-1] == "__init__" else names[-1]
        self.kinds = dict(_read_kinds(function))
        parameters = list(inspect.signature(function).parameters.values())
        rest = [each.name for each in parameters if each.kind is each.VAR_POSITIONAL]
        self.names = [each.name for each in parameters if each.kind in _POSITIONAL]
        self.tests = [self.kinds[name].fits if name in self.kinds else _anything for name in self.names]
        self.rest = rest[0] if rest and rest[0] in self.kinds else None  # the name of *arguments

    def check(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> None:
        """Refuse values that cannot have the declared types."""
        for value, fits in zip(args, self.tests):
            if not fits(value):
                self._refuse(args, kwargs)
        if kwargs or (self.rest and len(args) > len(self.tests)):
            self._refuse(args, kwargs)

    def _refuse(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> None:
        for name, value, kind in self._pair(args, kwargs):
            if not kind.fits(value):
                raise self._build_error(name, value, kind)

    def explain(self, args: tuple[object, ...], kwargs: Mapping[str, object], error: Exception) -> None:
        """Refuse values that hold something that does not fit, or places that do not exist, after a call has failed."""
        for name, value, kind in self._pair(args, kwargs):
            if not (kind.fits(value) and kind.holds(value)):
                raise self._build_error(name, value, kind) from None
        is_outside = isinstance(error, (IndexError, OverflowError))  # beyond the end, or beyond 64 bits
        if is_outside and not self.name.startswith("__"):  # iteration by __getitem__ ends by it
            for name, value, kind in self._pair(args, kwargs):
                if kind.is_place:
                    raise ConfigError(f"{self.name}: {name}: {show_value(value)} is out of range") from None

    def _pair(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> Iterator[tuple[str, object, Kind]]:
        names = itertools.chain(self.names, itertools.repeat(self.rest or ""))
        for name, value in itertools.chain(zip(names, args), kwargs.items()):
            if name in self.kinds:
                yield name, value, self.kinds[name]

    def _build_error(self, name: str, value: object, kind: Kind) -> ConfigError:
        return ConfigError(f"{self.name}: {name}: expected {kind.words}, got {show_value(value)}")


def _read_kinds(function: Callable[..., Any]) -> Iterator[tuple[str, Kind]]:
    """Read the annotations of parameters."""
    names = _Names(function.__globals__)
    for parameter in inspect.signature(function).parameters.values():
        annotation = parameter.annotation
        if parameter.kind is parameter.VAR_KEYWORD or annotation is parameter.empty:
            continue
        try:
            hint = eval(annotation, {}, names) if isinstance(annotation, str) else annotation
        except TypeError:  # an alias that only type checkers know
            continue
        kind = _read_kind(hint)
        if kind is not None:
            yield parameter.name, kind


class _Names(dict[str, Any]):
    """The names of a module. Those that it imports for type checkers only stand for anything."""

    def __missing__(self, name: str) -> Any:
        return getattr(builtins, name, Any)


def _read_kind(hint: Any) -> Kind | None:
    """What a type asks of values; None if any value will do."""
    origin, inside = typing.get_origin(hint) or hint, typing.get_args(hint)
    if origin is typing.Annotated:
        return _read_kind(inside[0])
    if origin in (typing.Union, types.UnionType):
        return None if any(map(_is_data, inside)) else _join([_read_kind(each) for each in inside])
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


def _is_data(hint: Any) -> bool:
    """Whether a type is a list of anything: one of the forms of data, whose reader names all of them."""
    is_list = typing.get_origin(hint) in (abc.Sequence, abc.Iterable, list)
    return is_list and typing.get_args(hint) in ((Any,), (object,))


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
        is_place=any(kind.is_place for kind in known),
    )


def _read_array(inside: tuple[Any, ...]) -> Kind:
    """An array of one dimension; its type says which numbers."""
    scalar = (typing.get_args(inside[1]) or (np.generic,))[0] if len(inside) > 1 else np.generic
    letters, words = next((row[1:] for row in _ARRAYS if scalar in row[0]), ("", "an array"))
    return Kind(
        lambda value: isinstance(value, np.ndarray) and value.ndim > 0 and (not letters or value.dtype.kind in letters),
        _anything,
        words,
        is_place=letters == "iu",
    )


def _read_container(origin: Any, inside: tuple[Any, ...]) -> Kind | None:
    if origin is abc.Callable:
        return Kind(callable, _anything, "a function")
    elements = [None if each is ... else _read_kind(each) for each in inside]
    if origin in (abc.Mapping, dict):
        return Kind(lambda value: isinstance(value, abc.Mapping), lambda value: _holds_pairs(value, elements), "a dict")
    first = elements[0] if elements else None
    if origin in (abc.Sequence, list) and first in (None, _TOKENS):
        return _TOKENS
    words = "a list" if first is None else f"a list of {first.words} each"
    shown = None if origin is abc.Iterable else first  # what is only iterated over is data, which is read one by one
    return Kind(
        lambda value: _is_collection(value, origin) and _begins_with(value, shown),
        lambda value: _holds_all(value, first),
        words,
    )


def _begins_with(values: Any, kind: Kind | None) -> bool:
    """Whether the first elements of a list fit; names, numbers and the like are few."""
    if isinstance(values, np.ndarray) and kind is _TEXT:
        return values.dtype.kind in "UO"
    if kind is None or not isinstance(values, (list, tuple, range, collections.deque)):
        return True
    return all(map(kind.fits, itertools.islice(values, _FIRST)))


def is_iterable(value: object) -> TypeGuard[abc.Iterable[Any]]:
    """Tell whether a value can be iterated over: an array without dimensions only looks as if it could be."""
    return isinstance(value, abc.Iterable) and not (isinstance(value, np.ndarray) and value.ndim == 0)


def _is_collection(value: object, origin: Any) -> bool:
    if not is_iterable(value):
        return False
    if isinstance(value, (bytes, bytearray)) or (isinstance(value, str) and origin is not abc.Iterable):
        return False  # one text is several only where characters are meant
    if origin in (abc.Iterable, abc.Collection, set, frozenset):
        return isinstance(value, abc.Iterable if origin is abc.Iterable else abc.Collection)
    return isinstance(value, (abc.Sequence, np.ndarray)) and not isinstance(value, memoryview)


def _holds_all(values: Any, kind: Kind | None) -> bool:
    is_listed = values.ndim > 0 if isinstance(values, np.ndarray) else isinstance(values, abc.Collection)
    if kind is None or not is_listed or len(values) > _MOST_ELEMENTS:
        return True  # what can be read only once, or not at all, is left to its reader
    return all(kind.fits(each) and kind.holds(each) for each in values)


def _holds_pairs(values: Mapping[Any, Any], kinds: list[Kind | None]) -> bool:
    parts: tuple[Any, ...] = (values.keys(), values.values())
    return all(
        kind is None or (kind.fits(each) and kind.holds(each)) for kind, part in zip(kinds, parts) for each in part
    )


def _anything(_: object) -> bool:
    return True


def _is_whole(value: object) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool) and -_WIDEST <= int(value) < _WIDEST


def _is_number(value: object) -> bool:
    if isinstance(value, numbers.Integral):
        return _is_whole(value)
    return isinstance(value, numbers.Real) and not math.isnan(value)


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
#: Sentences and tokens come in several shapes, which their reader knows: they are looked at after a failure only.
_TOKENS = Kind(_anything, is_iterable, "a list")
_PATH_TEXT = Kind(_TEXT.fits, _is_path, "a path")
_PLAIN: dict[Any, Kind] = {
    type(None): Kind(lambda value: value is None, _anything, "None"),
    None: Kind(lambda value: value is None, _anything, "None"),
    str: _TEXT,
    bytes: Kind(lambda value: isinstance(value, bytes), _anything, "bytes"),
    bool: Kind(lambda value: isinstance(value, (bool, np.bool_)), _anything, "True or False"),
    int: Kind(_is_whole, _anything, "a whole number", is_place=True),
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
