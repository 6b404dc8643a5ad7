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


@dataclass(frozen=True, kw_only=True, repr=False)
class EnsembleOptions(TaggerOptions):
    """Options of training an ensemble: those of its taggers, and their number."""

    noun: ClassVar[str] = "ensemble"

    members: Annotated[
        int, Row("Number of taggers, trained with successive seeds.", low=1, high=limits.MOST_MEMBERS, metavar="N")
    ] = 3

    def check(self) -> None:
        """Check what a tagger checks, and that its decisions are those of sentences."""
        super().check()
        if self.learner is not None and self.chosen_learner.sees_documents:
            raise ConfigError(
                f"learner {self.chosen_learner.name!r}: an ensemble averages probabilities of labels, in which "
                "features of documents have no part; choose another learner"
            )

    def build_member(self, number: int) -> TaggerOptions:
        """Build the options of one tagger."""
        own = {each.name: getattr(self, each.name) for each in fields(TaggerOptions)}
        return replace(TaggerOptions(**own), seed=self.seed + number)
