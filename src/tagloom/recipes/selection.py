"""Which experiments of a recipe to run: by table, corpus, system, or corpus/system."""

from __future__ import annotations

from collections.abc import Sequence

from tagloom.errors import ConfigError, unknown_name
from tagloom.recipes.recipe import Experiment, Recipe


def select(recipe: Recipe, only: Sequence[str] = (), tables: Sequence[str] = ()) -> tuple[Experiment, ...]:
    """The experiments that have one of the names (all, if none is given) and stand in one of the tables.

    A text may hold several names, separated by commas; case does not matter, and a hyphen may stand for a blank.
    """
    names, wanted = _split(only), _split(tables)
    for name in names:
        if not any(_is_called(name, experiment) for experiment in recipe.experiments):
            known = {part for e in recipe.experiments for part in (e.corpus, e.system)}
            raise unknown_name(f"experiment of {recipe.key}", name, known)
    for table in wanted:
        if table not in (known := {e.table for e in recipe.experiments}):
            raise unknown_name(f"table of {recipe.key}", table, known)
    chosen = [e for e in recipe.experiments if not wanted or e.table in wanted]
    found = tuple(e for e in chosen if not names or any(_is_called(name, e) for name in names))
    if not found:
        raise ConfigError(f"{recipe.key}: no experiment {', '.join(names)} in table {', '.join(wanted)}")
    return found


def _split(texts: Sequence[str]) -> list[str]:
    parts = [part.strip() for text in texts for part in text.split(",")]
    if not all(parts):
        raise ConfigError(f"expected names separated by commas, got {','.join(texts)!r}")
    return parts


def _is_called(name: str, experiment: Experiment) -> bool:
    """Its corpus, its system as the paper or as the library calls it, or corpus/system."""
    learner = experiment.options.get("learner", experiment.system)
    corpus, systems = _normal(experiment.corpus), {_normal(experiment.system), _normal(str(learner))}
    return _normal(name) in {corpus, *systems, *(f"{corpus}/{system}" for system in systems)}


def _normal(name: str) -> str:
    return "-".join(name.casefold().split())
