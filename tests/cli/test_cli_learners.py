"""Learners on the command line: their settings through --set, costs from a file, and errors of one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import tagloom as library
from tests.cli.outcome import Files, Outcome, Tagloom

COLUMNS = ("--columns", "form pos chunk")


@pytest.fixture
def trained(tagloom: Tagloom, files: Files, tmp_path: Path) -> Callable[..., Outcome]:
    def train(*arguments: object) -> Outcome:
        return tagloom("train", files.train, "-o", tmp_path / "m", *COLUMNS, "--epochs", 2, *arguments)

    return train


def test_settings_reach_the_learner(trained: Callable[..., Outcome], files: Files, tmp_path: Path) -> None:
    assert trained("--learner", "dca", "--set", "C=0.5", "--set", "averaging=none").code == 0
    options = {"columns": "form pos chunk", "learner": "dca", "C": 0.5, "averaging": "none", "epochs": 2}
    library.train(files.train, **options).save(tmp_path / "api")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "api").read_bytes()


def test_costs_come_from_a_file(
    trained: Callable[..., Outcome], files: Files, tmp_path: Path, corpus_file: Callable[..., Path]
) -> None:
    path = corpus_file('{"O": {"B-NP": 4}}', "costs.json")
    assert trained("--learner", "pa", "--set", f"cost={path}").code == 0
    cost = {"O": {"B-NP": 4}}
    library.train(files.train, columns="form pos chunk", learner="pa", cost=cost, epochs=2).save(tmp_path / "api")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "api").read_bytes()


ERRORS = [
    (("pa", "C=-1"), "C: expected a number above 0, at most 1e+12, got -1.0"),
    (("pa", "C=0"), "C: expected a number above 0, at most 1e+12, got 0.0"),
    (("pa", "C=nan"), "C: expected a number above 0, at most 1e+12, got nan"),
    (("pa", "C=1e300"), "C: expected a number above 0, at most 1e+12, got 1e+300"),
    (("pa", "C=much"), "--set C=much: expected a number"),
    (("sgd", "rate=0"), "rate: expected a number above 0, at most 1e+12, got 0.0"),
    (("sgd-l1", "c1=-1"), "c1: expected a number of 0 or more, at most 1e+12, got -1.0"),
    (("lbfgs", "c2=inf"), "c2: expected a number of 0 or more, at most 1e+12, got inf"),
    (
        ("lbfgs", "C=1"),
        "learner 'lbfgs' has no 'C'; it takes: c2, label_cutoff, memories, node_labels, period, sgd_passes, tolerance, "
        "transition_pairs",
    ),
    (("lbfgs", "averaging=lazy"), "step 'lbfgs' does not go with averaging 'lazy' (legal: none)"),
    (("pa", "averaging=lasy"), "unknown averaging 'lasy'; did you mean 'lazy'?"),
    (("owlqn", "node_labels=some"), "unknown node_labels 'some'"),
    (("lbgfs", "c2=1"), "unknown learner 'lbgfs'; did you mean 'lbfgs'?"),
    (("pa", "cost=/no/such"), "/no/such: no such file"),
]


@pytest.mark.parametrize(("given", "message"), ERRORS, ids=str)
def test_train_refuses_in_one_line(trained: Callable[..., Outcome], given: tuple[str, str], message: str) -> None:
    assert trained("--learner", given[0], "--set", given[1]).error.startswith(message)


@pytest.mark.parametrize(("given", "message"), ERRORS, ids=str)
def test_compare_refuses_in_one_line(tagloom: Tagloom, files: Files, given: tuple[str, str], message: str) -> None:
    learner, setting = given
    result = tagloom("compare", files.train, "--test", files.test, *COLUMNS, "--learners", learner, "--set",
                     f"{learner}.{setting}")  # fmt: skip
    assert result.error.replace(f"{learner}.", "").startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "{path}: expected JSON: rows of costs, or costs by gold and other label"),
        ("[[0, 1]]", "cost: expected "),
        ('{"O": {"B-NO": 1}}', "unknown label 'B-NO'; did you mean 'B-"),
        ('{"O": {"B-NP": -1}}', "cost: expected numbers of 0 or more"),
        ('{"O": {"O": 1}}', "cost: the right label must cost 0"),
        ('{"O": {"B-NP": NaN}}', "cost: expected numbers of 0 or more"),
    ],
)
@pytest.mark.parametrize("command", ["train", "compare"])
def test_bad_files_of_costs(
    tagloom: Tagloom,
    files: Files,
    tmp_path: Path,
    corpus_file: Callable[..., Path],
    command: str,
    text: str,
    message: str,
) -> None:
    path = corpus_file(text, "costs.json")
    more = (
        ("--learner", "pa", "-o", tmp_path / "m") if command == "train" else ("--learners", "pa", "--test", files.test)
    )
    result = tagloom(command, files.train, *COLUMNS, *more, "--set", f"cost={path}")
    assert (result.code, result.out) == (2, "")
    last = result.err.splitlines()[-1]
    assert last.startswith("tagloom: error: " + message.replace("{path}", str(path)))
    assert not (tmp_path / "m").exists()


def test_a_setting_for_all_must_fit_all(tagloom: Tagloom, files: Files) -> None:
    arguments = ("compare", files.train, "--test", files.test, *COLUMNS, "--learners", "pa,perceptron", "--set", "C=1")
    assert tagloom(*arguments).error.startswith("learner 'perceptron' has no 'C'; it takes: averaging")
