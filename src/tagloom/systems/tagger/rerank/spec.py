"""RerankerSpec: how a re-ranker was trained. The keys of its features and its weights are kept beside it, as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from tagloom.features.global_templates import GlobalTemplateSet
from tagloom.structures.rankers import METHODS, CurvePoint
from tagloom.systems.options import MOST_CANDIDATES


@dataclass(frozen=True)
class RerankerSpec:
    """How a re-ranker chooses among candidates, and how it was trained."""

    method: str
    templates: GlobalTemplateSet | None  # None if there are functions only
    candidates: int = 20  # to choose from, N of collins-2002
    functions: tuple[str, ...] = ()  # their names
    cutoff: int = 5  # training sequences in which a feature must occur
    folds: int = 5  # of the jackknifed lists
    settings: dict[str, float] = field(default_factory=dict)  # of the method
    round: int = 0  # number of rounds of boosting, or of passes, that were kept
    dev_score: float | None = None
    data: str = ""  # checksum of the corpus
    curve: tuple[CurvePoint, ...] = ()  # loss and score after each round

    def __str__(self) -> str:
        """Format for a signature."""
        numbers = [f"{name}={value:g}" for name, value in sorted(self.settings.items())]
        names = [*(() if self.templates is None else (self.templates.name,)), *self.functions]
        return ",".join([self.method, *names, f"n={self.candidates}", *numbers, f"rounds={self.round}"])

    def described(self) -> str:
        """Describe the method, the kept round or pass, and the settings in one line."""
        unit = "round" if self.method == "boosting" else "pass"
        numbers = "".join(f", {name} {value:g}" for name, value in self.settings.items())
        return f"{self.method}: {unit} {self.round:,}{numbers}"

    def to_json(self) -> dict[str, Any]:
        """Convert to plain values."""
        values = {**asdict(self), "templates": None if self.templates is None else self.templates.to_json()}
        return {**values, "curve": [[p.round, p.loss, p.dev_score] for p in self.curve]}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> RerankerSpec:
        """Restore what ``to_json`` returned; raises a built-in error or ConfigError on anything else."""
        given = dict(values)
        if given["method"] not in METHODS:
            raise ValueError(f"no method {given['method']!r}")
        number = given["candidates"]
        if type(number) is not int or not 1 <= number <= MOST_CANDIDATES:
            raise ValueError(f"{number!r} candidates")
        if not all(isinstance(value, (int, float)) for value in given["settings"].values()):
            raise ValueError("settings of a re-ranker are numbers")
        _check_types(given)
        given["templates"] = None if given["templates"] is None else GlobalTemplateSet.from_json(given["templates"])
        given["functions"] = tuple(given["functions"])
        given["curve"] = tuple(CurvePoint(*point) for point in given["curve"])
        return cls(**given)


def _check_types(values: Mapping[str, Any]) -> None:
    """Check the types of values that are only shown, and the names of functions."""
    for name in ("cutoff", "folds", "round"):
        if type(values[name]) is not int:
            raise ValueError(f"{name} {values[name]!r} of a re-ranker")
    if not isinstance(values["data"], str) or not _is_number(values["dev_score"]):
        raise ValueError("the data or the score of a re-ranker have the wrong type")
    if not all(isinstance(name, str) for name in values["functions"]):
        raise ValueError("functions of a re-ranker have names")
    if not all(type(n) is int and _is_number(loss) and _is_number(score) for n, loss, score in values["curve"]):
        raise ValueError("the curve of a re-ranker has rounds, losses and scores")


def _is_number(value: object) -> bool:
    return value is None or isinstance(value, (int, float))
