"""Recipes: the experiments of the papers, their numbers beside ours, and the best models of each task.

There is one file per paper, and a frame that all share.
"""

from tagloom.recipes.recipe import (
    BEST,
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
    "BEST", "PAPERS", "Experiment", "Finished", "Measurement", "Paper", "Point", "Recipe", "Row", "RowCache",
    "get_default_cache", "get_recipe", "reproduce", "select",
]  # fmt: skip
