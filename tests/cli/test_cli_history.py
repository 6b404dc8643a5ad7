"""History-based taggers on the command line: training, tagging with another search, scores, a look inside."""

from __future__ import annotations

from pathlib import Path

import pytest

import tagloom as library
from tests.cli.outcome import Files, Tagloom

COLUMNS = ("--columns", "form pos chunk")
LEARNED = ("--learner", "lookahead-perceptron", "--depth", 2, "--direction", "right-to-left", "--history", 2)


@pytest.fixture(scope="session")
def backwards(files: Files, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tagloom.cli.main import run

    path = tmp_path_factory.mktemp("history") / "m"
    assert run([str(a) for a in ("train", files.train, "-o", path, *COLUMNS, "--epochs", 2, *LEARNED)]) == 0
    return path


def test_options_reach_the_learner(files: Files, backwards: Path, tmp_path: Path) -> None:
    options = {"learner": "lookahead-perceptron", "depth": 2, "direction": "right-to-left", "history": 2}
    library.train(files.train, columns="form pos chunk", epochs=2, **options).save(tmp_path / "api")
    assert backwards.read_bytes() == (tmp_path / "api").read_bytes()


def test_the_beam_takes_its_options(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    arguments = ("--learner", "beam-perceptron", "--beam", 3, "--set", "update=early", "--epochs", 1)
    assert tagloom("train", files.train, "-o", tmp_path / "m", *COLUMNS, *arguments).code == 0
    spec = library.load(tmp_path / "m").spec
    assert (spec.settings, str(spec.search)) == ({"beam": 3, "update": "early"}, "beam=3")


def test_a_maxent_tagger_takes_its_options(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    arguments = ("--learner", "maxent-gis", "--history", 2, "--beam", 5, "--set", "label_cutoff=2", "--epochs", 3)
    assert tagloom("train", files.train, "-o", tmp_path / "m", *COLUMNS, *arguments).code == 0
    model = library.load(tmp_path / "m")
    assert (model.spec.settings, str(model.spec.search)) == ({"beam": 5, "history": 2, "label_cutoff": 2}, "beam=5")
    assert tagloom("eval", tmp_path / "m", files.test, "--beam", 2).code == 0
    lists = tagloom("tag", tmp_path / "m", files.test, "--nbest", 2)
    assert lists.code == 0
    assert len(next(line for line in lists.out.splitlines() if line.startswith("# 0 -")).split()) == 4
    assert "only beam fits it" in tagloom("tag", tmp_path / "m", files.test, "--decoder", "viterbi").error


def test_tagging_with_the_model_s_search_or_another(tagloom: Tagloom, files: Files, backwards: Path) -> None:
    model, corpus = library.load(backwards), library.read(files.test, columns="form pos chunk")
    for arguments, search in (((), {}), (("--depth", 0), {"depth": 0}), (("--beam", 2), {"beam": 2})):
        written = tagloom("tag", backwards, files.test, *arguments).out
        labels = [line.split()[-1] for line in written.splitlines() if line and "DOCSTART" not in line]
        assert labels == model.tag_corpus(corpus, **search).texts()
    signature = tagloom("eval", backwards, files.test, "--depth", 1, "--json").json["signature"]
    assert "|search:depth=1|" in signature


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--decoder", "viterbi"), "decoder 'viterbi': this model tags right-to-left with two labels of history; "),
        (
            ("--confidence",),
            "confidences: this model tags right-to-left with two labels of history and has no probabilities; ",
        ),
        (("--depth", 2000), "depth: expected a whole number from 0 to 1,000, got 2000"),
        (("--depth", 1, "--beam", 8), "depth: goes with decoder 'lookahead', got decoder 'beam'"),
        (("--nbest", 2, "--depth", 0), "--nbest: does not go with --depth; leave one of them out"),
    ],
)
def test_tag_refuses_in_one_line(
    tagloom: Tagloom, files: Files, backwards: Path, arguments: tuple[object, ...], message: str
) -> None:
    assert tagloom("tag", backwards, files.test, *arguments).error.startswith(message)


def test_eval_of_two_files_has_no_search(tagloom: Tagloom, files: Files) -> None:
    assert tagloom("eval", files.test, files.test, "--depth", 1).error == "--depth: no model tags here; leave it out"


def test_train_refuses_options_of_others(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    arguments = ("train", files.train, "-o", tmp_path / "m", *COLUMNS)
    assert tagloom(*arguments, "--history", 2).error.startswith("learner 'averaged-perceptron' has no 'history'")
    assert tagloom(*arguments, "--learner", "pa", "--depth", 1).error.startswith("learner 'pa' has no 'depth'")


def test_inspect_and_explain(tagloom: Tagloom, backwards: Path) -> None:
    assert "decides: right-to-left, depth=2, history=2" in tagloom("inspect", backwards).out
    report = tagloom("inspect", backwards, "--json", "--top", 3).json
    assert report["spec"]["search"] == {
        "beam": None,
        "depth": 2,
        "direction": "right-to-left",
        "history": 2,
        "normalised": False,
    }
    details = report["details"]
    assert len(details["top_triples"]) == 3
    for *labels, weight in details["top_triples"]:
        assert set(labels) <= set(details["labels"])
        assert weight != 0
    tokens = tagloom("explain", backwards, "The/DT dog/NN sleeps/VBZ", "--json", "--top", 99).json["tokens"]
    names = [{feature["name"] for feature in token["features"]} for token in tokens]
    assert any(name.startswith("label[1]=") for name in names[1])
    assert not any(name.startswith("label[-1]") for features in names for name in features)
