"""RerankerSpec: how a re-ranker was trained. The keys of its features and its weights are kept beside it, as arrays."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Annotated, Any

from tagloom.features.global_templates import GlobalTemplateSet
from tagloom.features.stored_templates import TemplateText
from tagloom.schema import Field, limits
from tagloom.structures.rankers import METHODS, CurvePoint


def _restore_curve(points: tuple[tuple[int, float, float | None], ...]) -> tuple[CurvePoint, ...]:
    return tuple(CurvePoint(*point) for point in points)


@dataclass(frozen=True)
class RerankerSpec:
    """How a re-ranker chooses among candidates, and how it was trained."""

    method: Annotated[str, Field("How the ranker was learned.", choices=METHODS)]
    templates: Annotated[
        GlobalTemplateSet | None,
        Field("Global templates; null if there are functions only.", stored=TemplateText | None,
              restore=GlobalTemplateSet.restore),
    ]  # fmt: skip
    candidates: Annotated[int, Field("Candidates to choose from (N of collins-2002).", 1, limits.MOST_CANDIDATES)] = 20
    functions: Annotated[
        tuple[str, ...], Field("Names of the user's global features.", most=limits.MOST_FUNCTIONS)
    ] = ()
    cutoff: Annotated[int, Field("Training sequences in which a feature must occur.", low=0)] = 5
    folds: Annotated[int, Field("Folds of the jackknifed lists.", low=0)] = 5
    settings: Annotated[dict[str, float], Field("Settings of the method.", most=limits.MOST_SETTINGS)] = field(
        default_factory=dict
    )
    round: Annotated[int, Field("Rounds of boosting, or passes, that were kept.", low=0)] = 0
    dev_score: Annotated[float | None, Field("Score on development data.")] = None
    data: Annotated[str, Field("Checksum of the corpus.")] = ""
    curve: Annotated[
        tuple[CurvePoint, ...],
        Field("Round, loss and score after each round.", stored=tuple[tuple[int, float, float | None], ...],
              restore=_restore_curve),
    ] = ()  # fmt: skip

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
