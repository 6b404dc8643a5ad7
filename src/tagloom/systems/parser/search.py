"""Options of parsing. They stand apart from those of training, because parsing needs no learner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from tagloom.errors import ConfigError
from tagloom.systems.options import SEARCH, Row, SearchOptions

GOLD, PREDICTED = "gold", "predicted"
TAGS = {
    PREDICTED: "a tagger is trained on them and goes into the model; the parser learns from jackknifed tags",
    GOLD: "as they stand in their column, in training and in use",
}
#: Least and most. Unlike states of a tagger, those of a parser do not meet again: time is exponential in the depth.
LIMITS = {"depth": (0, 16), "beam": (1, 100_000)}


@dataclass(frozen=True, kw_only=True)
class ParserSearch(SearchOptions):
    """Options of parsing: how a parser decides."""

    noun: ClassVar[str] = "parser"

    depth: Annotated[
        int | None,
        Row("Number of actions to look ahead. Default: the model's.", low=0, high=LIMITS["depth"][1], metavar="N",
            panel=SEARCH),
    ] = None  # fmt: skip
    beam: Annotated[
        int | None,
        Row("Number of hypotheses of a beam. Default: the model's.", low=1, high=LIMITS["beam"][1], metavar="N",
            panel=SEARCH),
    ] = None  # fmt: skip


def check_depth(depth: int | None) -> None:
    """Raise :class:`ConfigError` for a depth that would take too long."""
    least, most = LIMITS["depth"]
    if depth is not None and (type(depth) is not int or not least <= depth <= most):
        raise ConfigError(f"depth: expected a whole number from {least} to {most} for a parser, got {depth!r}")
