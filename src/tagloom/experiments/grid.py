"""Grid: all combinations of the values to try, checked before the long work."""

from __future__ import annotations

import itertools
import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from tagloom.arguments import is_iterable
from tagloom.corpus import Corpus
from tagloom.errors import ConfigError, unknown_name
from tagloom.systems.options import list_options
from tagloom.systems.registry import System

Plain = str | int | float | bool | None
Grid = Mapping[str, tuple[object, ...]]

MOST_TRIALS = 10_000
#: Why an option cannot be searched over: it does not change the model, or it decides what is scored.
_NOT_LEARNED = "it does not change what is learned"
_NOT_COMPARABLE = "scores of different columns do not compare"
_COLUMNS = ("label", "head", "relation", "relations")


@dataclass(frozen=True)
class Plan:
    """A trial before it runs: its number, from 1, and its options."""

    number: int
    chosen: Mapping[str, object]  # from the grid
    options: Any

    @property
    def name(self) -> str:
        """The name of the trial."""
        return format_trial_name({name: plain(value) for name, value in self.chosen.items()})

    def encoding(self) -> tuple[object, ...]:
        """Return a key: trials of one grid with equal keys share the encoded corpus."""
        known = list_options(type(self.options))
        shaping = [value for name, value in self.chosen.items() if known[name].row.shapes_features]
        return (*shaping, *self.options.layout, self.options.feature_seed)


def format_trial_name(options: Mapping[str, Plain]) -> str:
    """Format the options of a trial as its name, such as ``C=0.5 cutoff=2``."""
    return " ".join(f"{name}={_clip(str(value))}" for name, value in options.items())


def plain(value: object) -> Plain:
    """Convert a value to plain JSON; learners and template sets become their names."""
    if isinstance(value, Plain):
        return value
    return os.fspath(value) if isinstance(value, os.PathLike) else str(getattr(value, "name", value))


def pick(values: object, names: str) -> dict[str, Any]:
    """Return some attributes by name, for a report; names are separated by blanks."""
    return {name: getattr(values, name) for name in names.split()}


def _clip(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 40 else f"{line[:37]}..."


def check_grid(grid: object, row: System) -> Grid:
    """Check a grid; return the values of every option as tuples."""
    if not isinstance(grid, Mapping) or not grid:
        raise ConfigError(f"grid: expected values by option, such as {{'C': [0.1, 1]}}, got {grid!r}")
    known = list_options(row.load_options())
    for name in grid:
        if name not in known:
            raise unknown_name("option in the grid", name, known)
        if name in _COLUMNS or not known[name].row.changes_model:
            why = _NOT_COMPARABLE if name in _COLUMNS else _NOT_LEARNED
            raise ConfigError(f"grid: {name} cannot be tuned: {why}")
    checked = {name: _values(name, values) for name, values in grid.items()}
    count = prod(map(len, checked.values()))
    if count > MOST_TRIALS:
        raise ConfigError(f"grid: {count:,} trials, at most {MOST_TRIALS:,}; try fewer values")
    return checked


def _values(name: str, given: object) -> tuple[object, ...]:
    if isinstance(given, (str, bytes, Mapping)) or not is_iterable(given):
        raise ConfigError(f"grid: {name}: expected a list of values, got {given!r}")
    values = tuple(value.item() if isinstance(value, np.generic) else value for value in given)
    if not values:
        raise ConfigError(f"grid: {name}: no values; name at least one")
    seen: set[object] = set()
    for value in values:
        if not isinstance(value, Hashable):
            raise ConfigError(f"grid: {name}: expected numbers and names, got {type(value).__name__}")
        if value in seen:
            raise ConfigError(f"grid: {name}: {_clip(str(plain(value)))} is named twice")
        seen.add(value)
    return values


def plan_trials(grid: Grid, options: Mapping[str, object], row: System) -> list[Plan]:
    """Plan a trial for every combination; the last option varies fastest."""
    for name in grid:
        if name in options:
            raise ConfigError(f"{name}: given as an option and in the grid; choose one")
    plans = []
    for number, values in enumerate(itertools.product(*grid.values()), 1):
        chosen = dict(zip(grid, values))
        plans.append(Plan(number, chosen, row.load_options().parse({**options, **chosen})))
    return plans


def complete_plans(plans: Sequence[Plan], corpus: Corpus, row: System) -> tuple[list[Plan], list[str]]:
    """Choose from the data what no option states; return complete plans, and notes on what was chosen."""
    found = [row.load_training().complete_options(corpus, plan.options) for plan in plans]
    notes = dict.fromkeys(note for _, each in found for note in each)
    return [replace(plan, options=options) for plan, (options, _) in zip(plans, found)], list(notes)
