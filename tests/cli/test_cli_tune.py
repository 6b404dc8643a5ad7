"""tagloom tune: its table, JSON, files, ranges and errors."""

from __future__ import annotations

import csv
import json
import shlex
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

import tagloom as library
from tagloom.cli.settings import read_grid
from tagloom.systems.options import list_options
from tagloom.systems.tagger.options import TaggerOptions
from tests.cli.outcome import Files, Tagloom

FAST = ("--columns", "form pos chunk", "--templates", "form[0]\n/ edge\n", "--learner", "pa", "--epochs", 5)


def test_the_table_begins_with_the_best_trial_and_ends_with_the_command_that_trains_it(
    tagloom: Tagloom, files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = tagloom("tune", files.train, "--dev", files.dev, *FAST, "--grid", "C=0.0001..1x100", "--grid",
                     "cutoff=1,2", "--set", "patience=4", "--save", "best.tagloom")  # fmt: skip
    assert result.code == 0
    head, *lines = result.out.splitlines()
    assert head.split() == ["trial", "C", "cutoff", "dev", "F1", "pass", "passes", "seconds", "status"]
    rows = [line.split() for line in lines[:6]]
    assert {(row[1], row[2]) for row in rows} == {(c, n) for c in ("0.0001", "0.01", "1.0") for n in ("1", "2")}
    assert [float(row[3]) for row in rows] == sorted((float(row[3]) for row in rows), reverse=True)
    assert {row[-1] for row in rows} == {"finished", "stopped"}
    assert "|grid:C=0.0001,0.01,1.0;cutoff=1,2|keep:0.5" in lines[6]
    words = shlex.split("\n".join(lines[7:]))
    assert words[:3] == ["tagloom", "train", str(files.train)]
    trained = tagloom(*words[1:], "--json").json
    assert f"{trained['dev']['f1']:.2f}" == rows[0][3]
    assert trained["best_epoch"] == int(rows[0][4])
    assert Path("best.tagloom").read_bytes() == Path("model.tagloom").read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"best.tagloom", "model.tagloom"}


def test_json_equals_the_python_interface_and_the_file(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    call = ("tune", files.train, "--dev", files.dev, *FAST, "--grid", "C=0.001,1", "--keep", "all", "-o", tmp_path)
    result = tagloom(*call, "--json")
    found = result.json
    tuning = library.tune(
        files.train, files.dev, {"C": [0.001, 1.0]}, keep=1, columns="form pos chunk", learner="pa",
        templates="form[0]\n/ edge\n", epochs=5,
    )  # fmt: skip
    assert [trial["scores"] for trial in found["trials"]] == [list(trial.scores) for trial in tuning.rank()]
    assert found["signature"] == tuning.signature
    assert {trial["status"] for trial in found["trials"]} == {"finished"}
    assert found.pop("command").startswith("tagloom train ")
    assert json.loads((tmp_path / "tune.json").read_text("utf-8")) == found
    assert "wrote tune.json, tune.csv, tune.svg" in result.err
    again = tagloom(*call, "--json")
    assert again.json["trials"] == found["trials"]  # seconds, too: nothing was trained again


def test_the_csv_and_the_drawing(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    call = ("tune", files.train, "--dev", files.dev, *FAST[:6], "--grid", "epochs=4,8", "--grid", "C=0.001..1x10", "-o",
            tmp_path)  # fmt: skip
    report = tagloom(*call, "--json").json
    rows = list(csv.DictReader((tmp_path / "tune.csv").read_text("utf-8").splitlines()))
    assert [float(row["score"]) for row in rows] == [trial["score"] for trial in report["trials"]]
    assert [int(row["options.epochs"]) for row in rows] == [trial["options"]["epochs"] for trial in report["trials"]]
    assert [int(row["epochs"]) for row in rows] == [trial["epochs"] for trial in report["trials"]]
    drawing = (tmp_path / "tune.svg").read_bytes()
    ids = {element.get("id") for element in ElementTree.fromstring(drawing).iter()}
    assert {"line-0", "line-1", "best"} <= ids
    tagloom(*call)
    assert (tmp_path / "tune.svg").read_bytes() == drawing


def test_without_matplotlib_one_line_says_what_to_install(
    tagloom: Tagloom, files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = tagloom("tune", files.train, "--dev", files.dev, *FAST, "--grid", "C=1", "-o", tmp_path / "out")
    assert result.code == 0
    assert result.err.splitlines()[-1].endswith("need matplotlib: pip install 'tagloom[plots]'")
    assert (tmp_path / "out" / "tune.json").exists()


def test_ctrl_c_reports_what_is_there_and_exits_130(
    tagloom: Tagloom, files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tagloom.systems.tagger import learn as chain_learning

    call, scored = chain_learning.WeightScorer.__call__, []

    def interrupting(self, weights, total=None):
        scored.append(call(self, weights, total))
        if len(scored) == 4:
            raise KeyboardInterrupt
        return scored[-1]

    command = ("tune", files.train, "--dev", files.dev, *FAST, "--grid", "C=0.001..1x10", "--jobs", 1, "-o", tmp_path)
    monkeypatch.setattr(chain_learning.WeightScorer, "__call__", interrupting)
    halted = tagloom(*command)
    assert halted.code == 130
    assert "unfinished" in halted.out
    assert halted.err.splitlines()[-1] == "interrupted: what the trials reached is reported; the same command continues"
    monkeypatch.undo()
    resumed, whole = tagloom(*command, "--json").json, tagloom(*command[:-2], "--json").json
    assert [trial["scores"] for trial in resumed["trials"]] == [trial["scores"] for trial in whole["trials"]]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("C=0.01..10x10", [0.01, 0.1, 1.0, 10.0]),
        ("C=1..1.5+.1", [1.0, 1.1, 1.2, 1.3, 1.4, 1.5]),
        ("C=1e-3..1e+1x10, 5", [0.001, 0.01, 0.1, 1.0, 10.0, 5.0]),
        ("C=500..5000x2", [500.0, 1000.0, 2000.0, 4000.0]),
        ("cutoff=1..6+2", [1, 3, 5]),
        ("cutoff=7", [7]),
        ("learner=pa, dca", ["pa", "dca"]),
        ("templates=a..b", ["a..b"]),
    ],
)
def test_values_and_ranges(text: str, values: list[object]) -> None:
    (found,) = read_grid([text], list_options(TaggerOptions)).values()
    assert found == values
    assert [type(value) for value in found] == [type(value) for value in values]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--grid", "C"), "--grid C: expected NAME=VALUE,VALUE..."),
        (("--grid", "C="), "grid: C: no values; name at least one"),
        (("--grid", "C=1,,2"), "--grid C=: expected a number"),
        (("--grid", "C=1,x"), "--grid C=x: expected a number"),
        (("--grid", "C=1,1"), "grid: C: 1.0 is named twice"),
        (("--grid", "C=1", "--grid", "C=2"), "--grid C=2: C is given twice; list its values in one --grid"),
        (("--grid", "epoch=3"), "unknown setting 'epoch'; did you mean 'epochs'?"),
        (("--grid", "cutoff=1..3x1.5"), "--grid cutoff=1.5: expected a whole number"),
        (("--grid", "C=2..1x2"), "--grid C=2..1x2: expected a range that grows, such as 0.01..10x10 or 1..9+2"),
        (("--grid", "C=1..2x1"), "--grid C=1..2x1: expected a range that grows"),
        (("--grid", "C=1..1e999999x1e999999"), "--grid C=1..1e999999x1e999999: expected a range that grows"),
        (("--grid", "C=1..2+0"), "--grid C=1..2+0: expected a range that grows"),
        (("--grid", "C=1..20000+1"), "--grid C=1..20000+1: more than 10,000 values; take larger steps"),
        (("--grid", "C=1..200+1", "--grid", "seed=1..100+1"), "grid: 20,000 trials, at most 10,000"),
        (("--grid", "C=1", "--set", "C=1"), "C: given as an option and in the grid; choose one"),
        (("--grid", "C=1", "--learner", "perceptron"), "learner 'perceptron' has no 'C'"),
        (("--grid", "C=1", "--keep", "some"), "--keep some: expected a part of the trials such as 0.5, or all"),
        (("--grid", "C=1", "--keep", "2"), "keep: expected a part of the trials"),
        (("--grid", "C=1", "--jobs", "0"), "jobs: expected"),
        (("--grid", "C=1", "--save", "/no/such/m"), "/no/such/m: cannot write: no such directory"),
        ((), "missing option '--grid'"),
    ],
)
def test_errors_are_one_line(tagloom: Tagloom, files: Files, arguments: tuple[str, ...], message: str) -> None:
    options = () if "--learner" in arguments else ("--learner", "pa")
    assert tagloom("tune", files.train, "--dev", files.dev, *options, *arguments).error.startswith(message)


def test_development_data_is_required(tagloom: Tagloom, files: Files) -> None:
    assert "--dev" in tagloom("tune", files.train, "--grid", "C=1").error
