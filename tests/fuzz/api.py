"""Public functions and methods, called with arguments of any type.

What is called is found by inspection: the public names of the public modules, and the public methods of the objects in
``SUBJECTS`` and of whatever a call returns. A new function is fuzzed as soon as it has a public name.
"""

from __future__ import annotations

import collections
import functools
import importlib
import inspect
import itertools
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from tagloom.systems.registry import SYSTEMS
from tests.fuzz.outcome import Outcome, Target, observe
from tests.fuzz.subjects import build_subjects
from tests.fuzz.values import FITTING, OPTIONS, VALUES, OwnError

MODULES = (
    "tagloom", "tagloom.datasets", "tagloom.corpus", "tagloom.evaluate", "tagloom.text", "tagloom.report",
    "tagloom.compat.crfsuite", "tagloom.compat.crfpp", "tagloom.compat.sklearn",
)  # fmt: skip
#: Special methods that users call by syntax.
_SYNTAX = ("__call__", "__getitem__", "__contains__", "__len__", "__iter__", "__eq__", "__repr__", "__str__")
#: Names that are no part of the attack, and why.
_LEFT_OUT = {
    "replace_imports",  # changes the modules of the process
    "from_tensors",  # what a model file holds, which has a target of its own
    "require_same", "continue_options",  # called by train, with options that are checked
    "Format", "get_format",  # what those who add a format fill in
    "Token", "Span", "Sentence", "PRF", "Counts",  # built by results in great numbers, not by users
}  # fmt: skip
#: How Python itself says that a call does not fit a signature, or that a class is only declared.
_SIGNATURE = ("unexpected keyword argument", "required positional", "required keyword", "instantiate", "for argument")
_SUBJECTS: dict[str, Any] = {}


class Call(NamedTuple):
    """A call by name: of a function, or of a method of a subject; and its arguments by the names of values."""

    name: str
    arguments: tuple[tuple[str, str], ...]
    then: tuple[float, tuple[str, ...]]  # what to call of the result: a place among its methods, and values


def list_callables() -> dict[str, Callable[..., Any]]:
    """List everything that is called, by name."""
    return dict(sorted(_callables().items()))


@functools.cache
def _callables() -> dict[str, Callable[..., Any]]:
    found: dict[str, Callable[..., Any]] = {}
    for name in MODULES:
        module = importlib.import_module(name)
        for each in module.__all__:
            value = getattr(module, each)
            if callable(value) and _is_own(value):
                found[f"{name}.{each}"] = value
            if inspect.isclass(value) and _is_own(value):
                found |= {f"{name}.{each}.{method}": call for method, call in _class_methods(value)}
    for name, subject in _SUBJECTS.items():
        found |= {f"<{name}>.{method}": call for method, call in list_methods(subject)}
    return {name: call for name, call in found.items() if name.rpartition(".")[2] not in _LEFT_OUT}


def _is_own(value: Any) -> bool:
    """Exceptions take any text; aliases of types are no functions."""
    return getattr(value, "__module__", "").startswith("tagloom") and not (
        inspect.isclass(value) and issubclass(value, BaseException)
    )


def _class_methods(cls: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, value in vars(cls).items():
        if isinstance(value, (classmethod, staticmethod)) and not name.startswith("_"):
            yield name, getattr(cls, name)


def list_methods(subject: object) -> list[tuple[str, Callable[..., Any]]]:
    """List the public methods of an object."""
    cls = type(subject)
    names = [name for name in dir(cls) if not name.startswith("_") or name in _SYNTAX]
    methods = [(name, getattr(cls, name, None)) for name in names if name not in _LEFT_OUT]
    return [(name, getattr(subject, name)) for name, method in methods if _is_method(method)]


def _is_method(method: object) -> bool:
    return inspect.isroutine(method) and str(getattr(method, "__module__", "")).startswith("tagloom.")


def _make(rng: random.Random) -> Call:
    name, function = rng.choice(list(_callables().items()))
    values = tuple(rng.choice(_NAMES) for _ in range(3))
    return Call(name, tuple(_draw_arguments(rng, function)), (rng.random(), values))


def _draw_arguments(rng: random.Random, function: Callable[..., Any]) -> Iterator[tuple[str, str]]:
    for parameter in _parameters(function):
        if parameter.kind is parameter.VAR_KEYWORD:
            yield from ((rng.choice(OPTIONS), _draw(rng, "")) for _ in range(rng.choice((0, 0, 1, 2))))
        elif parameter.kind is parameter.VAR_POSITIONAL:
            yield from (("*", _draw(rng, parameter.name)) for _ in range(rng.choice((0, 1, 2))))
        elif parameter.default is parameter.empty or rng.random() < 0.3:
            yield parameter.name, _draw(rng, parameter.name)


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    with suppress(ValueError, TypeError):
        return list(inspect.signature(function).parameters.values())
    return []


_NAMES = [name for name in VALUES if name != "closed"]  # as data, it is one more object that raises


def _draw(rng: random.Random, parameter: str) -> str:
    """Draw a value that the name of the parameter asks for, or any."""
    fitting = FITTING.get(parameter)
    return rng.choice(fitting) if fitting and rng.random() < 0.6 else rng.choice(_NAMES)


def _run(case: Call) -> Outcome:
    systems = dict(SYSTEMS)
    try:
        return observe(lambda: _pass_own(case), 5.0, (OwnError, *_allowed(case.name)))
    finally:
        SYSTEMS.clear()
        SYSTEMS.update(systems)


def _allowed(name: str) -> tuple[type[Exception], ...]:
    """The errors that the packages raise whose shape a module has."""
    if "crfsuite" in name or "sklearn" in name:
        return (ValueError, TypeError, KeyError, IndexError, AttributeError, OSError, RuntimeError, AssertionError)
    return (KeyError, IndexError, StopIteration) if name.endswith(("__getitem__", "__iter__")) else ()


def _pass_own(case: Call) -> None:
    try:
        _use(case)
    except TypeError as error:
        if not any(words in str(error) for words in _SIGNATURE):
            raise
        raise OwnError from None


def _use(case: Call) -> None:
    function = _callables()[case.name]
    positional, keywords = _split(function, case.arguments)
    result = _exhaust(function(*positional, **keywords))
    if not type(result).__module__.startswith("tagloom") or inspect.isclass(result):
        return
    if methods := list_methods(result):
        place, values = case.then
        name, method = methods[int(place * len(methods))]
        needed = [p for p in _parameters(method) if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
        with suppress(*_allowed(name)):
            _exhaust(method(*[VALUES[value]() for value, _ in zip(values, needed)]))


def _split(function: Callable[..., Any], arguments: tuple[tuple[str, str], ...]) -> tuple[list[Any], dict[str, Any]]:
    """Arguments that have no name in a call, and those that have."""
    kinds = {each.name: each.kind for each in _parameters(function)}
    positional, keywords = [], {}
    for name, value in arguments:
        if name == "*" or kinds.get(name) is inspect.Parameter.POSITIONAL_ONLY:
            positional.append(VALUES[value]())
        else:
            keywords[name] = VALUES[value]()
    if positional and keywords:  # arguments before *args have no name either
        before = [each for each, kind in kinds.items() if kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
        positional = [*(keywords.pop(each) for each in before if each in keywords), *positional]
    return positional, keywords


def _exhaust(result: Any) -> Any:
    """Run iterators, whose work begins when they are asked, and write what results say of themselves."""
    if isinstance(result, collections.abc.Iterator):
        return list(itertools.islice(result, 100))
    repr(result)
    return result


def _prepare() -> None:
    _SUBJECTS.update(build_subjects())
    _callables()


def _shrink(case: Call) -> Iterator[Call]:
    """Leave out arguments."""
    for number in range(len(case.arguments)):
        yield case._replace(arguments=case.arguments[:number] + case.arguments[number + 1 :])


TARGET = Target(_make, _run, prepare=_prepare, seconds=5.0, memory=8 << 30)
