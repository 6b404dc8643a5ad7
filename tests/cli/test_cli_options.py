"""Options that are made from the rows of all systems, and a system of the user's own on the command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import tagloom as library
from tagloom.cli.options import collect_flags, list_search_options, list_training_options
from tagloom.learners import LEARNERS
from tagloom.systems.options import list_options
from tagloom.systems.registry import SYSTEMS
from tests.cli.outcome import Files, Tagloom
from tests.systems.majority import MAJORITY


@pytest.fixture
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Help texts without line breaks inside names."""
    monkeypatch.setenv("COLUMNS", "250")
    monkeypatch.setenv("TERMINAL_WIDTH", "250")


@pytest.fixture
def majority() -> Iterator[None]:
    library.register_system(MAJORITY)
    yield
    del SYSTEMS[MAJORITY.name]


def words(text: str) -> str:
    return " ".join(text.replace("│", " ").split())


# -- help --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["train", "tune", "compare", "jackknife"])
def test_help_lists_every_option_of_every_system(tagloom: Tagloom, wide: None, command: str) -> None:
    text = tagloom(command, "--help").out
    for system in SYSTEMS.values():
        for name, option in list_options(system.load_options()).items():
            assert not option.flag or f"{option.flag} " in text, name


@pytest.mark.parametrize("command", ["tag", "eval"])
def test_help_lists_the_options_of_every_search(tagloom: Tagloom, wide: None, command: str) -> None:
    text = tagloom(command, "--help").out
    flags = [flag.first.flag for flag in collect_flags(list_search_options())]
    assert {"--decoder", "--candidates", "--depth", "--beam"} <= set(flags)
    assert all(f"{flag} " in text for flag in flags)


def test_rows_know_the_options_of_a_search_without_the_model(majority: None) -> None:
    for row in SYSTEMS.values():
        assert row.get_search_options() is row.load_model().search_options


def test_help_says_in_what_systems_differ() -> None:
    said = {flag.name: flag.write_help() for flag in collect_flags(list_training_options())}
    assert said["degree"].startswith("Phrase chunkers only. ")
    assert said["degree"].endswith("From 1 to 5. Default: 2.")
    assert said["epochs"].endswith(" Phrase chunkers: 5. Tokenizers: 10.")
    assert said["cutoff"].startswith("Taggers, phrase chunkers, segment taggers, tokenizers and ensembles only. ")
    assert "Default: 1. Phrase chunkers: drop features of words that occur less often. Default: 5." in said["cutoff"]
    assert said["seed"] == "Fixes every random choice. Default: 1."
    assert "Parsers: state templates: parsing" in said["templates"]
    assert all(name in said["learner"] for name in LEARNERS)
    found = {flag.name: flag.write_help() for flag in collect_flags(list_search_options())}
    assert found["candidates"].startswith("Taggers only. ")
    assert "Parsers: number of actions to look ahead. From 0 to 16." in found["depth"]


def test_every_option_has_a_help_line() -> None:
    for flag in collect_flags(list_training_options()):
        assert all(option.row.help for option in flag.options.values()), flag.name


# -- values ------------------------------------------------------------------------------------------------------------


def test_a_flag_is_the_same_as_set(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    options = {"epochs": "2", "learner": "pa", "C": "0.5", "tag_dictionary": "3", "edge_pairs": "all"}
    flags = [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", value)]
    texts = [word for name, value in options.items() for word in ("--set", f"{name}={value}")]
    for output, words_ in (("flags", [*flags, "--no-names"]), ("set", [*texts, "--set", "names=no"])):
        assert tagloom("train", files.train, "-o", tmp_path / output, *words_).code == 0
    assert (tmp_path / "flags").read_bytes() == (tmp_path / "set").read_bytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--epochs", "many"], "--epochs many: expected a whole number"),
        (["--epochs", "0"], "epochs: expected a whole number of 1 or more, got 0"),
        (["--rate", "fast"], "--rate fast: expected a number"),
        (["--edge-pairs", "some"], "unknown edge_pairs 'some'; did you mean 'seen'?"),
        (["--degree", "2"], "--degree is for phrase chunkers; add --system phrases, or leave it out"),
        (["--no-relations"], "--relations is for parsers; add --system parser, or leave it out"),
        (
            ["--system", "parser", "--cutoff", "2"],
            "--cutoff is for taggers, phrase chunkers, segment taggers, tokenizers and ensembles, a parser has none",
        ),
        (
            ["--system", "parser", "--set", "cutoff=2"],
            "--cutoff is for taggers, phrase chunkers, segment taggers, tokenizers and ensembles, a parser has none",
        ),
        (["--system", "parsr"], "unknown system 'parsr'; did you mean 'parser'?"),
        (["--set", "pa.C=1"], "unknown setting 'pa.C'"),
        (["--set", "epochs.x=1"], "--set epochs.x: 'epochs' holds no options; write epochs=VALUE"),
        (["--set", "attributes=x"], "--set attributes=x: this option cannot be written as text"),
        (["--set", "resources=x"], "--set resources=x: write --resource NAME=PATH instead"),
    ],
)
@pytest.mark.parametrize("command", ["train", "tune", "compare", "jackknife"])
def test_bad_options_are_one_line(
    tagloom: Tagloom, files: Files, tmp_path: Path, command: str, options: list[str], message: str
) -> None:
    others = {
        "train": ["-o", tmp_path / "m"],
        "jackknife": ["-o", tmp_path / "out"],
        "tune": ["--dev", files.dev, "--grid", "seed=1,2"],
        "compare": ["--test", files.test],
    }
    if command == "compare" and options == ["--set", "pa.C=1"]:
        return  # the settings of one learner
    assert tagloom(command, files.train, *others[command], *options).error.startswith(message)
    assert not list(tmp_path.iterdir())


def test_options_of_another_command_are_refused_by_it_too(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    refused = tagloom("jackknife", files.train, "-o", tmp_path / "out", "--set", "folds=3").error
    assert refused.startswith("--set folds: --folds are those of jackknifing")
    refused = tagloom("compare", files.train, "--test", files.test, "--learner", "pa").error
    assert refused == "--learner: a comparison has several; name them with --learners"


# -- a system of the user's own ----------------------------------------------------------------------------------------


def test_a_registered_system_has_all_commands(
    tagloom: Tagloom, files: Files, tmp_path: Path, majority: None, wide: None
) -> None:
    help_ = words(tagloom("train", "--help").out)
    assert "--least N Majority taggers only. Least number of times that a word must occur. Default: 1." in help_
    assert "majority: the most frequent label of every word" in help_
    model, own = tmp_path / "m", ("--system", "majority", "--columns", "form pos chunk")
    report = tagloom("train", files.train, "-o", model, *own, "--least", 2, "--test", files.test, "--json").json
    assert report["accuracy"] == report["test"]["accuracy"] > 50
    assert report["words"] == len(library.load(model).labels)
    tagged = tagloom("tag", model, stdin="the dog\n")
    assert [line.split()[0] for line in tagged.out.splitlines() if line] == ["the", "dog"]
    assert tagloom("eval", model, files.test, "--columns", "form pos chunk", "--json").json["accuracy"] > 50
    assert tagloom("explain", model, "the dog", "--json").json["words"] == ["the", "dog"]
    assert "system:majority" in tagloom("inspect", model).out
    output = tmp_path / "jackknifed.txt"
    assert tagloom("jackknife", files.train, "-o", output, *own, "--folds", 3, "--least", 1).code == 0
    assert len(output.read_text().split()) == len(files.train.read_text().split())
    tuned = tagloom("tune", files.train, "--dev", files.dev, *own, "--grid", "least=1,2", "--json").json
    assert "--system majority" in tuned["command"]
    assert {trial["options"]["least"] for trial in tuned["trials"]} == {1, 2}


def test_what_a_registered_system_does_not_have_is_one_line(
    tagloom: Tagloom, files: Files, tmp_path: Path, majority: None
) -> None:
    model = tmp_path / "m"
    train = ("train", files.train, "-o", model, "--system", "majority")
    assert tagloom(*train, "--cutoff", 2).error == (
        "--cutoff is for taggers, phrase chunkers, segment taggers, tokenizers and ensembles, "
        "a majority tagger has none; leave it out"
    )
    assert tagloom(*train, "--start", files.model).error.startswith("--start: a majority tagger cannot begin")
    assert tagloom(*train).code == 0
    for option in (["--nbest", "2"], ["--confidence"]):
        assert tagloom("tag", model, files.test, *option).error.startswith(f"{option[0]}: a majority tagger has no")
    assert tagloom("tag", model, files.test, "--decoder", "viterbi").error == (
        f"--decoder is for taggers and ensembles, {model} is a majority tagger; leave it out"
    )
    assert tagloom("inspect", model, "--top", 2).error == (
        f"--top is for taggers, {model} is a majority tagger; leave it out"
    )
    assert tagloom("draw", model, "a b").error.startswith(f"{model}: a majority tagger makes no trees")
    assert "a majority tagger has no labellings" in tagloom("rerank", model, files.train, "-o", tmp_path / "o").error
    assert "a majority tagger has one learner" in tagloom(
        "compare", files.train, "--test", files.test, "--system", "majority"
    ).error  # fmt: skip


def test_options_of_a_system_that_is_not_registered_are_unknown(tagloom: Tagloom, files: Files) -> None:
    assert tagloom("train", files.train, "-o", "m", "--least", 2).error.startswith("no such option: --least")


# -- what is told about the output -------------------------------------------------------------------------------------


def test_jsonl_gets_spans_of_any_model(tagloom: Tagloom, files: Files) -> None:
    line = json.dumps({"tokens": ["The", "dog"], "pos": ["DT", "NN"]})
    assert json.loads(tagloom("tag", files.model, stdin=line).out)["spans"] == [[0, 2, "NP"]]


def test_iob1_is_told(tagloom: Tagloom, tmp_path: Path) -> None:
    (tmp_path / "train").write_text("Ann I-PER\nMay I-PER\nBo B-PER\nleft O\n\nBo I-PER\nleft O\n\n" * 3)
    assert tagloom("train", tmp_path / "train", "-o", tmp_path / "m", "--epochs", 1).code == 0
    told = tagloom("tag", tmp_path / "m", stdin="Ann left\n").err
    assert "column 'label' is written in IOB1, the label scheme of the training data\n" in told
