"""Alternatives to the defaults of a training, step by step, for those who have the time to try them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

#: Values of some options, by name.
Choice = Mapping[str, Any]


@dataclass(frozen=True)
class Step:
    """Choices that exclude each other, such as template sets. They are tried with the best of the steps before."""

    name: str
    choices: Sequence[Choice]

    def __repr__(self) -> str:
        return f"Step({self.name!r}, {len(self.choices)} choices)"
