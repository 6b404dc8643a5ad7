"""Names of a package that are imported when first asked for, so that ``import tagloom`` stays quick."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module


def lazy_names(
    package: str, homes: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Build ``__getattr__``, ``__dir__`` and ``__all__`` of a package whose names live in other modules.

    Args:
        package: Name of the package.
        homes: Names by the module they live in. A module with no names stands for itself, as a submodule.
    """
    modules = {name: home for home, names in homes.items() for name in names}
    submodules = {home.rpartition(".")[2] for home, names in homes.items() if not names}

    def get_attribute(name: str) -> object:
        if name in modules:
            value: object = getattr(import_module(modules[name]), name)
        elif name in submodules:
            value = import_module(f"{package}.{name}")
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, value)
        return value

    def list_names() -> list[str]:
        version = {"__version__"} & vars(sys.modules[package]).keys()
        return sorted({*version, *modules, *submodules})

    return get_attribute, list_names, sorted({*modules, *submodules})
