"""The reference of a module, from its public names: those in ``__all__``, or those that it defines without a _."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

_KINDS = {"class": "autoclass", "exception": "autoexception", "function": "autofunction", "data": "autodata"}


def write_module(argument: str) -> str:
    """Write the entries of a module: ``MODULE`` for all names, ``MODULE: NAME NAME`` for some of them."""
    path, _, chosen = argument.partition(":")
    module = import_module(path)
    names = chosen.split() or list_public_names(module)
    entries = "\n".join(line for name in names for line in _write_entry(path, name, getattr(module, name)))
    return f"```{{eval-rst}}\n.. currentmodule:: {path}\n\n{entries}\n```"


def list_public_names(module: ModuleType) -> list[str]:
    """List the public names of a module, submodules left out."""
    names = getattr(module, "__all__", None) or [
        name for name, value in vars(module).items() if getattr(value, "__module__", "").startswith(module.__name__)
    ]
    return sorted(
        (name for name in names if not name.startswith("_") and not isinstance(getattr(module, name), ModuleType)),
        key=str.lower,
    )


def _write_entry(path: str, name: str, value: object) -> Iterator[str]:
    kind = classify(value)
    yield f".. {_KINDS[kind]}:: {path}.{name}"
    if kind == "class":
        yield "   :members:\n   :inherited-members: object, tuple, dict, list, BaseEstimator, ClassifierMixin"
    if kind == "data":
        yield "   :no-value:"
    yield ""


def classify(value: object) -> str:
    """Name the kind of a public value."""
    if inspect.isclass(value):
        return "exception" if issubclass(value, BaseException) else "class"
    return "function" if callable(value) else "data"
