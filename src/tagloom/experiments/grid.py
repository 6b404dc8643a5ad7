"""Grid: every combination of the values that are to be tried, checked before the long work."""

from __future__ import annotations

import itertools
import os
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np

from tagloom.corpus.schemes import scheme_named
from tagloom.errors import ConfigError, unknown_name
from tagloom.features import load_templates
from tagloom.systems.parallel import SHARED
from tagloom.systems.tagger.options import Options
from tagloom.systems.tagger.train import checked_options

Plain = str | int | float | bool | None
Grid = Mapping[str, tuple[object, ...]]

MOST_TRIALS = 10_000
# Options that a search has no business with, and why.
_FIXED = {
    "label": "scores of different columns do not compare",
    "threads": "it does not change what is learned",
    "names": "it does not change what is learned",
}


@dataclass(frozen=True)
class Plan:
    """A trial before it runs: its number, from 1, and its options."""

    number: int
    chosen: Mapping[str, object]  # from the grid
    options: Options

    @property
    def name(self) -> str:
        return trial_name({name: plain(value) for name, value in self.chosen.items()})

    def encoding(self) -> tuple[object, ...]:
        """What tells the encoded corpora of one grid apart."""
        shaping = [value for name, value in self.chosen.items() if name in SHARED]
        return (*shaping, *self.options.layout)


def trial_name(options: Mapping[str, Plain]) -> str:
    """
    >>> trial_name({"C": 0.5, "cutoff": 2})
    'C=0.5 cutoff=2'
    """
    return " ".join(f"{name}={_clipped(str(value))}" for name, value in options.items())


def plain(value: object) -> Plain:
    """A value as JSON holds it: learners and template sets by their name."""
    if isinstance(value, Plain):
        return value
    return os.fspath(value) if isinstance(value, os.PathLike) else str(getattr(value, "name", value))


def _clipped(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 40 else f"{line[:37]}..."


def checked_grid(grid: object) -> Grid:
    """The values of every option, as tuples; anything else than a grid is refused."""
    if not isinstance(grid, Mapping) or not grid:
        raise ConfigError(f"grid: expected values by option, such as {{'C': [0.1, 1]}}, got {grid!r}")
    for name in grid:
        if name not in Options.__dataclass_fields__:
            raise unknown_name("option in the grid", name, Options.__dataclass_fields__)
        if name in _FIXED:
            raise ConfigError(f"grid: {name} cannot be tuned: {_FIXED[name]}")
    checked = {name: _values(name, values) for name, values in grid.items()}
    count = prod(map(len, checked.values()))
    if count > MOST_TRIALS:
        raise ConfigError(f"grid: {count:,} trials, at most {MOST_TRIALS:,}; try fewer values")
    return checked


def _values(name: str, given: object) -> tuple[object, ...]:
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise ConfigError(f"grid: {name}: expected a list of values, got {given!r}")
    values = tuple(value.item() if isinstance(value, np.generic) else value for value in given)
    if not values:
        raise ConfigError(f"grid: {name}: no values; name at least one")
    seen: set[object] = set()
    for value in values:
        if not isinstance(value, Hashable):
            raise ConfigError(f"grid: {name}: expected numbers and names, got {type(value).__name__}")
        if value in seen:
            raise ConfigError(f"grid: {name}: {_clipped(str(plain(value)))} is named twice")
        seen.add(value)
    return values


def planned(grid: Grid, options: Mapping[str, object]) -> list[Plan]:
    """A plan for every combination; the last option varies fastest."""
    for name in grid:
        if name in options:
            raise ConfigError(f"{name}: given as an option and in the grid; choose one")
    plans = []
    for number, values in enumerate(itertools.product(*grid.values()), 1):
        chosen = dict(zip(grid, values))
        plans.append(Plan(number, chosen, checked_options({**options, **chosen})))
    for templates in grid.get("templates", ()):
        if templates is not None:
            load_templates(templates)  # type: ignore[arg-type]  # checked by Options
    for scheme in grid.get("scheme", ()):
        if scheme is not None:
            scheme_named(str(scheme))
    return plans
