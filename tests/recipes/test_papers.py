"""Every recipe: its parts fit together, its signatures tell rows apart, its corpora are where it looks for them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tagloom.features import load_templates
from tagloom.recipes import BEST, PAPERS, Recipe, get_recipe
from tagloom.recipes.bench import AGAINST, FIRST, TUNE, drop
from tagloom.recipes.best import SYSTEM
from tagloom.recipes.carreras_2003 import CATEGORY
from tagloom.recipes.seeds import choose_seed
from tagloom.recipes.tsuruoka_2011 import Treebank
from tagloom.systems.parser.options import ParserOptions
from tagloom.systems.phrases.options import PhraseOptions
from tagloom.systems.registry import get_system
from tagloom.systems.tagger.options import TaggerOptions

RECIPES = [get_recipe(key) for key in (*PAPERS, *BEST)]
CORPORA = [(recipe, corpus) for recipe in RECIPES for corpus in recipe.datasets]
pytestmark = pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.key)


def test_parts_fit_together(recipe: Recipe) -> None:
    cells = [(e.table, e.corpus, e.system, e.metric) for e in recipe.experiments]
    assert len(set(cells)) == len(cells)
    assert {e.corpus for e in recipe.experiments} == set(recipe.datasets)
    for e in recipe.experiments:
        assert sum(e.table == x.table and x.corpus in (None, e.corpus) for x in recipe.layouts) == 1
    if recipe.key in PAPERS:
        assert PAPERS[recipe.key].module == f"tagloom.recipes.{recipe.key.replace('-', '_')}"


def test_signatures_tell_rows_apart_and_name_no_path(recipe: Recipe) -> None:
    signatures = [recipe.signature(experiment, "0" * 12) for experiment in recipe.experiments]
    assert len(set(signatures)) == len(signatures)
    assert not any("/" in signature for signature in signatures)
    assert len({recipe.signature(recipe.experiments[0], data) for data in ("0" * 12, "1" * 12)}) == 2


def test_options_are_legal(recipe: Recipe) -> None:
    for e in recipe.experiments:
        is_tree = isinstance(recipe.datasets[e.corpus], Treebank)
        kind = PhraseOptions if CATEGORY in e.options else ParserOptions if is_tree else TaggerOptions
        kind = get_system(e.options[SYSTEM]).load_options() if SYSTEM in e.options else kind
        one = choose_seed(e.options, 0)
        tagger = {} if kind is ParserOptions else one.pop("tagger", {})
        TaggerOptions(**tagger)
        for options in (one if SYSTEM in e.options or not tagger else {}, one.get(AGAINST, {})):
            kind(**drop(options, AGAINST, CATEGORY, TUNE, FIRST, SYSTEM))


def test_template_sets_are_shipped(recipe: Recipe) -> None:
    for dataset in recipe.datasets.values():
        assert load_templates(dataset.templates).name == dataset.templates


def test_corpora_are_where_the_recipe_looks(recipe: Recipe, data_dir: Path) -> None:
    assert [dataset.missing(data_dir) for dataset in recipe.datasets.values()] == [None] * len(recipe.datasets)


def test_no_paper_imports_another(recipe: Recipe) -> None:
    import tagloom.recipes

    module = PAPERS[recipe.key].module if recipe.key in PAPERS else "tagloom.recipes.best"
    file = Path(tagloom.recipes.__path__[0]) / f"{module.rpartition('.')[2]}.py"
    modules = {node.module for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.ImportFrom)}
    assert modules.isdisjoint(paper.module for paper in PAPERS.values())
