"""The registry: one row per system. Modules of a system are imported when they are first needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tagloom.arguments import check_arguments, check_methods
from tagloom.errors import ConfigError, unknown_name

if TYPE_CHECKING:
    from tagloom.systems.base import Model, Training
    from tagloom.systems.options import SearchOptions, TrainingOptions


@check_methods()
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


def _import(place: str) -> Callable[[], Any]:
    """Build a function that imports ``module:name`` of this package."""
    module, name = place.split(":")
    return lambda: getattr(import_module(f"tagloom.systems.{module}"), name)


def _declare(name: str, noun: str, help_line: str, *places: str) -> System:
    """Build a row; ``places`` are those of options, training, model and options of the search."""
    return System(name, noun, help_line, *map(_import, places))


#: The systems by name; :func:`register_system` adds one.
SYSTEMS: dict[str, System] = {
    row.name: row
    for row in (
        _declare("tagger", "tagger", "one label per token: parts of speech, chunks, entities, word boundaries",
                 "tagger.options:TaggerOptions", "tagger.train:TaggerTraining", "tagger.model:Tagger",
                 "tagger.decode:TaggerSearch"),
        _declare("parser", "parser", "dependency trees, from the columns head and deprel",
                 "parser.options:ParserOptions", "parser.train:ParserTraining", "parser.model:Parser",
                 "parser.spec:ParserSearch"),
        _declare("phrases", "phrase chunker", "chunks or entities, recognised as wholes",
                 "phrases.options:PhraseOptions", "phrases.train:PhraseTraining", "phrases.model:PhraseChunker",
                 "options:SearchOptions"),
        _declare("segments", "segment tagger", "chunks or entities by a semi-Markov CRF, with features of segments",
                 "segments.options:SegmentOptions", "segments.train:SegmentTraining", "segments.model:SegmentModel",
                 "options:SearchOptions"),
        _declare("tokenizer", "tokenizer", "tokens and sentences of running text, learned from a corpus with text",
                 "tokenizer.options:TokenizerOptions", "tokenizer.train:TokenizerTraining",
                 "tokenizer.model:LearnedTokenizer", "options:SearchOptions"),
        _declare("pipeline", "pipeline", "text to treebank: tokenizer, tags, features, lemmas and trees in one file",
                 "pipeline.options:PipelineOptions", "pipeline.train:PipelineTraining", "pipeline.model:Pipeline",
                 "options:SearchOptions"),
        _declare("ensemble", "ensemble", "several taggers that decide by the mean of their probabilities",
                 "ensemble.options:EnsembleOptions", "ensemble.train:EnsembleTraining", "ensemble.model:Ensemble",
                 "ensemble.search:EnsembleSearch"),
    )
}  # fmt: skip

#: The system that is trained if the user names none.
DEFAULT_SYSTEM = "tagger"


#: Entry points of installed packages that register systems: each names a System, or a function that returns one.
ENTRY_POINTS = "tagloom.systems"


def get_system(name: str) -> System:
    """Return the row of a system; one that is not known yet may come from an installed package."""
    if name not in SYSTEMS:
        _load_entry_points()
    if name not in SYSTEMS:
        raise unknown_name("system", name, SYSTEMS)
    return SYSTEMS[name]


def _load_entry_points() -> None:
    from importlib.metadata import entry_points  # here, because reading all metadata takes a while

    for point in entry_points(group=ENTRY_POINTS):
        if point.name not in SYSTEMS:
            found = point.load()
            register_system(found if isinstance(found, System) else found())


@check_arguments
def register_system(system: System) -> None:
    """Add a system of your own: training, files, experiments and the command line know it from then on."""
    if system.name in SYSTEMS:
        raise ConfigError(f"system {system.name!r} is registered already; choose another name")
    SYSTEMS[system.name] = system
