"""tagloom report: a page, the same numbers as eval, and clear lines for what cannot be reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.outcome import Files, Tagloom

QUICK = ("--bootstrap", 20, "--explain", 5)


@pytest.fixture(scope="module")
def rival(files: Files, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tagloom.cli.main import run

    path = tmp_path_factory.mktemp("rival") / "old.tagloom"
    assert run(["train", str(files.train), "-o", str(path), "--columns", "form pos chunk", "--epochs", "1",
                "--learner", "perceptron"]) == 0  # fmt: skip
    return path


def test_a_page_is_written(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    result = tagloom("report", files.model, files.test, "-o", tmp_path / "page.html", *QUICK)
    assert (result.code, result.out) == (0, "")
    assert f"wrote {tmp_path / 'page.html'} (" in result.err
    text = (tmp_path / "page.html").read_text("utf-8")
    assert text.startswith("<!doctype html>")
    assert "<h1>chunks.tagloom on test.txt</h1>" in text


def test_the_numbers_are_those_of_eval(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    found = tagloom("report", files.model, files.test, "-o", tmp_path / "page.html", *QUICK, "--json").json
    expected = tagloom("eval", files.model, files.test, "--json").json
    scores = found["models"][0]["scores"]
    assert {name: scores[name]["value"] for name in ("f1", "precision", "recall", "accuracy")} == {
        name: pytest.approx(expected[name]) for name in ("f1", "precision", "recall", "accuracy")
    }
    assert found["tasks"][0]["types"] == expected["types"]


def test_two_models_and_training_data(tagloom: Tagloom, files: Files, rival: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = tagloom("report", files.model, rival, files.test, "--train", files.train, "-o", page, *QUICK, "--json")
    assert result.json["contrast"]["metrics"][0]["metric"] == "f1"
    assert "Frequency in training" in result.json["tasks"][0]["groups"]
    assert "Sentences won and lost" in page.read_text("utf-8")


def test_options_of_the_search(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    assert (
        tagloom("report", files.model, files.test, "-o", tmp_path / "a.html", *QUICK, "--decoder", "viterbi").code == 0
    )
    assert "--depth" in tagloom("report", files.model, files.test, "-o", tmp_path / "a.html", "--depth", "x").error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("MODEL",), "expected a model and a corpus, got one file"),
        (("TEST", "MODEL"), "test.txt is not a model; pass the models first, and the corpus last"),
        (("MODEL", "MODEL"), "chunks.tagloom is a model; pass the corpus last"),
        (("MODEL", "MODEL", "MODEL", "TEST"), "expected one or two models and a corpus, got 4 files"),
        (("MODEL", "TEST", "-o", "TEST"), "is an input, too"),
        (("MODEL", "TEST", "-o", "no/such/folder/a.html"), "no such directory"),
        (("MODEL", "TEST", "--learning-curve"), "learning_curve needs the training data"),
        (("MODEL", "nothing.txt"), "nothing.txt"),
    ],
)
def test_what_cannot_be_reported(
    tagloom: Tagloom, files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...],
    message: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    places = {"MODEL": str(files.model), "TEST": str(files.test)}
    assert message in tagloom("report", *(places.get(each, each) for each in arguments)).error
    assert not (tmp_path / "report.html").exists()
