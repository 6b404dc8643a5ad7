"""The best models of each task: averaged members, provided tags, trees, and the metrics of a row, on generated text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tagloom.recipes import BEST, Experiment, Finished, best, get_recipe
from tagloom.recipes.bench import TRAINING
from tagloom.recipes.best import SPEED, SYSTEM, TASKS
from tests.recipes.generate import run_rows, write_corpora

#: What makes a training quick, by option.
QUICK: dict[str, Any] = {"epochs": 1, "depth": 0, "beam": 2, "stage_folds": 2, "members": 2}
SEEDS = (1, 2)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    datasets = {key: task.dataset for key, task in TASKS.items()}
    return write_corpora(datasets, tmp_path_factory.mktemp("best"))


def shorten(experiment: Experiment) -> Experiment:
    options = {name: QUICK.get(name, value) for name, value in experiment.options.items()}
    if "tagger" in options:
        options["tagger"] = {name: QUICK.get(name, value) for name, value in options["tagger"].items()}
    return replace(experiment, options={**options, "seed": SEEDS})


def test_there_is_a_task_for_every_recipe() -> None:
    assert list(TASKS) == list(BEST)


@pytest.mark.parametrize("key", BEST)
def test_rows(key: str, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(best._TAGS, "depth", 0)
    monkeypatch.setitem(best._TAGS, "epochs", 1)
    recipe = get_recipe(key)
    rows: list[Finished] = run_rows(recipe, list(map(shorten, recipe.experiments)), data, tmp_path)
    found = {each.row.metric: each.row for each in rows}
    measures = TASKS[key].measures
    assert list(found) == [*(f"{part} {each}" for part in ("dev", "test") for each in measures), TRAINING, SPEED]
    assert all(0 < found[f"test {each}"].ours <= 100 for each in measures)
    assert found[SPEED].ours > 100
    is_tree = TASKS[key].options.get(SYSTEM) == "parser"
    assert not is_tree or found["test LAS"].ours <= found["test UAS"].ours
