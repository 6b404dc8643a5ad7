"""Recipes: the experiments of the papers, their numbers beside ours. One file a paper; the frame is shared."""

from tagloom.recipes.cache import RowCache, default_cache
from tagloom.recipes.papers import PAPERS, recipe_of
from tagloom.recipes.recipe import Experiment, Finished, Measured, Point, Recipe, Row
from tagloom.recipes.running import reproduce
from tagloom.recipes.selection import select

__all__ = [
    "PAPERS",
    "Experiment",
    "Finished",
    "Measured",
    "Point",
    "Recipe",
    "Row",
    "RowCache",
    "default_cache",
    "recipe_of",
    "reproduce",
    "select",
]
