"""Recipes: the experiments of the papers, their numbers beside ours. One file per paper, and a frame that all share."""

from tagloom.recipes.recipe import (
    PAPERS,
    Experiment,
    Finished,
    Measurement,
    Paper,
    Point,
    Recipe,
    Row,
    get_recipe,
    select,
)
from tagloom.recipes.run import RowCache, get_default_cache, reproduce

__all__ = [
    "PAPERS", "Experiment", "Finished", "Measurement", "Paper", "Point", "Recipe", "Row", "RowCache",
    "get_default_cache", "get_recipe", "reproduce", "select",
]  # fmt: skip
