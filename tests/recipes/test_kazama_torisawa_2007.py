"""Kazama and Torisawa's recipe: the paper's numbers, and cells that share a training."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tagloom as library
from tagloom.cli.main import run
from tagloom.evaluate import compare
from tagloom.recipes import Experiment, Finished, get_recipe, select
from tagloom.recipes import kazama_torisawa_2007 as paper
from tagloom.recipes.bench import FIRST, LEARNING, TAGGING, TUNE, TaggerBench
from tagloom.recipes.dataset import DEV, TEST, TRAIN
from tagloom.recipes.kazama_torisawa_2007 import DEV_F1, SETTING, TEST_F1
from tagloom.recipes.page import grids, rows_to_dict, write_page
from tagloom.systems.learning import Learning
from tests.recipes.generate import list_values, run_rows, shorten, write_corpora

RECIPE = get_recipe("kazama-torisawa-2007")
SHORT_GRID = paper.GRID[:2]
TABLES = {"2": 6, "3": 6, "5": 6, "6": 7, "7": 4, "bpm": 4, "gazetteers": 2, "extended": 4}  # lines of scores


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpora(RECIPE.datasets, tmp_path_factory.mktemp("kazama"), documents=6)


@pytest.fixture
def trainings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The learners that were trained."""
    seen: list[str] = []
    train = Learning.run

    def count(self: Learning) -> Any:
        seen.append(self.training.options.chosen_learner.name)
        return train(self)

    monkeypatch.setattr(Learning, "run", count)
    return seen


def shorten_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Few passes; of the values of C all but two are left out."""
    short = {**options, "epochs": 3} | ({"bpm": 2} if "bpm" in options else {})
    if TUNE in short:
        short[TUNE] = {**short[TUNE], "grid": {"C": SHORT_GRID}, "epochs": 2}
    if isinstance(short.get(FIRST), Mapping):
        short[FIRST] = shorten_options(short[FIRST])
    return short


def select_cells(tables: str, only: str = "") -> list[Experiment]:
    return shorten(select(RECIPE, [only] if only else [], tables.split()), shorten_options)


# -- the paper's numbers -----------------------------------------------------------------------------------------------


def test_every_line_has_its_cells() -> None:
    for table, lines in TABLES.items():
        found = {(e.system, e.metric): e.paper for e in select(RECIPE, tables=[table])}
        assert len({system for system, _ in found}) == lines
        for system in {system for system, _ in found}:
            assert {DEV_F1, TEST_F1} <= {metric for line, metric in found if line == system}
            assert all((found[system, metric] is None) == (table == "extended") for metric in (DEV_F1, TEST_F1))
    two = {(e.system, e.metric): e.paper for e in select(RECIPE, tables=["2"])}
    assert (two["proposed n'=100", TEST_F1], two["CRF", SETTING]) == (86.30, 100)
    assert {metric for _, metric in two if metric.startswith("p,")} == {"p, margin perceptron", "p, candidate n'=100"}
    assert all(set(options) <= set(paper.SYSTEMS) for options in paper.OVERRIDES.values())
    assert {e.options["C"] for e in select(RECIPE, tables=["7"])} == {paper.FIXED_C}
    tuned = {(e.corpus, e.system) for e in select(RECIPE, tables=["tuning"])}
    for e in RECIPE.experiments:
        if TUNE in e.options:
            assert (e.corpus, e.system.partition(" n'")[0].partition(" bpm")[0]) in tuned
    assert {e.options["candidates"] for e in select(RECIPE, tables=["3"])} == {20, 100, 400, 800, 1600, 6400}


# -- cells -------------------------------------------------------------------------------------------------------------


def test_cells_are_what_a_training_gives(data: Path, tmp_path: Path, trainings: list[str]) -> None:
    """Dev, test and p with any number of candidates come from one training of each learner, and C from its trials."""
    chosen = [e for e in select_cells("2 3") if e.system.startswith(("margin", "proposed"))]
    ours = list_values(run_rows(RECIPE, [e for e in chosen if "candidate" not in e.metric], data, tmp_path))
    each = 1 + len(SHORT_GRID)
    assert sorted(trainings) == ["margin-perceptron"] * each + ["nonlocal-perceptron"] * each
    dataset = RECIPE.datasets["conll2003-en"]
    corpora, scores = dataset.read(data), {}
    for system, candidates in (("margin perceptron", 100), ("proposed n'=100", 100), ("proposed n'=1600", 1600)):
        options = {**dataset.options(data), **shorten_options(paper.SYSTEMS[system.split(" n'")[0]])}
        del options[TUNE]
        options["C"] = ours[system, SETTING]
        model = library.train(corpora[TRAIN], **options, candidates=candidates)
        assert ours[system, DEV_F1] == pytest.approx(model.evaluate(corpora[DEV]).value)
        scores[system] = model.evaluate(corpora[TEST])
        assert ours[system, TEST_F1] == pytest.approx(scores[system].value)
    p = compare(scores["proposed n'=100"], scores["margin perceptron"]).p_value
    assert ours["proposed n'=100", "p, margin perceptron"] == p
    assert ours["proposed n'=100", SETTING] in SHORT_GRID
    assert ours["proposed n'=6400", TAGGING] > 0


def test_jobs_share_trainings_too(data: Path, tmp_path: Path, trainings: list[str]) -> None:
    chosen = [e for e in select_cells("3") if e.metric in (DEV_F1, TEST_F1) and e.options["candidates"] != 6400]
    one, two = (list_values(run_rows(RECIPE, chosen, data, tmp_path / str(jobs), jobs=jobs)) for jobs in (1, 2))
    assert one == two
    assert trainings == ["nonlocal-perceptron"] * 2 * (1 + len(SHORT_GRID))


def test_margins_are_tuned_on_development_data(data: Path, tmp_path: Path, trainings: list[str]) -> None:
    """The value whose trial ends with the best score; and the first models of re-ranking have a value of their own."""
    cells = [*select_cells("tuning", "conll2003-en-retagged"), *select_cells("6", "conll2003-en-retagged")]
    cells = [e for e in cells if e.metric in (SETTING, *(f"dev F1, C = {C}" for C in SHORT_GRID))]
    cells = [e for e in cells if e.system.startswith(("margin", "re-ranking 2"))]
    ours = list_values(run_rows(RECIPE, cells, data, tmp_path))
    for system, line in (("margin perceptron", "margin perceptron"), ("re-ranking 2", "re-ranking 2 n'=100")):
        trials = {C: ours[system, f"dev F1, C = {C}"] for C in SHORT_GRID}
        assert ours[line, SETTING] == max(trials, key=lambda C: trials[C])
    count = len(SHORT_GRID)
    assert trainings[-2 * count :] == ["margin-perceptron"] * count + ["reranking-2"] * count
    for file in (tmp_path / "rows").glob("*.json"):
        file.unlink()
    assert list_values(run_rows(RECIPE, cells, data, tmp_path)) == ours  # from the trials that were kept
    bench = RECIPE.open(RECIPE.datasets["conll2003-en-retagged"], data, tmp_path / "rows" / "folds")
    assert isinstance(bench, TaggerBench)
    options = bench.settle(next(e.options for e in cells if e.system == "re-ranking 2 n'=100"), lambda _: None)
    assert options[FIRST] == ours["margin perceptron", SETTING]
    assert TUNE not in options


def test_reranking_and_our_own_tags(data: Path, tmp_path: Path) -> None:
    chosen = [e for e in select_cells("7") if e.system.startswith(("re-ranking", "margin"))]
    ours = list_values(run_rows(RECIPE, chosen, data, tmp_path))
    assert len(ours) == 9
    assert all(value > 0 for value in ours.values())


@pytest.mark.parametrize("table", ["bpm", "extended"])
def test_tables_that_the_paper_does_not_have(data: Path, tmp_path: Path, table: str) -> None:
    (grid,) = grids(RECIPE, run_rows(RECIPE, select_cells(table), data, tmp_path))
    assert grid.title.startswith(f"{table}: ")
    assert len(grid.lines) == TABLES[table]
    assert ("(" in grid.lines[0][1]) == (table == "bpm")  # a column that the paper does not have shows ours alone


def test_the_curve_is_that_of_development_data(data: Path, tmp_path: Path) -> None:
    """Only the number of candidates that it was drawn with has it."""
    chosen = [e for e in select_cells("3") if e.options["candidates"] <= 100]
    curves = [each for each in run_rows(RECIPE, chosen, data, tmp_path) if each.curve]
    assert [(each.row.system, each.row.metric) for each in curves] == [("proposed n'=100", DEV_F1)]
    assert [point.epoch for point in curves[0].curve] == [1, 2, 3]
    assert curves[0].curve[-1].score == curves[0].row.ours
    pytest.importorskip("matplotlib")
    assert RECIPE.figures is not None
    files = RECIPE.figures(curves, tmp_path)
    assert [file.name for file in files] == [f"{RECIPE.key}.passes.svg", f"{RECIPE.key}.seconds.svg"]
    assert 'id="conll2003-en-proposed n\'=100"' in files[0].read_text()


def test_an_interrupted_training_decides_nothing(data: Path) -> None:
    (chosen,) = (e for e in select_cells("2", "perceptron") if e.metric == DEV_F1)
    bench = RECIPE.open(RECIPE.datasets[chosen.corpus], data, None)

    def stop(text: str) -> None:
        raise KeyboardInterrupt

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            bench.run(chosen, stop)
    assert bench.run(chosen, lambda _: None).curve


# -- the command and the page ------------------------------------------------------------------------------------------


def test_command(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["reproduce", RECIPE.key, "--data", data, "--cache", tmp_path, "--table", "3", "--json"]
    assert run([*map(str, arguments), "--only", "proposed n'=20,Proposed-n'=100"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    metrics = (DEV_F1, TEST_F1, SETTING, TAGGING)
    assert [(row["system"], row["metric"]) for row in rows] == [
        (f"proposed n'={candidates}", metric) for candidates in (20, 100) for metric in metrics
    ]
    assert [row["paper"] for row in rows[:3]] == [91.76, 86.19, 5657]


def test_page(data: Path, tmp_path: Path) -> None:
    finished = run_rows(RECIPE, [e for e in select_cells("2") if e.system != "CRF"], data, tmp_path)
    assert "notes" not in rows_to_dict(RECIPE, finished)
    finished += [Finished(replace(each.row, system="CRF")) for each in finished if each.row.system == "perceptron"]
    seconds = sum(each.row.ours for each in finished if each.row.metric == LEARNING)
    note = f"Table 2: {seconds:,.0f} seconds of learning in all."
    assert rows_to_dict(RECIPE, finished)["notes"] == [note]
    text = write_page(RECIPE, finished, tmp_path)[0][0].read_text()
    assert note in text
    assert "| system | dev F1 | test F1 | seconds of learning | C or σ² | p, margin perceptron |" in text
