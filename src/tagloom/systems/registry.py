"""The registry: one row per system. Modules of a system are imported when they are first needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tagloom.errors import ConfigError, unknown_name

if TYPE_CHECKING:
    from tagloom.systems.base import Model, Training
    from tagloom.systems.options import SearchOptions, TrainingOptions


@dataclass(frozen=True)
class System:
    """One kind of model.

    Attributes:
        name: Name for ``system=`` and ``--system``, and in model files.
        noun: What a model is called.
        help: What a model does, in one line.
        load_options: Returns the class of its options of training.
        load_training: Returns its subclass of :class:`~tagloom.systems.base.Training`.
        load_model: Returns its subclass of :class:`~tagloom.systems.base.Model`.
        load_search: Returns the class of its options of a search without importing the model; None to ask the model.
    """

    name: str
    noun: str
    help: str
    load_options: Callable[[], type[TrainingOptions]]
    load_training: Callable[[], type[Training[Any]]]
    load_model: Callable[[], type[Model]]
    load_search: Callable[[], type[SearchOptions]] | None = None

    def __repr__(self) -> str:
        return f"<System {self.name}: {self.help}>"

    def get_search_options(self) -> type[SearchOptions]:
        """Return the class of its options of a search."""
        return self.load_model().search_options if self.load_search is None else self.load_search()


def _import(module: str, name: str) -> Callable[[], Any]:
    return lambda: getattr(import_module(f"tagloom.systems.{module}"), name)


SYSTEMS: dict[str, System] = {
    row.name: row
    for row in (
        System(
            "tagger",
            "tagger",
            "one label per token: parts of speech, chunks, entities, word boundaries",
            _import("tagger.options", "TaggerOptions"),
            _import("tagger.train", "TaggerTraining"),
            _import("tagger.model", "Tagger"),
            _import("tagger.decode", "TaggerSearch"),
        ),
        System(
            "parser",
            "parser",
            "dependency trees, from the columns head and deprel",
            _import("parser.options", "ParserOptions"),
            _import("parser.train", "ParserTraining"),
            _import("parser.model", "Parser"),
            _import("parser.spec", "ParserSearch"),
        ),
        System(
            "phrases",
            "phrase chunker",
            "chunks or entities, recognised as wholes",
            _import("phrases.options", "PhraseOptions"),
            _import("phrases.train", "PhraseTraining"),
            _import("phrases.model", "PhraseChunker"),
            _import("options", "SearchOptions"),
        ),
    )
}

#: The system that is trained if the user names none.
DEFAULT_SYSTEM = "tagger"


def get_system(name: str) -> System:
    """Return the row of a system."""
    if name not in SYSTEMS:
        raise unknown_name("system", name, SYSTEMS)
    return SYSTEMS[name]


def register_system(system: System) -> None:
    """Add a system of your own: training, files, experiments and the command line know it from then on."""
    if system.name in SYSTEMS:
        raise ConfigError(f"system {system.name!r} is registered already; choose another name")
    SYSTEMS[system.name] = system
