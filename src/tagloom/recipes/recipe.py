"""A recipe: the experiments of one paper, the numbers it reports, and how to measure ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

from tagloom._version import __version__
from tagloom.recipes.dataset import Dataset
from tagloom.recipes.layout import Layout


class Point(NamedTuple):
    """A point of a learning curve: the score after a pass, and the seconds of training until then."""

    epoch: int  # or the round of boosting
    seconds: float | None  # None: not measured
    score: float
    loss: float | None = None


@dataclass(frozen=True)
class Row:
    """One number of a paper and ours beside it. The signature names every choice that fixes ours."""

    table: str
    corpus: str
    system: str
    metric: str
    paper: float | None  # None: the paper has no such number
    ours: float
    seconds: float
    signature: str

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True)
class Finished:
    """A row, and the learning curve behind it where there is one."""

    row: Row
    curve: tuple[Point, ...] = ()


@dataclass(frozen=True)
class Measured:
    """What running one experiment gave."""

    ours: float
    seconds: float
    curve: tuple[Point, ...] = ()


@dataclass(frozen=True)
class Experiment:
    """One cell of a paper's table. Its options are all choices that its corpus does not make."""

    table: str
    corpus: str
    system: str
    metric: str
    paper: float | None
    options: Mapping[str, object] = field(default_factory=dict, hash=False)

    @property
    def name(self) -> str:
        return f"{self.corpus}/{self.system}"


#: Told between passes how a row is getting on; raises KeyboardInterrupt when the whole run is to end.
GoOn = Callable[[str], None]


class Workbench(Protocol):
    """A corpus, read and encoded once, that experiments are run on: by several threads, if the user wants it."""

    def run(self, experiment: Experiment, go_on: GoOn) -> Measured: ...


#: Draws the figures of a paper into a folder; gives the files it wrote.
Figures = Callable[[Sequence[Finished], Path], Sequence[Path]]


@dataclass(frozen=True)
class Recipe:
    """The experiments of a paper, in the order of its tables."""

    key: str
    citation: str
    experiments: tuple[Experiment, ...]
    datasets: Mapping[str, Dataset]  # by the name of the corpus
    layouts: tuple[Layout, ...]
    open: Callable[[str, Path, Path | None], Workbench]  # a corpus in the folder of the data; where to keep folds
    deviations: tuple[str, ...] = ()  # from the paper, on every corpus; a dataset has its own
    figures: Figures | None = None
    notes: Callable[[Sequence[Finished]], Sequence[str]] = lambda _: ()  # what follows from several rows, in sentences

    def signature(self, experiment: Experiment, checksum: str) -> str:
        """Everything that determines a row, known before it is run: the key of the row in the cache."""
        where = {"paper": self.key, "table": experiment.table, "corpus": experiment.corpus,
                 "system": experiment.system, "metric": experiment.metric}  # fmt: skip
        choices = {**where, **experiment.options, **self.datasets[experiment.corpus].choices(), "data": checksum}
        return "|".join([f"tagloom:{__version__}", *(f"{name}:{value}" for name, value in choices.items())])
