"""A recipe: the experiments of one paper, the numbers it reports, and how ours are measured.

The best model of a task is a recipe, too, without numbers of a paper.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from tagloom._version import __version__
from tagloom.errors import ConfigError, unknown_name
from tagloom.experiments.grid import pick
from tagloom.recipes.dataset import Dataset
from tagloom.recipes.layout import Layout

#: The choices of an experiment that its corpus does not make.
Options = Mapping[str, Any]
#: Receives a line of text about the progress of a row. It raises KeyboardInterrupt if the whole run must end.
Tell = Callable[[str], None]


class Point(NamedTuple):
    """One point of a learning curve: the score after a pass, and the seconds of training until then."""

    epoch: int  # or the round of boosting
    seconds: float | None  # None if not measured
    score: float
    loss: float | None = None


@dataclass(frozen=True)
class Row:
    """One number of a paper with ours beside it. The signature names every choice that determines ours.

    If ours is the mean of several seeds, ``spread`` is their standard deviation.
    """

    table: str
    corpus: str
    system: str
    metric: str
    paper: float | None  # None if the paper has no such number
    ours: float
    seconds: float
    signature: str
    spread: float | None = None

    def to_dict(self) -> dict[str, object]:
        """Return the fields by name, the spread only if there is one."""
        return {name: value for name, value in asdict(self).items() if name != "spread" or value is not None}


@dataclass(frozen=True)
class Finished:
    """A finished row, with the learning curve behind it if there is one."""

    row: Row
    curve: tuple[Point, ...] = ()


@dataclass(frozen=True)
class Measurement:
    """The outcome of one experiment."""

    ours: float
    seconds: float
    curve: tuple[Point, ...] = ()
    spread: float | None = None  # the standard deviation of several seeds


@dataclass(frozen=True)
class Experiment:
    """One cell of a table in a paper."""

    table: str
    corpus: str
    system: str
    metric: str
    paper: float | None
    options: Options = field(default_factory=dict, hash=False)

    @property
    def name(self) -> str:
        """Corpus and system, as ``--only`` takes them."""
        return f"{self.corpus}/{self.system}"


class Workbench(Protocol):
    """A corpus that experiments run on. Several threads may run experiments at the same time."""

    def run(self, experiment: Experiment, tell: Tell) -> Measurement:
        """Measure one cell."""
        ...


@dataclass(frozen=True)
class Recipe:
    """The experiments of a paper, in the order of its tables."""

    key: str
    citation: str
    experiments: tuple[Experiment, ...]
    datasets: Mapping[str, Dataset]  # by the name of the corpus
    layouts: tuple[Layout, ...]
    #: Opens a corpus in the data folder. The second folder keeps jackknifed folds; if it is None, nothing is kept.
    open: Callable[[Dataset, Path, Path | None], Workbench]
    deviations: tuple[str, ...] = ()  # from the paper, on every corpus; a dataset has its own
    remarks: str = "Deviations from the paper"  # heading of the deviations
    #: Draws the figures of the paper into a folder and returns the files.
    figures: Callable[[Sequence[Finished], Path], Sequence[Path]] | None = None
    notes: Callable[[Sequence[Finished]], Sequence[str]] = lambda _: ()  # sentences that follow from several rows

    def signature(self, experiment: Experiment, checksum: str) -> str:
        """Return everything that determines a row and is known before it runs: its key in the cache."""
        where = {"paper": self.key, **pick(experiment, "table corpus system metric")}
        choices = {**where, **experiment.options, **self.datasets[experiment.corpus].choices(), "data": checksum}
        return "|".join([f"tagloom:{__version__}", *(f"{name}:{value}" for name, value in choices.items())])


# -- the papers --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Paper:
    """The title of a paper, and the module that holds its ``RECIPE``; it is imported when it is asked for."""

    title: str
    module: str


#: The papers by name.
PAPERS: dict[str, Paper] = {
    "kazama-torisawa-2007": Paper("Kazama and Torisawa 2007, A New Perceptron Algorithm for Sequence Labeling with "
                                  "Non-local Features", "tagloom.recipes.kazama_torisawa_2007"),
    "collins-2002": Paper("Collins 2002, Ranking Algorithms for Named-Entity Extraction: Boosting and the Voted "
                          "Perceptron", "tagloom.recipes.collins_2002"),
    "tsuruoka-2011": Paper("Tsuruoka, Miyao and Kazama 2011, Learning with Lookahead: Can History-Based Models Rival "
                           "Globally Optimized Models?", "tagloom.recipes.tsuruoka_2011"),
    "carreras-2003": Paper("Carreras, Màrquez and Padró 2003, Learning a Perceptron-Based Named Entity Chunker via "
                           "Online Recognition Feedback", "tagloom.recipes.carreras_2003"),
    "he-wang-2012": Paper("He and Wang 2012, A Comparison and Improvement of Online Learning Algorithms for Sequence "
                          "Labeling", "tagloom.recipes.he_wang_2012"),
}  # fmt: skip

#: The best models of one task each, by name: what it is about. They are in ``tagloom.recipes.best``.
BEST: dict[str, str] = {
    "best-conll2003-en": "named entities, English news",
    "best-conll2002-nl": "named entities, Dutch news",
    "best-jnlpba": "biomedical names, abstracts",
    "best-conll2000": "chunks, English news",
    "best-ud-ewt-upos": "part of speech, English web text, from words alone",
    "best-ud-ewt-las": "dependency trees, English web text, with predicted tags",
    "best-pku": "word segmentation, Chinese news",
}


def get_recipe(key: str) -> Recipe:
    """Import and return the recipe of a paper, or that of the best model of a task.

    Raises:
        ConfigError: There is no such recipe.
    """
    if key in BEST:
        found: Recipe = import_module("tagloom.recipes.best").RECIPES[key]
        return found
    if key not in PAPERS:
        raise unknown_name("paper or task", key, [*PAPERS, *BEST])
    recipe: Recipe = import_module(PAPERS[key].module).RECIPE
    return recipe


# -- selection ---------------------------------------------------------------------------------------------------------


def select(recipe: Recipe, only: Sequence[str] = (), tables: Sequence[str] = ()) -> tuple[Experiment, ...]:
    """Return the experiments that have one of the names and belong to one of the tables.

    Args:
        recipe: The recipe to select from.
        only: Corpora, systems, or corpus/system; all experiments if empty. One text may hold several names, separated
            by commas. Case does not matter, and a hyphen may stand for a blank.
        tables: Names of tables; all tables if empty.

    Raises:
        ConfigError: A name or a table is unknown, or no experiment fits both.
    """
    names, wanted = _split_names(only), _split_names(tables)
    for name in names:
        if not any(_has_name(experiment, name) for experiment in recipe.experiments):
            known = {part for e in recipe.experiments for part in (e.corpus, e.system)}
            raise unknown_name(f"experiment of {recipe.key}", name, known)
    for table in wanted:
        if table not in (known := {e.table for e in recipe.experiments}):
            raise unknown_name(f"table of {recipe.key}", table, known)
    in_tables = [e for e in recipe.experiments if not wanted or e.table in wanted]
    found = tuple(e for e in in_tables if not names or any(_has_name(e, name) for name in names))
    if not found:
        raise ConfigError(f"{recipe.key}: no experiment {', '.join(names)} in table {', '.join(wanted)}")
    return found


def _split_names(texts: Sequence[str]) -> list[str]:
    parts = [part.strip() for text in texts for part in text.split(",")]
    if not all(parts):
        raise ConfigError(f"expected names separated by commas, got {','.join(texts)!r}")
    return parts


def _has_name(experiment: Experiment, name: str) -> bool:
    """Whether a name is its corpus, its system (as the paper or the library calls it), or corpus/system."""
    learner = experiment.options.get("learner", experiment.system)
    corpus, systems = _normalise(experiment.corpus), {_normalise(experiment.system), _normalise(str(learner))}
    return _normalise(name) in {corpus, *systems, *(f"{corpus}/{system}" for system in systems)}


def _normalise(name: str) -> str:
    return "-".join(name.casefold().split())
