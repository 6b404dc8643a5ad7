"""tagloom eval: models, pairs of files, columns of one file; intervals and comparisons."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import tagloom as library
from tests.cli.outcome import Files, Tagloom

Make = Callable[..., Path]

GOLD = "a B-X\nb I-X\nc O\n\nd B-Y\ne O\n\n"
PREDICTED = "a B-X\nb I-X\nc O\n\nd O\ne O\n\n"


def test_model_on_file(tagloom: Tagloom, files: Files) -> None:
    result = tagloom("eval", files.model, files.test, "--json")
    corpus = library.read(files.test, columns="form pos chunk")
    expected = library.load(files.model).evaluate(corpus)
    report = result.json
    assert expected.to_dict().items() <= report.items()
    assert report["seconds"]["total"] > 0
    text = tagloom("eval", files.model, files.test, "--columns", "form pos chunk")
    assert text.out == f"{expected}\n"


def test_two_files(tagloom: Tagloom, corpus_file: Make) -> None:
    gold, predicted = corpus_file(GOLD, "gold"), corpus_file(PREDICTED, "predicted")
    report = tagloom("eval", gold, predicted, "--json").json
    assert (report["precision"], report["recall"], report["accuracy"]) == (100, 50, 80)
    assert report["signature"].endswith("|rule:conlleval")
    assert tagloom("eval", gold, predicted, "--json", "--rule", "accuracy").json["kind"] == "tags"


def test_last_column_of_a_tagged_file_is_predicted(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    tagloom("tag", files.model, files.test, "-o", tmp_path / "tagged")
    expected = tagloom("eval", files.model, files.test, "--json").json["f1"]
    for options in ([], ["--columns", "form pos chunk", "--label", "chunk"]):
        assert tagloom("eval", files.test, tmp_path / "tagged", *options, "--json").json["f1"] == expected


def test_formats_may_differ(tagloom: Tagloom, corpus_file: Make) -> None:
    lines = [{"tokens": ["a", "b", "c"], "tags": ["B-X", "I-X", "O"]}, {"tokens": ["d", "e"], "tags": ["O", "O"]}]
    predicted = corpus_file("\n".join(map(json.dumps, lines)), "predicted.jsonl")
    assert tagloom("eval", corpus_file(GOLD), predicted, "--json").json["recall"] == 50


def test_two_columns_of_one_file(tagloom: Tagloom, corpus_file: Make) -> None:
    text = "a B-X B-X\nb I-X I-X\nc O O\n\nd B-Y O\ne O O\n\n"
    assert tagloom("eval", "-", "--json", stdin=text).json["recall"] == 50
    layout = tagloom("eval", corpus_file(text), "--conlleval").out
    assert layout.startswith("processed 5 tokens with 2 phrases; found: 1 phrases; correct: 1.\naccuracy:  80.00%;")


def test_words_and_labels_are_not_gold_and_predicted(tagloom: Tagloom, corpus_file: Make) -> None:
    assert "no label in common" in tagloom("eval", corpus_file(GOLD)).error
    assert "one column" in tagloom("eval", corpus_file("a\nb\nc\n\n")).error


@pytest.mark.parametrize(
    ("predicted", "message"),
    [
        ("a B-X\nb I-X\nc O\n\n", "p: 1 sentences, but g has 2"),
        ("a B-X\nb I-X\n\nd O\ne O\n\n", "p: sentence 1 has 2 tokens, but 3 in g"),
        ("a B-X\nb I-X\nc O\n\nx O\ne O\n\n", "p: sentence 2: token 'x', but 'd' in g"),
    ],
)
def test_tokens_must_be_equal(tagloom: Tagloom, corpus_file: Make, predicted: str, message: str) -> None:
    gold, other = corpus_file(GOLD, "g"), corpus_file(predicted, "p")
    error = tagloom("eval", gold, other).error
    assert error.replace(str(other), "p").replace(str(gold), "g") == message


def test_interval(tagloom: Tagloom, files: Files) -> None:
    report = tagloom("eval", files.model, files.test, "--bootstrap", 200, "--json").json
    interval = report["interval"]
    assert interval["low"] <= interval["value"] == report["f1"] <= interval["high"]
    assert "at 95%" in tagloom("eval", files.model, files.test, "--bootstrap", 200).out


def test_comparison_of_files_and_models(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    tagloom("tag", files.model, files.test, "-o", tmp_path / "tagged")
    tagloom("train", files.train, "-o", tmp_path / "weak", "--epochs", 1, "--templates", "bias\nform[0]")
    same = tagloom("eval", files.test, tmp_path / "tagged", "--compare", files.model, "--json").json["comparison"]
    assert (same["difference"], same["p_value"]) == (0, 1)
    other = tagloom("eval", files.model, files.test, "--compare", tmp_path / "weak", "--json").json["comparison"]
    assert other["difference"] > 0
    assert other["p_value"] < 0.05


def test_label_and_scheme(tagloom: Tagloom, corpus_file: Make, files: Files) -> None:
    gold, predicted = corpus_file("a I-X V\nb B-X V\n\n", "gold"), corpus_file("a I-X V\nb I-X V\n\n", "predicted")
    named = ("--columns", "form ner tag", "--label", "ner", "--json")
    assert tagloom("eval", gold, predicted, *named, "--scheme", "IOB1").json["gold"] == 2
    assert tagloom("eval", files.model, files.test, "--scheme", "IOB2").error.startswith("--scheme: a model knows")
    pos = tagloom("eval", files.model, files.test, "--label", "pos", "--json").json
    assert pos["accuracy"] < 50
    assert tagloom("eval", gold, predicted, "--rule", "lenient").error.startswith("unknown scoring rule 'lenient'")


def test_unseen_labels_are_one_warning(tagloom: Tagloom, files: Files, corpus_file: Make) -> None:
    path = corpus_file("the DT B-NP\ncat NN I-QP\nsat VBD B-QP\non IN B-QP\n\n")
    result = tagloom("eval", files.model, path, "--json")
    assert result.code == 0
    (line,) = (line for line in result.err.splitlines() if "warning" in line)
    assert line == f"tagloom: warning: {path}: labels never seen in training, and how often: B-QP 2, I-QP 1"


def test_unseen_labels_in_another_scheme(tagloom: Tagloom, files: Files, tmp_path: Path, corpus_file: Make) -> None:
    trained = tagloom("train", files.train, "-o", tmp_path / "m", "--epochs", 1, "--scheme", "BIOES",
                      "--test", files.test, "--columns", "form pos chunk")  # fmt: skip
    assert trained.code == 0
    path = corpus_file("the DT B-NP\ncat NN I-NP\nsat VBD B-QP\n\n")
    result = tagloom("eval", tmp_path / "m", path, "--json")
    assert "how often: B-QP 1\n" in result.err


def test_a_model_needs_a_corpus(tagloom: Tagloom, files: Files) -> None:
    assert tagloom("eval", files.model).error.endswith("pass the corpus to score it on, too")
    assert "--conlleval is for spans" in tagloom("eval", "-", "--conlleval", stdin="a N N\nb V V\nc N N\n").error


def test_the_signature_names_a_decoder_that_is_not_the_models_own(tagloom: Tagloom, files: Files) -> None:
    own = tagloom("eval", files.model, files.test, "--json").json["signature"]
    assert tagloom("eval", files.model, files.test, "--decoder", "viterbi", "--json").json["signature"] == own
    other = tagloom("eval", files.model, files.test, "--decoder", "posterior", "--json").json["signature"]
    assert "|search:posterior|" in other
    assert other.replace("|search:posterior", "") == own
