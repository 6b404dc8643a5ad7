"""History-based tagging: labels are decided one after another, each with those decided before it in sight.

A decision is made by lookahead (tsuruoka-2011, section 3) or by beam search over the same transition system.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import tagloom._core as _core
from tagloom.errors import ConfigError, unknown_name

LEFT_TO_RIGHT, RIGHT_TO_LEFT = DIRECTIONS = ("left-to-right", "right-to-left")
#: What a search is made of: least, most.
LIMITS: Mapping[str, tuple[int, int]] = {"depth": (0, 1000), "beam": (1, 100_000), "history": (1, 2)}
#: What it is if nobody says.
DEPTH, BEAM = 1, 8


@dataclass(frozen=True)
class HistorySearch:
    """Where tagging begins, how many labels a decision sees, and how it is made: by lookahead or with a beam."""

    depth: int | None = DEPTH  # labels to look ahead; None: a beam
    beam: int | None = None  # hypotheses
    direction: str = LEFT_TO_RIGHT
    history: int = 1
    normalised: bool = False  # whether a hypothesis has the product of the probabilities of its decisions

    def __post_init__(self) -> None:
        if (self.depth is None) == (self.beam is None):
            raise ConfigError("depth and beam: lookahead and beam search exclude each other; choose one")
        for name in ("depth", "beam", "history"):
            value, (least, most) = getattr(self, name), LIMITS[name]
            if value is not None and (type(value) is not int or not least <= value <= most):
                raise ConfigError(f"{name}: expected a whole number from {least} to {most:,}, got {value!r}")
        if type(self.normalised) is not bool or (self.normalised and self.beam is None):
            raise ConfigError(f"normalised: expected true or false, true with a beam, got {self.normalised!r}")
        if self.direction not in DIRECTIONS:
            raise unknown_name("direction", str(self.direction), DIRECTIONS)

    @property
    def is_backwards(self) -> bool:
        return self.direction == RIGHT_TO_LEFT

    def __str__(self) -> str:
        return f"depth={self.depth}" if self.beam is None else f"beam={self.beam}"

    def core(self, margin: float = 0.0, *, max_violation: bool = True) -> _core.SearchSettings:
        return _core.SearchSettings(
            depth=self.depth or 0,
            beam=self.beam or 0,
            margin=margin,
            max_violation=max_violation,
            is_backwards=self.is_backwards,
            is_normalised=self.normalised,
        )
