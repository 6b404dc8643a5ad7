"""History-based tagging: labels are decided one after another, and a decision sees the labels decided before it.

A decision is made by lookahead (tsuruoka-2011, section 3) or by beam search over the same transition system.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import tagloom._core as _core
from tagloom.errors import ConfigError, show_value, unknown_name
from tagloom.schema import Field

LEFT_TO_RIGHT, RIGHT_TO_LEFT = DIRECTIONS = ("left-to-right", "right-to-left")
#: Number of a search -> least and largest value.
LIMITS: Mapping[str, tuple[int, int]] = {"depth": (0, 1000), "beam": (1, 100_000), "history": (1, 2)}
#: Defaults.
DEPTH, BEAM = 1, 8


@dataclass(frozen=True)
class HistorySearch:
    """How a history-based tagger searches: by lookahead or with a beam, in which direction, with how much history."""

    depth: Annotated[int | None, Field("Number of labels to look ahead; null: beam search.", 0, 1000)] = DEPTH
    beam: Annotated[int | None, Field("Number of hypotheses; null: lookahead.", 1, 100_000)] = None
    direction: Annotated[str, Field("Where tagging begins.", choices=DIRECTIONS)] = LEFT_TO_RIGHT
    history: Annotated[int, Field("Number of previous labels a decision can look at.", 1, 2)] = 1
    normalised: Annotated[
        bool, Field("Whether hypotheses are scored by the product of the probabilities of their decisions.")
    ] = False

    def __post_init__(self) -> None:
        if (self.depth is None) == (self.beam is None):
            raise ConfigError("depth, beam: expected one of them, because a search is either lookahead or a beam")
        for name in ("depth", "beam", "history"):
            value, (least, most) = getattr(self, name), LIMITS[name]
            if value is not None and (type(value) is not int or not least <= value <= most):
                raise ConfigError(f"{name}: expected a whole number from {least} to {most:,}, got {show_value(value)}")
        if type(self.normalised) is not bool or (self.normalised and self.beam is None):
            raise ConfigError(f"normalised: expected true (only with a beam) or false, got {self.normalised!r}")
        if self.direction not in DIRECTIONS:
            raise unknown_name("direction", str(self.direction), DIRECTIONS)

    @property
    def is_backwards(self) -> bool:
        """Whether tagging goes from right to left."""
        return self.direction == RIGHT_TO_LEFT

    def __str__(self) -> str:
        return f"depth={self.depth}" if self.beam is None else f"beam={self.beam}"

    def core(self, margin: float = 0.0, *, max_violation: bool = True) -> _core.SearchSettings:
        """Build the settings of the core; margin and max_violation matter in training only."""
        return _core.SearchSettings(
            depth=self.depth or 0,
            beam=self.beam or 0,
            margin=margin,
            max_violation=max_violation,
            is_backwards=self.is_backwards,
            is_normalised=self.normalised,
        )
