"""Which experiments of a recipe to run: by table, corpus, system, or corpus/system."""

from __future__ import annotations

from collections.abc import Sequence

from tagloom.errors import ConfigError, unknown_name
from tagloom.recipes.recipe import Experiment, Recipe


def select(recipe: Recipe, only: Sequence[str] = (), tables: Sequence[str] = ()) -> tuple[Experiment, ...]:
    """The experiments that have one of the names (all, if none is given) and stand in one of the tables.

    A name may hold several, separated by commas; case does not matter, and a hyphen may stand for a blank.
    """
    names = _parts(only)
    chosen = _in_tables(recipe, tables)
    for name in names:
        if not any(name in _names_of(experiment) for experiment in recipe.experiments):
            known = {part for e in recipe.experiments for part in (e.corpus, e.system)}
            raise unknown_name(f"experiment of {recipe.key}", name, known)
    found = tuple(e for e in chosen if not names or not names.isdisjoint(_names_of(e)))
    if not found:
        raise ConfigError(f"{recipe.key}: no experiment {', '.join(sorted(names))} in table {', '.join(tables)}")
    return found


def _in_tables(recipe: Recipe, tables: Sequence[str]) -> list[Experiment]:
    known = dict.fromkeys(experiment.table for experiment in recipe.experiments)
    wanted = _parts(tables)
    for table in sorted(wanted):
        if table not in known:
            raise unknown_name(f"table of {recipe.key}", table, known)
    return [e for e in recipe.experiments if not wanted or e.table in wanted]


def _parts(texts: Sequence[str]) -> set[str]:
    return {_normal(part) for text in texts for part in text.split(",") if part.strip()}


def _names_of(experiment: Experiment) -> set[str]:
    """Its corpus, its system as the paper and as the library calls it, and both together."""
    systems = {_normal(experiment.system), _normal(str(experiment.options.get("learner", experiment.system)))}
    corpus = _normal(experiment.corpus)
    return {corpus, *systems, *(f"{corpus}/{system}" for system in systems)}


def _normal(name: str) -> str:
    return "-".join(name.casefold().split())
