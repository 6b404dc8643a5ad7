"""Carreras, Marquez and Padro's recipe: the paper's numbers, and cells of all categories from one training."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tagloom.corpus import Corpus
from tagloom.recipes import bench, get_recipe, select
from tagloom.recipes import carreras_2003 as paper
from tagloom.recipes.bench import AGAINST, APPLYING, TRAINING
from tagloom.recipes.carreras_2003 import OVERALL
from tagloom.recipes.page import grids
from tests.recipes.generate import list_values, run_rows, shorten, write_corpora

RECIPE = get_recipe("carreras-2003")
_MORE: dict[int, set[str]] = {1: {TRAINING, APPLYING}, 2: {TRAINING, APPLYING, "p, degree 1"}}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpora(RECIPE.datasets, tmp_path_factory.mktemp("carreras"), documents=12)


@pytest.fixture
def trainings(monkeypatch: pytest.MonkeyPatch) -> list[Mapping[str, Any]]:
    """The options of every training."""
    seen: list[Mapping[str, Any]] = []
    train = bench.train

    def count(corpus: Corpus, **options: Any) -> Any:
        seen.append(options)
        return train(corpus, **options)

    monkeypatch.setattr(bench, "train", count)
    return seen


def shorten_options(options: Mapping[str, Any]) -> dict[str, Any]:
    return {**options, "epochs": 1}


def test_every_corpus_has_all_its_lines() -> None:
    for table, corpora in paper.CORPORA.items():
        for corpus, categories in corpora.items():
            found = {(e.system, e.metric) for e in select(RECIPE, [corpus], [table])}
            scores = {f"{part} {measure}" for part in ("dev", "test") for measure in paper.MEASURES}
            for degree in (1, 2):
                for category in categories:
                    more = _MORE[degree] if category == OVERALL else set()
                    assert {m for s, m in found if s == f"degree {degree} {category}"} == scores | more
    assert all(e.options["epochs"] == (3 if e.corpus == "conll2003-de" else 5) for e in RECIPE.experiments)


def test_numbers_of_the_paper() -> None:
    found = {(e.corpus, e.system, e.metric): e.paper for e in RECIPE.experiments if e.paper is not None}
    assert found["conll2003-en", "degree 2 overall", "dev F1"] == 89.26
    assert found["conll2003-de", "degree 2 PER", "test recall"] == 70.88
    assert not any("degree 1" in system or corpus == "conll2000" for corpus, system, _ in found)
    for precision, recall, f1 in (numbers for lines in paper.TABLE_1.values() for numbers in lines):
        assert 2 * precision * recall / (precision + recall) == pytest.approx(f1, abs=0.011)


def test_one_training_decides_all_cells(data: Path, tmp_path: Path, trainings: list[Mapping[str, Any]]) -> None:
    chosen = shorten(select(RECIPE, ["conll2003-en"], ["1"]), shorten_options)
    finished = run_rows(RECIPE, chosen, data, tmp_path)
    assert [options["degree"] for options in trainings] == [2, 1]
    assert all(options["cutoff"] == 5 for options in trainings)
    ours = list_values(finished)
    assert len(ours) == len(chosen)
    assert 0 < ours["degree 2 overall", "test F1"] <= 100
    assert 0 < ours["degree 2 overall", "p, degree 1"] <= 1
    (grid,) = grids(RECIPE, finished)
    assert grid.headers[:4] == ["system", "dev precision", "dev recall", "dev F1"]
    assert RECIPE.notes(finished)[0].startswith("conll2003-en: degree 2 gains ")


def test_chunking_holds_out_development_data(data: Path, tmp_path: Path, trainings: list[Mapping[str, Any]]) -> None:
    chosen = [e for e in select(RECIPE, ["conll2000"], ["chunking"]) if AGAINST not in e.options]
    chosen = shorten([e for e in chosen if e.options["degree"] == 1], shorten_options)
    finished = run_rows(RECIPE, chosen, data, tmp_path)
    assert len(trainings) == 2
    assert all(0 <= each.row.ours <= 100 for each in finished if each.row.metric.endswith("F1"))
