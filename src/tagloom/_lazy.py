"""Names of a package that are imported when first asked for: `import tagloom` stays quick."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module


def lazy_names(package: str, homes: Mapping[str, Sequence[str]]) -> tuple[Callable[[str], object], list[str]]:
    """``__getattr__`` and ``__all__`` of a package whose names live in the modules ``homes``.

    A module with no names stands for itself, as a submodule.
    """
    modules = {name: home for home, names in homes.items() for name in names}

    def getattribute(name: str) -> object:
        if name in modules:
            value: object = getattr(import_module(modules[name]), name)
        elif homes.get(f"{package}.{name}") == ():
            value = import_module(f"{package}.{name}")
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, value)
        return value

    return getattribute, sorted(modules)
