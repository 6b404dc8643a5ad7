"""Options of ensembles."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Annotated, ClassVar

from tagloom.errors import ConfigError
from tagloom.schema import limits
from tagloom.systems.options import Row
from tagloom.systems.tagger.options import TaggerOptions

#: The learner of members if none is named: it is quick, and its scores are log probabilities.
DEFAULT_LEARNER = "sgd"
PROBABILITIES, WEIGHTS = AVERAGES = ("probabilities", "weights")


@dataclass(frozen=True, kw_only=True, repr=False)
class EnsembleOptions(TaggerOptions):
    """Options of training an ensemble: those of its taggers, and their number."""

    noun: ClassVar[str] = "ensemble"

    members: Annotated[
        int, Row("Number of taggers, trained with successive seeds.", low=1, high=limits.MOST_MEMBERS, metavar="N")
    ] = 3
    average: Annotated[str, Row(
        "probabilities: the taggers decide together, by the means of their probabilities; weights: they become one "
        "tagger with the means of their weights, as fast as each of them.", choices=AVERAGES, metavar="NAME",
    )] = PROBABILITIES  # fmt: skip

    def check(self) -> None:
        """Check what a tagger checks, and that its decisions are those of sentences."""
        super().check()
        if self.learner is not None and self.chosen_learner.sees_documents:
            raise ConfigError(
                f"learner {self.chosen_learner.name!r}: an ensemble averages probabilities of labels, in which "
                "features of documents have no part; choose another learner"
            )
        if self.threshold is not None and self.average == PROBABILITIES:
            raise ConfigError(
                "threshold: an ensemble of several taggers knows probabilities of labels, not of spans; set "
                "average=weights, or leave it out"
            )

    def to_tagger_options(self) -> TaggerOptions:
        """Build the options of a tagger that all taggers share."""
        return TaggerOptions(**{each.name: getattr(self, each.name) for each in fields(TaggerOptions)})

    def build_member(self, number: int) -> TaggerOptions:
        """Build the options of one tagger; the first stage, if there is one, stands before all of them."""
        return replace(self.to_tagger_options(), seed=self.seed + number, stages=1, stage1={})
