"""Carreras, Marquez and Padro's recipe: the paper's numbers as data, cells of all categories from one training."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tagloom as library
from tagloom.corpus import Corpus, write
from tagloom.datasets import newswire
from tagloom.recipes import RowCache, recipe_of, reproduce, select
from tagloom.recipes import carreras_2003 as paper
from tagloom.recipes.model_bench import AGAINST, APPLYING, TRAINING
from tagloom.recipes.page import grids
from tagloom.recipes.phrase_bench import CATEGORY, OVERALL

RECIPE = recipe_of("carreras-2003")
_MORE: dict[int, set[str]] = {1: {TRAINING, APPLYING}, 2: {TRAINING, APPLYING, "p, degree 1"}}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every file that the recipe reads, made up."""
    folder = tmp_path_factory.mktemp("carreras") / "data"
    for dataset in paper.DATASETS.values():
        for seed, file in enumerate((dataset.train, dataset.dev, dataset.test), 1):
            if file is not None:
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                write(newswire(12 if seed == 1 else 3, seed=seed), folder / file, "conll", dataset.columns)
    return folder


@pytest.fixture
def trainings(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The options of every training."""
    from tagloom.recipes import phrase_bench

    seen: list[dict[str, Any]] = []
    train = library.train_phrases

    def counted(corpus: Corpus, **options: Any) -> Any:
        seen.append(options)
        return train(corpus, **options)

    monkeypatch.setattr(phrase_bench, "train_phrases", counted)
    return seen


def test_every_corpus_has_all_its_lines() -> None:
    for table, corpora in paper.CORPORA.items():
        for corpus, categories in corpora.items():
            found = {(e.system, e.metric) for e in select(RECIPE, [corpus], [table])}
            scores = {f"{part} {measure}" for part in ("dev", "test") for measure in paper.MEASURES}
            for degree in (1, 2):
                for category in categories:
                    more = _MORE[degree] if category == OVERALL else set()
                    assert {m for s, m in found if s == f"degree {degree} {category}"} == scores | more


def test_numbers_of_the_paper() -> None:
    found = {(e.corpus, e.system, e.metric): e.paper for e in RECIPE.experiments if e.paper is not None}
    assert found["conll2003-en", "degree 2 overall", "dev F1"] == 89.26
    assert found["conll2003-en", "degree 2 overall", "test F1"] == 84.30
    assert found["conll2003-de", "degree 2 PER", "test recall"] == 70.88
    assert not any("degree 1" in system or corpus == "conll2000" for corpus, system, _ in found)
    for precision, recall, f1 in (n for c in paper.TABLE_1.values() for p in c.values() for n in p.values()):
        assert 2 * precision * recall / (precision + recall) == pytest.approx(f1, abs=0.011)


def test_options_are_those_of_phrase_chunkers() -> None:
    from tagloom.systems.phrases.options import PhraseOptions

    for e in RECIPE.experiments:
        options = {name: value for name, value in e.options.items() if name not in (CATEGORY, AGAINST)}
        chosen = PhraseOptions(**options)  # type: ignore[arg-type]
        assert (chosen.window, chosen.seed, chosen.epochs) == (3, 1, 3 if e.corpus == "conll2003-de" else 5)


def test_one_training_decides_all_cells(data: Path, tmp_path: Path, trainings: list[dict[str, Any]]) -> None:
    chosen = [replace(e, options={**e.options, "epochs": 1}) for e in select(RECIPE, ["conll2003-en"], ["1"])
              if AGAINST not in e.options]  # fmt: skip
    finished = reproduce(RECIPE, chosen, data, RowCache(tmp_path / "rows"))
    assert [options["degree"] for options in trainings] == [2, 1]
    assert all(options["cutoff"] == 5 for options in trainings)
    ours = {(each.row.system, each.row.metric): each.row.ours for each in finished}
    assert len(ours) == len(chosen)
    assert 0 < ours["degree 2 overall", "test F1"] <= 100
    (grid,) = grids(RECIPE, finished)
    assert grid.headers[:4] == ["system", "dev precision", "dev recall", "dev F1"]
    assert RECIPE.notes(finished)[0].startswith("conll2003-en: degree 2 gains ")


def test_chunking_has_development_data_of_its_own(data: Path, tmp_path: Path, trainings: list[dict[str, Any]]) -> None:
    chosen = [replace(e, options={**e.options, "epochs": 1}) for e in select(RECIPE, ["conll2000"], ["chunking"])
              if AGAINST not in e.options and e.options["degree"] == 1]  # fmt: skip
    finished = reproduce(RECIPE, chosen, data, RowCache(tmp_path / "rows"))
    assert len(trainings) == 2
    assert all(0 <= each.row.ours <= 100 for each in finished if each.row.metric.endswith("F1"))
