"""What the report knows of one kind of output: its units, its errors, and tables that count them.

A task is one thing that a model predicts and that gold has, too: spans, words, tags, trees or tokens. Everything that
shows tasks knows them only by this module.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tagloom.corpus.corpus import IntArray
from tagloom.evaluate import Counts
from tagloom.report.diagnosis.background import Background

#: How a sentence is shown, and how its errors are: names that the scripts of the page know.
SPANS, TAGS, TREES, TOKENS = "spans", "tags", "trees", "tokens"

RIGHT = "right"
Place = tuple[int, int]  # first token in its sentence, one past the last
NOTHING = "–"  # in the place of a unit that one side does not have


@dataclass(frozen=True)
class Error:
    """One error: a unit of gold, one of the model, or a pair of both that should have been equal."""

    sentence: int
    kind: str  # one of the kinds of its task
    gold: str | None  # type of the gold unit; None if there is none
    guess: str | None
    gold_at: Place | None
    guess_at: Place | None

    @property
    def place(self) -> Place:
        """The tokens that either side is about."""
        places = [each for each in (self.gold_at, self.guess_at) if each is not None]
        return min(first for first, _ in places), max(last for _, last in places)


@dataclass(frozen=True)
class Matrix:
    """Counts of pairs: what gold has (rows) and what the model says (columns)."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: NDArray[np.int64]  # [rows][columns]
    note: str = ""


@dataclass(frozen=True)
class Group:
    """Scores of parts of the units: by length, by frequency, known and unknown. Kinds of the counts are the parts."""

    title: str
    counts: Counts
    metric: str  # "f1" or "accuracy"
    name: str  # what the metric is called
    note: str = ""
    beside: tuple[str, Counts] | None = None  # another score of the same parts

    @property
    def part(self) -> str:
        """What the parts are called in one word, for the head of a column."""
        words = self.title.lower().split()
        return words[-1] if words[0] == "known" else words[0]


class Task(ABC):
    """One kind of output, gold and predicted."""

    kind: ClassVar[str]
    metric: ClassVar[str] = "f1"  # of every type
    kinds: ClassVar[Mapping[str, str]]  # kinds of error, with what they mean

    name: str  # the column, or what stands for several
    title: str
    unit: str  # what is counted, in the plural
    metric_name: str = "F1"
    sentences: IntArray  # [S + 1] offsets of tokens

    @property
    @abstractmethod
    def counts(self) -> Counts:
        """Units by type and sentence."""

    @abstractmethod
    def list_errors(self) -> Sequence[Error]:
        """List all errors, in the order of the text."""

    @abstractmethod
    def show(self, sentence: int, *, gold: bool) -> Any:
        """Return what the page shows of one side of a sentence, as plain values for JSON."""

    @property
    def beside(self) -> tuple[str, Counts] | None:
        """Another score of the same types, with its name."""
        return None

    def count_outcomes(self) -> dict[str, int]:
        """Count right units and all kinds of error; kinds that do not occur are left out."""
        found = dict.fromkeys(self.kinds, 0)
        for error in self.list_errors():
            found[error.kind] += 1
        return {RIGHT: self.counts.overall().correct, **{kind: count for kind, count in found.items() if count}}

    def list_matrices(self) -> list[Matrix]:
        """List tables of what is taken for what."""
        return []

    def list_groups(self, background: Background) -> list[Group]:
        """List scores of parts of the units."""
        return []

    def count_wrong(self) -> IntArray:
        """Count wrong units of both sides in every sentence: [S]."""
        table = self.counts.by_sentence()
        return np.asarray(table[:, 1] + table[:, 2] - 2 * table[:, 0])

    def place_of(self, start: int, stop: int, sentence: int) -> Place:
        """Count tokens from the beginning of their sentence."""
        first = int(self.sentences[sentence])
        return int(start) - first, int(stop) - first


def build_matrix(title: str, pairs: Mapping[tuple[str, str], int], most: int, note: str = "") -> Matrix:
    """Build a table of pairs; if there are too many names, it has those with the most errors."""
    wrong: dict[str, int] = {}
    for (gold, guess), count in pairs.items():
        for name in {gold, guess}:
            wrong[name] = wrong.get(name, 0) + count * (gold != guess)
    names = sorted(sorted(wrong), key=lambda name: -wrong[name])[:most]
    shown = sorted(names, key=lambda name: (name == NOTHING, name))
    counts = np.array([[pairs.get((row, column), 0) for column in shown] for row in shown], np.int64)
    rest = len(wrong) - len(shown)
    notes = [note] if note else []
    if rest > 0:
        notes.append(f"The {len(shown)} names with the most errors are shown; {rest} others are left out.")
    return Matrix(title, tuple(shown), tuple(shown), counts.reshape(len(shown), len(shown)), " ".join(notes))
