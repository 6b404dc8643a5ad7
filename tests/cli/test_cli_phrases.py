"""Phrase chunkers on the command line: train, tag, eval, explain, inspect; and what is refused, in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import tagloom as library
from tagloom.cli.main import run
from tagloom.corpus import read
from tests.cli.outcome import Files, Tagloom

Make = Callable[..., Path]
SENTENCE = "The/DT old/JJ bank/NN sells/VBZ oil/NN ./."
SPANS = [
    {"tokens": ["in", "New", "York"], "spans": [[1, 3, "LOC"]]},
    {"tokens": ["in", "Bonn", "today"], "spans": [[1, 2, "LOC"]]},
    {"tokens": ["today", "Ada", "Byron", "left"], "spans": [[1, 3, "PER"]]},
]
TEXTS = [
    {"text": "in New York", "spans": [[3, 11, "LOC"]], "id": 7},
    {"text": "in  Bonn today", "spans": [[4, 8, "LOC"]]},
]


@dataclass(frozen=True)
class Chunks:
    """Column files ``form pos chunk``, and a phrase chunker of them."""

    train: Path
    test: Path
    model: Path


@pytest.fixture(scope="module")
def chunks(files: Files, tmp_path_factory: pytest.TempPathFactory) -> Chunks:
    model = tmp_path_factory.mktemp("phrases") / "chunks.tagloom"
    code = run(["train", str(files.train), "-o", str(model), "--columns", "form pos chunk", "--system", "phrases",
                "--cutoff", "1", "--epochs", "3"])  # fmt: skip
    assert code == 0
    return Chunks(files.train, files.test, model)


def lines(records: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def test_train_reports_scores(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    out = tagloom("train", files.train, "--dev", files.dev, "--test", files.test, "-o", tmp_path / "m", "--columns",
                  "form pos chunk", "--system", "phrases", "--cutoff", 2, "--degree", 1, "--threads", 2, "--set",
                  "window=2", "--json")  # fmt: skip
    report, model = out.json, library.load(tmp_path / "m")
    assert (out.code, model.spec.degree, model.spec.window, model.spec.cutoff) == (0, 1, 2, 2)
    assert report["f1"] == report["test"]["f1"] > 50
    assert report["categories"] == len(model.categories)
    assert report["signature"].startswith("tagloom:")
    assert "phrases in error, dev" in out.err


def test_the_command_line_trains_what_python_trains(chunks: Chunks) -> None:
    corpus = read(chunks.train, columns="form pos chunk")
    made = library.train(corpus, system="phrases", cutoff=1, epochs=3)
    assert made.tag_corpus(corpus).texts() == library.load(chunks.model).tag_corpus(corpus).texts()


def test_columns_keep_their_columns_and_get_labels(tagloom: Tagloom, chunks: Chunks, tmp_path: Path) -> None:
    out = tagloom("tag", chunks.model, chunks.test, "--threads", 2)
    assert out.code == 0
    tagged, gold = (
        [line.split() for line in text.splitlines() if line and "-DOCSTART-" not in line]
        for text in (out.out, chunks.test.read_text())
    )
    assert [row[:3] for row in tagged] == gold
    assert {len(row) for row in tagged} == {4}
    (tmp_path / "tagged").write_text(out.out)
    scored = tagloom("eval", tmp_path / "tagged", "--json").json
    assert scored["f1"] == tagloom("eval", chunks.model, chunks.test, "--json").json["f1"] > 60


def test_text_becomes_columns(tagloom: Tagloom, corpus_file: Make, tmp_path: Path) -> None:
    data = corpus_file(lines(SPANS), "spans.jsonl")
    assert tagloom("train", data, "-o", tmp_path / "m", "--system", "phrases", "--cutoff", 1).code == 0
    out = tagloom("tag", tmp_path / "m", stdin="in Bonn today\n")
    assert out.out.split() == ["in", "O", "Bonn", "B-LOC", "today", "O"]


@pytest.mark.parametrize("records", [SPANS, TEXTS])
def test_spans_of_jsonl_go_in_and_out(
    tagloom: Tagloom, corpus_file: Make, tmp_path: Path, records: list[dict[str, Any]]
) -> None:
    data = corpus_file(lines(records), "spans.jsonl")
    assert tagloom("train", data, "-o", tmp_path / "m", "--system", "phrases", "--cutoff", 1, "--epochs", 9).code == 0
    bare = [{name: value for name, value in record.items() if name != "spans"} for record in records]
    for given in (bare, records):
        out = tagloom("tag", tmp_path / "m", corpus_file(lines(given), "input.jsonl"))
        found = [json.loads(line) for line in out.out.splitlines()]
        assert [record["spans"] for record in found] == [record["spans"] for record in records]
        assert all(record["id"] == 7 for record in found if "id" in record)
        assert all(len(record["tags"]) == len(record["tokens"]) for record in found)
    (tmp_path / "out.jsonl").write_text(out.out)
    assert tagloom("eval", tmp_path / "m", tmp_path / "out.jsonl", "--json").json["f1"] == 100


def test_explain(tagloom: Tagloom, chunks: Chunks) -> None:
    out = tagloom("explain", chunks.model, SENTENCE)
    assert out.code == 0
    assert out.out.splitlines()[0].split() == ["word", "begins", "a", "phrase", "continues", "one"]
    assert "chosen" in out.out
    report = tagloom("explain", chunks.model, SENTENCE, "--json", "--top", 2).json
    tokens = [word.split("/") for word in SENTENCE.split()]
    assert [tuple(span) for span in report["spans"]] == library.load(chunks.model).spans(tokens)
    assert [word["word"] for word in report["words"]] == [word for word, _ in tokens]
    assert all(len(phrase["features"]) <= 2 for phrase in report["phrases"])


def test_inspect(tagloom: Tagloom, chunks: Chunks) -> None:
    out = tagloom("inspect", chunks.model)
    assert out.code == 0
    assert "kernel: degree 2, dual" in out.out
    assert "phrases in error" in out.out
    report = tagloom("inspect", chunks.model, "--json").json
    assert report["details"]["categories"] == sorted(report["details"]["categories"])
    assert report["sizes"]["bytes"] == chunks.model.stat().st_size
    assert len(report["history"]) == 3


def test_a_checkpoint_goes_when_the_model_is_there(tagloom: Tagloom, chunks: Chunks, tmp_path: Path) -> None:
    out = tagloom("train", chunks.train, "-o", tmp_path / "m", "--columns", "form pos chunk", "--system", "phrases",
                  "--cutoff", 1, "--epochs", 3, "--checkpoint", tmp_path / "c")  # fmt: skip
    assert out.code == 0
    assert not (tmp_path / "c").exists()
    assert (tmp_path / "m").read_bytes() == chunks.model.read_bytes()


def test_unseen_categories_are_told(tagloom: Tagloom, corpus_file: Make, tmp_path: Path) -> None:
    data = corpus_file("in O\nBonn B-LOC\n\nin O\nRome B-LOC\n", "train.txt")
    test = corpus_file("in O\nBonn B-XYZ\n\nin O\nRome B-LOC\n", "test.txt")
    out = tagloom("train", data, "--test", test, "-o", tmp_path / "m", "--system", "phrases", "--cutoff", 1)
    assert "categories never seen in training, and how many: XYZ 1" in out.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--system", "phrases", "--learner", "pa"],
            "--learner is for taggers, parsers, segment taggers, tokenizers and ensembles, a phrase chunker has none",
        ),
        (["--system", "phrases", "--tags", "gold"], "--tags is for parsers, a phrase chunker has none; leave it out"),
        (["--system", "phrases", "--start", "x"], "--start: a phrase chunker cannot begin from another model"),
        (["--system", "parser", "--degree", "2"], "--degree is for phrase chunkers, a parser has none; leave it out"),
        (["--degree", "2"], "--degree is for phrase chunkers; add --system phrases, or leave it out"),
        (["--system", "phrases", "--degree", "9"], "degree: expected a whole number from 1 to 5"),
        (["--system", "phrases", "--set", "width=2"], "unknown setting 'width'"),
        (["--system", "phrases", "--set", "window=x"], "--set window=x: expected a whole number"),
        (["--system", "phrases", "--label", "pos"], "column 'pos' holds plain tags"),
        (["--system", "phrase"], "unknown system 'phrase'"),
    ],
)
def test_options_of_other_systems_are_refused(
    tagloom: Tagloom, files: Files, tmp_path: Path, options: list[str], message: str
) -> None:
    out = tagloom("train", files.train, "-o", tmp_path / "m", "--columns", "form pos chunk", *options)
    assert message in out.error
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"tokens": ["a", "b"], "spans": [[0, 2, "X"], [1, 2, "Y"]]}', "spans 0:2 (X) and 1:2 (Y) overlap"),
        ('{"tokens": ["a", "b", "c"], "spans": [[0, 2, "X"], [1, 3, "Y"]]}', "spans 0:2 (X) and 1:3 (Y) overlap"),
        ('{"tokens": ["a", "b"], "spans": [[1, 3, "X"]]}', "span 1:3 (X) lies outside the 2 tokens of it"),
        ('{"tokens": ["a", "b"], "spans": [[1, 1, "X"]]}', "span 1:1 (X) is empty"),
    ],
)
def test_bad_spans_are_refused_with_file_and_line(
    tagloom: Tagloom, corpus_file: Make, tmp_path: Path, line: str, message: str
) -> None:
    data = corpus_file(lines(SPANS[:1]) + line + "\n", "bad.jsonl")
    error = tagloom("train", data, "-o", tmp_path / "m", "--system", "phrases").error
    assert error.startswith(f"{data}:2: {message}")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["tag", "MODEL", "TEST", "--nbest", "3"], "--nbest: a phrase chunker has no such output"),
        (["tag", "MODEL", "TEST", "--confidence"], "--confidence: a phrase chunker has no such output"),
        (["tag", "MODEL", "TEST", "--beam", "3"], "--beam is for taggers and parsers, "),
        (["eval", "MODEL", "TEST", "--depth", "3"], "--depth is for taggers and parsers, "),
        (["eval", "MODEL", "TEST", "--scheme", "IOB1"], "a model knows the scheme"),
        (["eval", "MODEL", "TEST", "--trees"], "a phrase chunker makes no trees"),
        (["inspect", "MODEL", "--top", "3"], "--top is for taggers, "),
        (["explain", "MODEL", "word"], "expected form/pos"),
        (["rerank", "MODEL", "TEST", "-o", "OUT"], "a phrase chunker has no labellings to choose from"),
    ],
)
def test_what_chunkers_do_not_do_is_refused(
    tagloom: Tagloom, chunks: Chunks, tmp_path: Path, command: list[str], message: str
) -> None:
    files = {"MODEL": chunks.model, "TEST": chunks.test, "OUT": tmp_path / "out"}
    assert message in tagloom(*(files.get(part, part) for part in command)).error
