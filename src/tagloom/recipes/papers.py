"""The papers. A recipe is a module with the name ``RECIPE``; it is imported when it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from tagloom.errors import ConfigError, unknown_name
from tagloom.recipes.recipe import Recipe


@dataclass(frozen=True)
class Paper:
    """A paper by its key: what it is called, and the module of its recipe, if there is one."""

    title: str
    module: str | None = None


PAPERS: dict[str, Paper] = {
    "kazama-torisawa-2007": Paper("Kazama and Torisawa 2007, A New Perceptron Algorithm for Sequence Labeling with "
                                  "Non-local Features", "tagloom.recipes.kazama_torisawa_2007"),
    "collins-2002": Paper("Collins 2002, Ranking Algorithms for Named-Entity Extraction: Boosting and the Voted "
                          "Perceptron", "tagloom.recipes.collins_2002"),
    "tsuruoka-2011": Paper("Tsuruoka, Miyao and Kazama 2011, Learning with Lookahead: Can History-Based Models Rival "
                           "Globally Optimized Models?", "tagloom.recipes.tsuruoka_2011"),
    "carreras-2003": Paper("Carreras, Màrquez and Padró 2003, Learning a Perceptron-Based Named Entity Chunker via "
                           "Online Recognition Feedback", "tagloom.recipes.carreras_2003"),
    "he-wang-2012": Paper("He and Wang 2012, A Comparison and Improvement of Online Learning Algorithms for Sequence "
                          "Labeling", "tagloom.recipes.he_wang_2012"),
}  # fmt: skip


def recipe_of(key: str) -> Recipe:
    """The recipe of a paper."""
    if key not in PAPERS:
        raise unknown_name("paper", key, PAPERS)
    module = PAPERS[key].module
    if module is None:
        there = ", ".join(name for name, paper in PAPERS.items() if paper.module)
        raise ConfigError(f"{key}: there is no recipe for it yet (there is one for: {there})")
    recipe: Recipe = import_module(module).RECIPE
    return recipe
