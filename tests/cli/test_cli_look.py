"""tagloom inspect, explain, templates, demo and help: looking at what is there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import tagloom as library
from tagloom._version import __version__
from tagloom.cli.app import COMMANDS
from tagloom.corpus import FORMATS
from tagloom.features import list_template_sets, load_templates, parse_templates
from tagloom.features.global_templates import GLOBAL_SUFFIX
from tagloom.features.sets import list_shipped
from tagloom.features.state_templates import STATE_SUFFIX, load_state_templates, parse_state_templates
from tests.cli.outcome import Files, Tagloom


def test_inspect_json(tagloom: Tagloom, files: Files) -> None:
    report = tagloom("inspect", files.model, "--top", 4, "--json").json
    model = library.load(files.model)
    details = report["details"]
    assert details["labels"] == list(model.labels)
    assert report["sizes"]["bytes"] == files.model.stat().st_size
    assert report["spec"]["templates"]["name"] == "chunking"
    assert [record["epoch"] for record in report["history"]] == [1, 2, 3, 4]
    assert set(details["top_features"]) == set(model.labels)
    assert all(len(features) <= 4 for features in details["top_features"].values())
    assert len(details["top_transitions"]) == 4


def test_top_features_are_the_heaviest_of_explain(tagloom: Tagloom, files: Files) -> None:
    """The weight that inspect shows for a feature is the one that explain adds up."""
    details = tagloom("inspect", files.model, "--label", "B-NP", "--json").json["details"]
    ((feature, weight), *_) = details["top_features"]["B-NP"]
    model = library.load(files.model)
    corpus = library.read(files.train, columns="form pos chunk")
    rows = [list(zip(corpus.sentence(i, "form"), corpus.sentence(i, "pos"))) for i in range(len(corpus))]
    found = (c for row in rows for token in model.explain(row) for c in token.contributions if c.feature == feature)
    assert next(found).scores[model.labels.index("B-NP")] == pytest.approx(weight)


def test_inspect_text(tagloom: Tagloom, files: Files) -> None:
    result = tagloom("inspect", files.model, "--label", "B-VP", "--top", 2)
    assert f"signature: {library.load(files.model).spec.signature}" in result.out
    assert len([line for line in result.out.splitlines() if line.startswith("B-VP  ")]) >= 2
    assert result.err == ""
    assert "did you mean 'B-VP'" in tagloom("inspect", files.model, "--label", "B-VQ").error


def test_inspect_edges_and_missing_names(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    arguments = ("train", files.train, "-o", tmp_path / "m", "--epochs", 1, "--templates", "form[0]\npos[0] / edge")
    tagloom(*arguments)
    report = tagloom("inspect", tmp_path / "m", "--json").json["details"]
    name, before, after, weight = report["top_edges"][0]
    assert name.startswith("pos[0]=")
    assert {before, after} <= set(report["labels"])
    assert weight != 0
    tagloom(*arguments, "--set", "names=false")
    assert "features have no names" in tagloom("inspect", tmp_path / "m").out


def test_explain(tagloom: Tagloom, files: Files) -> None:
    for sentence in ("The/DT dog/NN sleeps/VBZ", "The|DT dog|NN sleeps|VBZ"):
        report = tagloom("explain", files.model, sentence, "--json", "--top", 2).json
        expected = library.load(files.model).explain([("The", "DT"), ("dog", "NN"), ("sleeps", "VBZ")])
        assert [token["label"] for token in report["tokens"]] == [token.label for token in expected]
        assert [token["margin"] for token in report["tokens"]] == [token.margin for token in expected]
        assert [tuple(feature.values()) for feature in report["tokens"][0]["features"]] == expected[0].top(2)
    text = tagloom("explain", files.model, "The/DT dog/NN").out
    assert [line.split()[0] for line in text.splitlines()] == ["token", "The/DT", "dog/NN"]


def test_explain_needs_the_columns(tagloom: Tagloom, files: Files) -> None:
    assert tagloom("explain", files.model, "The dog").error == (
        "expected form/pos, the columns that the model reads, found 'The'"
    )
    assert tagloom("explain", files.model, " ").error == "expected a sentence, found nothing"


def test_templates(tagloom: Tagloom) -> None:
    listed = [line.split()[0] for line in tagloom("templates").out.splitlines()[1:]]
    of_labellings = [f"{name}.globals" for name in list_shipped(GLOBAL_SUFFIX)]
    assert listed == [*list_template_sets(), *list_shipped(STATE_SUFFIX), *of_labellings]
    for name in list_shipped(STATE_SUFFIX):
        assert parse_state_templates(tagloom("templates", name).out, name) == load_state_templates(name)
    for name in list_template_sets():
        assert parse_templates(tagloom("templates", name).out, name) == load_templates(name)
    assert "did you mean 'chunking'" in tagloom("templates", "chunkin").error


def test_attributes(tagloom: Tagloom) -> None:
    listed = [line.split()[0] for line in tagloom("templates", "--attributes").out.splitlines()[1:]]
    assert len(set(listed)) == len(listed)
    assert {"form", "prefixN", "brownN", "sameN", "lexicon_beginN", "av_leftN", "mi"} <= set(listed)


def test_crfpp_templates_are_translated(tagloom: Tagloom, tmp_path: Path) -> None:
    (tmp_path / "template").write_text("U00:%x[-1,0]/%x[0,1]\nB\n")
    assert tagloom("templates", tmp_path / "template").out == "U00:%x[-1,0]/%x[0,1]\nB\n"


def test_demo(tagloom: Tagloom, monkeypatch: pytest.MonkeyPatch) -> None:
    report = tagloom("demo", "--json").json
    assert report["accuracy"] > 95
    assert report["seconds"]["total"] < (60 if "TAGLOOM_SANITIZED" in os.environ else 10)
    assert len(report["sentence"]["tokens"]) == len(report["sentence"]["tags"])
    monkeypatch.setenv("FORCE_COLOR", "1")
    text = tagloom("demo").out
    assert report["signature"] in text
    assert "\x1b[" in text.splitlines()[-1]


def test_help_has_examples_and_all_formats(tagloom: Tagloom) -> None:
    for command in COMMANDS:
        result = tagloom(command, "--help")
        assert (result.code, result.err) == (0, "")
        assert "Examples:" in result.out or command == "demo"
        assert " ".join(COMMANDS[command].split()) in " ".join(result.out.split())
    assert all(command in tagloom("--help").out for command in COMMANDS)
    assert all(name in tagloom("convert", "--help").out for name in FORMATS)


def test_version_and_no_command(tagloom: Tagloom) -> None:
    assert tagloom("--version").out == f"tagloom {__version__}\n"
    assert tagloom().out == tagloom("--help").out
