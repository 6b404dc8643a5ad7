"""tagloom compare: its table, JSON, files and errors."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import tagloom as library
from tests.cli.outcome import Files, Tagloom

FAST = ("--columns", "form pos chunk", "--templates", "chunking", "--epochs", 3)


def test_the_table_has_a_row_a_learner_and_signatures(tagloom: Tagloom, files: Files) -> None:
    result = tagloom("compare", files.train, "--test", files.test, *FAST, "--set", "perceptron.epochs=2")
    assert result.code == 0
    head, *lines = result.out.splitlines()
    assert head.split()[:4] == ["learner", "F1", "epochs", "kept"]
    epochs = {line.split()[0]: line.split()[2] for line in lines[: len(library.LEARNERS)]}
    assert list(epochs) == list(library.LEARNERS)
    assert (epochs["perceptron"], epochs["averaged-perceptron"]) == ("2", "3")
    signatures = lines[len(library.LEARNERS) :]
    assert all(f"|learner:{name}|" in line for name, line in zip(library.LEARNERS, signatures))
    assert "averaged-perceptron: pass 3: " in result.err
    assert f"{files.train}: guessed CoNLL columns" in result.err


def test_json_equals_the_python_interface(tagloom: Tagloom, files: Files) -> None:
    report = tagloom("compare", files.train, "--test", files.test, "--dev", files.dev, *FAST, "--json", "--jobs", 1,
                     "--learners", "averaged-perceptron", "--scheme", "BIOES").json  # fmt: skip
    (run,) = library.compare_learners(
        files.train, files.test, ["averaged-perceptron"], dev=files.dev, columns="form pos chunk", templates="chunking",
        epochs=3, scheme="BIOES",
    ).runs  # fmt: skip
    (found,) = report["runs"]
    assert found["test"] == run.score.to_dict()
    assert [point["score"] for point in found["curve"]] == [point.score for point in run.curve]
    assert found["best_epoch"] == run.best_epoch
    assert report["train"]["name"] == "train.txt"


def test_output_writes_the_files_and_no_output_writes_none(
    tagloom: Tagloom, files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tagloom("compare", files.train, "--test", files.test, *FAST, "--learners", "perceptron")
    assert not list(tmp_path.iterdir())
    result = tagloom(
        "compare", files.train, "--test", files.test, *FAST, "--learners", "perceptron", "-o", "out", "--json"
    )
    assert json.loads(Path("out/comparison.json").read_text("utf-8")) == result.json
    assert {path.name for path in Path("out").iterdir()} >= {"curves.svg", "curves.png", "report.html"}
    assert "wrote comparison.json, " in result.err


def test_without_matplotlib_one_line_says_what_to_install(
    tagloom: Tagloom, files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = tagloom("compare", files.train, "--test", files.test, *FAST, "-o", tmp_path / "out")
    assert result.code == 0
    assert result.err.splitlines()[-1] == "learning curves need matplotlib: pip install 'tagloom[plots]'"
    assert (tmp_path / "out" / "report.html").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--learners", "perceptrn"), "unknown learner 'perceptrn'; did you mean 'perceptron'? (known: "),
        (("--learners", "perceptron,"), "unknown learner ''"),
        (("--set", "perceptron.epoch=3"), "unknown setting 'epoch'; did you mean 'epochs'?"),
        (("--set", "perceptron.epochs"), "--set perceptron.epochs: expected KEY=VALUE"),
        (("--set", "perceptron.epochs=x"), "--set perceptron.epochs=x: expected a whole number"),
        (("--set", "nobody.epochs=3"), "settings of 'nobody': not compared here (compared: "),
        (("--set", "perceptron.cutoff=3"), "perceptron.cutoff: all learners share their features"),
        (("--set", "learner=perceptron"), "learner: a comparison takes the names of its learners"),
        (("--jobs", "0"), "jobs: expected"),
        (("--dev", "/no/such"), "/no/such: no such file"),
    ],
)
def test_errors_are_one_line(tagloom: Tagloom, files: Files, arguments: tuple[str, ...], message: str) -> None:
    assert tagloom("compare", files.train, "--test", files.test, *arguments).error.startswith(message)


def test_test_data_is_required(tagloom: Tagloom, files: Files) -> None:
    assert "--test" in tagloom("compare", files.train).error


def test_an_output_that_is_a_file_is_refused_before_the_work(tagloom: Tagloom, files: Files) -> None:
    error = tagloom("compare", files.train, "--test", files.test, "-o", files.dev).error
    assert error == f"{files.dev}: cannot make this folder: is a file, expected a folder"
