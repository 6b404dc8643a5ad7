"""The reference of a module, from its public names: those in ``__all__``, or those that it defines without a _."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

from sphinx.errors import PycodeError
from sphinx.pycode import ModuleAnalyzer

_KINDS = {"class": "autoclass", "exception": "autoexception", "function": "autofunction"}
_OURS = "tagloom"


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
    if kind == "data":
        yield f".. py:data:: {name}\n"
        yield from (f"   {line}" for line in find_comment(name, value))
    else:
        yield f".. {_KINDS[kind]}:: {path}.{name}"
    if kind == "class":
        yield f"   :members:\n   :inherited-members: {', '.join(list_foreign_bases(value))}"
        yield f"   :exclude-members: {', '.join(name for name in dir(value) if name.endswith('_request'))}"
    yield ""


def classify(value: object) -> str:
    """Name the kind of a public value."""
    if inspect.isclass(value):
        return "exception" if issubclass(value, BaseException) else "class"
    return "function" if inspect.isroutine(value) else "data"


def list_foreign_bases(value: object) -> list[str]:
    """List the base classes of a class that belong to other packages, whose members are documented there."""
    return [base.__name__ for base in inspect.getmro(value) if not base.__module__.startswith(_OURS)]  # type: ignore[arg-type]


def find_comment(name: str, value: object) -> list[str]:
    """Find the comment ``#:`` before the line that defines a value, in whatever module of ours that is."""
    for path, module in list(sys.modules.items()):
        if path.startswith(_OURS) and vars(module).get(name) is value:
            try:
                found = ModuleAnalyzer.for_module(path).find_attr_docs().get(("", name))
            except PycodeError:  # no source, such as a compiled module
                continue
            if found:
                return found
    return []
