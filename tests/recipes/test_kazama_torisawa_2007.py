"""Kazama and Torisawa's recipe: the paper's numbers as data, cells that share a training, on generated newswire."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tagloom as library
from tagloom.cli.main import run
from tagloom.corpus import write
from tagloom.datasets import newswire
from tagloom.evaluate import compare
from tagloom.features import load_templates
from tagloom.recipes import Experiment, Finished, RowCache, recipe_of, reproduce, select
from tagloom.recipes import kazama_torisawa_2007 as paper
from tagloom.recipes.document_bench import AGAINST, DEV, LEARNING, SETTING, TAGGING, TEST
from tagloom.recipes.once import Once
from tagloom.recipes.page import grids, rows_object, write_page
from tagloom.recipes.retagging import SOURCES
from tagloom.systems.learning import Learning
from tagloom.systems.tagger.options import Options

RECIPE = recipe_of("kazama-torisawa-2007")
COLUMNS = "form pos chunk ner"
TABLES = {"2": 6, "3": 6, "5": 6, "6": 7, "7": 4, "bpm": 4, "gazetteers": 2, "extended": 4}  # lines


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every file that the recipe reads, made up."""
    folder = tmp_path_factory.mktemp("kazama") / "data"
    for seed, (name, documents) in enumerate({"train": 6, "testa": 3, "testb": 3}.items(), 1):
        _write(newswire(documents, seed=seed), folder / f"conll2003-en/eng.{name}", COLUMNS)
    for source, columns in zip(SOURCES, ("form pos", "form pos chunk"), strict=True):
        _write(newswire(2, seed=4), folder / source, columns)
    for file in (path for files in paper.ENTITY_LISTS.values() for path in files):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text("Jordan\n")
    (folder / "resources/brown").mkdir()
    (folder / "resources/brown/brown-rcv1-c3200.paths.txt").write_text("0101\tJordan\t5\n")
    return folder


def _write(corpus: library.Corpus, file: Path, columns: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    write(corpus, file, "conll", columns)


@pytest.fixture
def trainings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The learners that were trained."""
    seen: list[str] = []
    train = Learning.run

    def counted(self: Learning) -> Any:
        seen.append(self.learner.name)
        return train(self)

    monkeypatch.setattr(Learning, "run", counted)
    return seen


def short(options: Mapping[str, Any]) -> dict[str, Any]:
    made = {**options, "epochs": 3} | ({"bpm": 2} if "bpm" in options else {})
    return made | ({AGAINST: short(options[AGAINST])} if AGAINST in options else {})


def cells(tables: str, only: str = "") -> list[Experiment]:
    chosen = select(RECIPE, [only] if only else [], tables.split())
    return [replace(e, options=short(e.options)) for e in chosen]


def run_cells(chosen: list[Experiment], data: Path, folder: Path, jobs: int = 1) -> list[Finished]:
    return reproduce(RECIPE, chosen, data, RowCache(folder / "rows"), jobs=jobs)


def values(finished: list[Finished]) -> dict[tuple[str, str], float]:
    return {(each.row.system, each.row.metric): each.row.ours for each in finished}


# -- the paper's numbers -----------------------------------------------------------------------------------------------


def test_every_line_has_its_cells() -> None:
    for table, lines in TABLES.items():
        found = {(e.system, e.metric): e.paper for e in select(RECIPE, tables=[table])}
        assert len({system for system, _ in found}) == lines
        for system in {system for system, _ in found}:
            assert {DEV, TEST} <= {metric for line, metric in found if line == system}
            assert all((found[system, metric] is None) == (table == "extended") for metric in (DEV, TEST))
    two = {(e.system, e.metric): e.paper for e in select(RECIPE, tables=["2"])}
    assert (two["proposed n'=100", TEST], two["CRF", SETTING]) == (86.30, 100)
    assert {metric for _, metric in two if metric.startswith("p,")} == {"p, margin perceptron", "p, candidate n'=100"}


def test_options_are_legal() -> None:
    for experiment in RECIPE.experiments:
        for options in (experiment.options, experiment.options.get(AGAINST)):
            if options is not None:
                own = {name: value for name, value in options.items() if name != AGAINST}  # type: ignore[attr-defined]
                assert Options(**own).chosen_learner.name == own["learner"]
    assert all(set(tuned) <= set(paper.SYSTEMS) for tuned in paper.TUNED.values())
    assert {e.options["C"] for e in select(RECIPE, tables=["7"])} == {paper.TABLE_7_C}
    assert {e.options["candidates"] for e in select(RECIPE, tables=["3"])} == {20, 100, 400, 800, 1600, 6400}


def test_signatures_tell_rows_apart_and_name_no_path() -> None:
    signatures = [RECIPE.signature(experiment, "0" * 12) for experiment in RECIPE.experiments]
    assert len(set(signatures)) == len(signatures)
    assert not any("/" in signature for signature in signatures)


def test_template_sets_are_shipped() -> None:
    for dataset in RECIPE.datasets.values():
        assert load_templates(dataset.templates).name == dataset.templates


@pytest.mark.parametrize("corpus", RECIPE.datasets)
def test_corpora_are_where_the_recipe_looks(data_dir: Path, corpus: str) -> None:
    assert RECIPE.datasets[corpus].missing(data_dir) is None


# -- cells -------------------------------------------------------------------------------------------------------------


def test_cells_are_what_a_training_gives(data: Path, tmp_path: Path, trainings: list[str]) -> None:
    """Dev, test and p of any number of candidates come from one training of each learner."""
    chosen = [e for e in cells("2 3") if e.system.startswith(("margin", "proposed"))]
    ours = values(run_cells([e for e in chosen if "candidate" not in e.metric], data, tmp_path))
    assert sorted(trainings) == ["margin-perceptron", "nonlocal-perceptron"]
    dataset = RECIPE.datasets["conll2003-en"]
    train, test = dataset.read(data)
    dev = dataset.read_dev(data)
    scores = {}
    for system, candidates in (("margin perceptron", 100), ("proposed n'=100", 100), ("proposed n'=1600", 1600)):
        options = {**dataset.options(data), **short(paper.SYSTEMS[system.split(" n'")[0]])}
        model = library.train(train, **options, candidates=candidates)
        assert ours[system, DEV] == pytest.approx(model.evaluate(dev).value)
        scores[system] = model.evaluate(test)
        assert ours[system, TEST] == pytest.approx(scores[system].value)
    p = compare(scores["proposed n'=100"], scores["margin perceptron"]).p_value
    assert ours["proposed n'=100", "p, margin perceptron"] == p
    assert ours["proposed n'=100", SETTING] == paper.SYSTEMS["proposed"]["C"]
    assert ours["proposed n'=6400", TAGGING] > 0


def test_jobs_share_trainings_too(data: Path, tmp_path: Path, trainings: list[str]) -> None:
    chosen = [e for e in cells("3") if e.metric in (DEV, TEST) and e.options["candidates"] != 6400]
    assert values(run_cells(chosen, data, tmp_path / "1")) == values(run_cells(chosen, data, tmp_path / "2", jobs=2))
    assert trainings == ["nonlocal-perceptron"] * 2


def test_reranking_and_our_own_tags(data: Path, tmp_path: Path) -> None:
    chosen = [e for e in cells("7") if e.system.startswith(("re-ranking", "margin"))]
    ours = values(run_cells(chosen, data, tmp_path))
    assert len(ours) == 9
    assert all(value > 0 for value in ours.values())


@pytest.mark.parametrize("table", ["bpm", "extended"])
def test_tables_that_the_paper_does_not_have(data: Path, tmp_path: Path, table: str) -> None:
    finished = run_cells(cells(table), data, tmp_path)
    (grid,) = grids(RECIPE, finished)
    assert grid.title.startswith(f"{table}: ")
    assert len(grid.lines) == TABLES[table]
    assert ("(" in grid.lines[0][1]) == (table == "bpm")  # of columns that the paper has not, ours stands alone


def test_the_curve_is_of_development_data(data: Path, tmp_path: Path) -> None:
    """Only of the number of candidates that it was drawn with."""
    finished = run_cells([e for e in cells("3") if e.options["candidates"] <= 100], data, tmp_path)
    curves = {(each.row.system, each.row.metric): each for each in finished if each.curve}
    assert list(curves) == [("proposed n'=100", DEV)]
    drawn = curves["proposed n'=100", DEV]
    assert [point.epoch for point in drawn.curve] == [1, 2, 3]
    assert drawn.curve[-1].score == drawn.row.ours


def test_half_a_training_decides_nothing(data: Path, tmp_path: Path) -> None:
    (chosen,) = (e for e in cells("2", "perceptron") if e.metric == DEV)
    bench = RECIPE.open(chosen.corpus, data, None)

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
    assert [(row["system"], row["metric"]) for row in rows] == [
        (f"proposed n'={candidates}", metric) for candidates in (20, 100) for metric in (DEV, TEST, SETTING, TAGGING)
    ]
    assert [row["paper"] for row in rows[:3]] == [91.76, 86.19, 5657]


def test_page(data: Path, tmp_path: Path) -> None:
    finished = run_cells([e for e in cells("2") if e.system != "CRF"], data, tmp_path)
    assert "notes" not in rows_object(RECIPE, finished)
    finished += [Finished(replace(each.row, system="CRF")) for each in finished if each.row.system == "perceptron"]
    seconds = sum(each.row.ours for each in finished if each.row.metric == LEARNING)
    note = f"Table 2: {seconds:,.0f} seconds of learning in all."
    assert rows_object(RECIPE, finished)["notes"] == [note]
    files, _ = write_page(RECIPE, finished, tmp_path)
    text = files[0].read_text()
    assert note in text
    assert "| system | dev F1 | test F1 | seconds of learning | C or σ² | p, margin perceptron |" in text
    assert "rows ran one at a time" in text


def test_figure_has_a_curve_a_system(data: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert RECIPE.figures is not None
    finished = run_cells([e for e in cells("2", "perceptron,margin perceptron") if e.metric == DEV], data, tmp_path)
    files = RECIPE.figures(finished, tmp_path)
    assert [file.name for file in files] == [f"{RECIPE.key}.passes.svg", f"{RECIPE.key}.seconds.svg"]
    for system in ("perceptron", "margin perceptron"):
        assert f'id="conll2003-en-{system}"' in files[0].read_text()


def test_once_is_made_once_by_threads() -> None:
    made: list[int] = []
    once: Once[int] = Once()
    started = threading.Barrier(4)

    def need(number: int) -> int:
        def make() -> int:
            time.sleep(0.01)
            made.append(number)
            return number

        started.wait()
        return once.get("a", make)

    with ThreadPoolExecutor(4) as pool:
        found = set(pool.map(need, range(4)))
    assert found == set(made)
    assert len(made) == 1
