"""The fuzz targets by name. A module with a ``TARGET`` is one row."""

from __future__ import annotations

from importlib import import_module

from tests.fuzz.outcome import Target

#: What each target feeds, by the module that holds it.
TARGETS = {
    "api": "public functions and methods, called with arguments of any type",
    "checkpoints": "checkpoints of every learner and system, with checksums that fit",
    "corpora": "corpora of every format, mutated, compressed, or without a name",
    "foreign": "model files of CRFsuite",
    "models": "model files of every system, with checksums that fit",
    "templates": "templates of tagloom, CRF++ and Wapiti, of parser states and of whole sentences",
}


def open_target(name: str) -> Target:
    """Import and prepare a target."""
    target: Target = import_module(f"tests.fuzz.{name}").TARGET
    target.prepare()
    return target
