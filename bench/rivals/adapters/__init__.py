"""One file per tool. ``adapter`` has the interface; a module has a list ``ADAPTERS`` of the ways to use its tool.

No module imports its tool before it is asked to train or to open a model, so that the list of tools can be made
without them.
"""

from __future__ import annotations

from importlib import import_module

from bench.rivals.adapters.adapter import Adapter

#: Modules in the order of the table.
MODULES = (
    "ours", "crfsuite", "ours_dicts", "sklearn_crfsuite", "nltk", "chaine", "wapiti", "column_commands",
    "vowpal_wabbit", "lapos", "spacy", "udpipe",
)  # fmt: skip


def list_adapters() -> dict[str, Adapter]:
    """Return all adapters by name, in the order of the table."""
    modules = [import_module(f"bench.rivals.adapters.{name}") for name in MODULES]
    return {adapter.name: adapter for module in modules for adapter in module.ADAPTERS}


def load_adapter(module: str, name: str) -> Adapter:
    """Return one adapter without importing the others."""
    found: list[Adapter] = import_module(f"bench.rivals.adapters.{module}").ADAPTERS
    return next(adapter for adapter in found if adapter.name == name)
