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
    recipe_of,
    select,
)
from tagloom.recipes.run import RowCache, default_cache, reproduce

__all__ = [
    "PAPERS", "Experiment", "Finished", "Measurement", "Paper", "Point", "Recipe", "Row", "RowCache", "default_cache",
    "recipe_of", "reproduce", "select",
]  # fmt: skip
