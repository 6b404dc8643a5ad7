"""Figures and tables of a tuning: any kind of grid, trials without a pass, the same bytes each time."""

from __future__ import annotations

import csv
from dataclasses import replace
from math import prod
from xml.etree import ElementTree

import pytest

from tagloom.datasets import newswire
from tagloom.experiments.trials import Trial, Tuning
from tagloom.experiments.tune import tune
from tagloom.files.checkpoint import EpochRecord
from tagloom.report import build_tuning_csv, draw_tuning
from tagloom.report.tuning import build_tuning_rows, choose_parameter, list_tuning_headers


def build_tuning(grid: dict[str, list[object]], scores: list[float | None]) -> Tuning:
    """A tuning with one pass per trial, or none."""
    corpus = newswire(1, seed=1)
    one = tune(corpus, corpus, {"seed": [1]}, label="pos", templates="form[0]", epochs=1)
    combinations: list[dict[str, object]] = [{}]
    for name, values in grid.items():
        combinations = [{**chosen, name: value} for chosen in combinations for value in values]
    trials = [
        Trial(number, chosen, () if score is None else (EpochRecord(1, 1, 1, 0.0, score),), 0.5, "finished")
        for number, (chosen, score) in enumerate(zip(combinations, scores), 1)
    ]
    return replace(one, trials=tuple(trials), grid={name: tuple(values) for name, values in grid.items()})


def list_ids(drawing: bytes) -> set[str | None]:
    return {element.get("id") for element in ElementTree.fromstring(drawing).iter()}


@pytest.mark.parametrize(
    ("grid", "parameter", "lines"),
    [
        ({"learner": ["pa", "dca"]}, "learner", 1),
        ({"learner": ["pa", "dca"], "C": [0.1, 1.0, 10.0]}, "C", 2),
        ({"cutoff": [1, 2], "C": [0.1, 1.0, 10.0]}, "C", 2),
        ({"c2": [0, 0.5]}, "c2", 1),
        ({"C": [1.0]}, "C", 1),
        ({"averaging": [None, "lazy"]}, "averaging", 1),
        ({"seed": list(range(30)), "cutoff": list(range(1, 33))}, "cutoff", 30),
        ({"seed": list(range(40)), "cutoff": list(range(1, 43))}, "cutoff", 36),  # no more can be told apart
    ],
)
def test_every_grid_can_be_drawn(grid: dict[str, list[object]], parameter: str, lines: int):
    count = prod(map(len, grid.values()))
    tuning = build_tuning(grid, [80.0 + number % 7 for number in range(count)])
    assert choose_parameter(tuning) == parameter
    drawing = draw_tuning(tuning)
    assert drawing == draw_tuning(tuning)
    found = {name for name in list_ids(drawing) if str(name).startswith("line-") and str(name).count("-") == 1}
    assert found == {f"line-{number}" for number in range(lines)}


def test_trials_without_a_pass_stand_last():
    tuning = build_tuning({"C": [0.1, 1.0, 10.0]}, [None, 0.0, 90.0])
    assert [trial.number for trial in tuning.rank()] == [3, 2, 1]
    rows = build_tuning_rows(tuning)
    assert {len(row) for row in rows} == {len(list_tuning_headers(tuning))}
    assert rows[-1][2:4] == ("-", "-")
    assert [row["score"] for row in csv.DictReader(build_tuning_csv(tuning).splitlines())] == ["90.0", "0.0", ""]
    assert "line-0" in list_ids(draw_tuning(tuning))
