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
    cost: float = 1.0  # expected time of a trial, in times of the longest so far

    def __repr__(self) -> str:
        return f"Step({self.name!r}, {len(self.choices)} choices)"


def list_settings(choice: Choice) -> list[str]:
    """List the options of a choice as ``--set`` takes them.

    >>> list_settings({"cutoff": 2, "stage1": {"learner": "sgd"}})
    ['cutoff=2', 'stage1.learner=sgd']
    """
    found = []
    for name, value in choice.items():
        if isinstance(value, Mapping):
            found += [f"{name}.{inner}={each}" for inner, each in value.items()]
        else:
            found.append(f"{name}={value}")
    return found
