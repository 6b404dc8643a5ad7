"""``tagloom suggest``, and the training that follows: several files, new words, new labels."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tagloom.cli.main import run
from tagloom.corpus import read, write
from tagloom.datasets import newswire
from tagloom.systems.file import load
from tests.cli.outcome import Tagloom

TEXT = "Ann Miller left Bonn. Nobody knows why.\n\nThe dog sleeps in Bonn.\n"


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A folder with training data in IOB1, and two models of it."""
    folder = tmp_path_factory.mktemp("suggest")
    paths = {name: folder / name for name in ("train.txt", "a.tagloom", "b.tagloom")}
    write(newswire(6, seed=1), folder / "iob2.txt", "conll", "form ner")
    assert run(["convert", str(folder / "iob2.txt"), str(paths["train.txt"]), "--scheme", "IOB1"]) == 0
    for name, passes in (("a", 3), ("b", 1)):
        options = ["--learner", "crf", "--epochs", str(passes), "--templates", "words"]
        assert run(["train", str(paths["train.txt"]), "-o", str(paths[f"{name}.tagloom"]), *options]) == 0
    return paths


def parse(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_text_in_records_out(tagloom: Tagloom, trained: dict[str, Path], corpus_file: Callable[..., Path]) -> None:
    pool = corpus_file(TEXT, "pool.txt")
    done = tagloom("suggest", trained["a.tagloom"], pool, "-n", "2")
    assert done.code == 0
    records = parse(done.out)
    assert [record["score"] for record in records] == sorted((record["score"] for record in records), reverse=True)
    assert len(records) == 2
    for record in records:
        assert record["text"] in TEXT
        assert all(record["text"][start:end] for start, end, _ in record["spans"])
    assert "suggested 2 of 3 sentences" in done.err
    assert "by least-confident (root)" in done.err
    assert tagloom("suggest", trained["a.tagloom"], "-", "-n", "2", "--format", "text", stdin=TEXT).out == done.out
    texts = tagloom("suggest", trained["a.tagloom"], pool, "-n", "2", "--to", "text").out
    assert texts.splitlines() == [record["text"] for record in records]


def test_several_models_form_a_committee(
    tagloom: Tagloom, trained: dict[str, Path], corpus_file: Callable[..., Path]
) -> None:
    pool = corpus_file(TEXT, "pool.txt")
    done = tagloom("suggest", trained["a.tagloom"], trained["b.tagloom"], pool)
    assert "by disagreement (vote, root)" in done.err
    assert len(parse(done.out)) == 3


def test_the_loop(tagloom: Tagloom, trained: dict[str, Path], corpus_file: Callable[..., Path], tmp_path: Path) -> None:
    """Suggest, correct with a label that is new, train in both ways, and suggest what is left."""
    pool, todo, done = corpus_file(TEXT, "pool.txt"), tmp_path / "todo.jsonl", tmp_path / "done.jsonl"
    assert tagloom("suggest", trained["a.tagloom"], pool, "-n", "2", "-o", todo).code == 0
    corrected = parse(todo.read_text())
    for record in corrected:
        start = record["text"].find("Bonn")
        record["spans"] = [[start, start + 4, "TOWN"]] if start >= 0 else []
    done.write_text("".join(json.dumps(record) + "\n" for record in corrected))
    continued, anew = tmp_path / "continued.tagloom", tmp_path / "anew.tagloom"
    assert tagloom("train", done, "--start", trained["a.tagloom"], "-o", continued, "--epochs", "5").code == 0
    together = tagloom("train", trained["train.txt"], done, "-o", anew, "--learner", "crf", "--templates", "words")
    assert together.code == 0
    for path in (continued, anew):
        tagged = tagloom("tag", path, "-", "--to", "jsonl", stdin="Ann left Bonn.\n")
        assert [[span["text"], span["label"]] for span in json.loads(tagged.out)["spans"]][-1] == ["Bonn", "TOWN"]
    left = parse(tagloom("suggest", continued, pool, "--exclude", done).out)
    assert len(left) == 1
    assert left[0]["text"] not in [record["text"] for record in corrected]


def test_several_training_files_are_one(
    tagloom: Tagloom, trained: dict[str, Path], corpus_file: Callable[..., Path], tmp_path: Path
) -> None:
    """Halves of a corpus in two formats and two schemes give the model of the whole, to the byte."""
    whole = read(trained["train.txt"])
    cut = int(whole.documents[3])
    halves = [tmp_path / "first.txt", tmp_path / "second.jsonl"]
    write(whole.slice(0, cut), halves[0], "conll")
    write(whole.slice(cut, len(whole)), tmp_path / "second.txt", "conll")
    assert tagloom("convert", tmp_path / "second.txt", halves[1], "--scheme", "BIOES").code == 0
    options = ("--learner", "crf", "--epochs", "2", "--templates", "words")
    assert tagloom("train", *halves, "-o", tmp_path / "halves.tagloom", *options).code == 0
    assert tagloom("train", trained["train.txt"], "-o", tmp_path / "whole.tagloom", *options).code == 0
    assert (tmp_path / "halves.tagloom").read_bytes() == (tmp_path / "whole.tagloom").read_bytes()
    limited = tagloom("train", *halves, "-o", tmp_path / "limited.tagloom", *options, "--memory", "2MB")
    assert limited.code == 0
    assert load(tmp_path / "limited.tagloom").labels == load(tmp_path / "whole.tagloom").labels


def test_columns_that_a_file_lacks_are_left_out_with_a_note(tagloom: Tagloom, tmp_path: Path) -> None:
    write(newswire(3), tmp_path / "old.txt", "conll", "form pos ner")
    (tmp_path / "new.jsonl").write_text('{"tokens": ["Ann"], "spans": [[0, 1, "PER"]]}\n')
    done = tagloom("train", tmp_path / "old.txt", tmp_path / "new.jsonl", "-o", tmp_path / "m", "--columns",
                   "form pos ner", "--epochs", "1", "--templates", "words")  # fmt: skip
    assert done.code == 0
    assert f"column pos left out: not in all files (see {tmp_path / 'new.jsonl'})" in done.err
    assert load(tmp_path / "m").spec.label == "ner"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["suggest", "a.tagloom", "missing.txt"], "missing.txt: no such file"),
        (["suggest", "missing.tagloom", "pool.txt"], "missing.tagloom: no such model file"),
        (["suggest", "pool.txt", "pool.txt"], "pool.txt: damaged or not a model file"),
        (["suggest", "a.tagloom", "pool.txt", "-n", "0"], "n: expected a whole number"),
        (["suggest", "a.tagloom", "pool.txt", "--strategy", "margn"], "did you mean 'margin'"),
        (["suggest", "a.tagloom", "pool.txt", "-o", "pool.txt"], "pool.txt: is an input, too"),
        (["suggest", "a.tagloom", "pool.txt", "-o", "no/such/folder"], "cannot write: no such directory"),
        (["suggest", "a.tagloom", "empty.txt"], "empty.txt: no tokens found, the file is empty"),
        (["suggest", "a.tagloom", "pool.txt", "--to", "xml"], "unknown output format (--to) 'xml'"),
        (["suggest", "a.tagloom"], "missing argument"),
        (["train", "train.txt", "tags.txt", "-o", "m"], "tags.txt: column 'label' holds plain tags, but spans in"),
        (["train", "train.txt", "missing.txt", "-o", "m"], "missing.txt: no such file"),
        (["train", "train.txt", "pool.txt", "-o", "m"], "pool.txt"),
        (["train", "train.txt", "tags.txt", "-o", "tags.txt"], "tags.txt: is an input, too"),
    ],
)
def test_wrong_input_gets_one_line(
    tagloom: Tagloom, trained: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str],
    message: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("pool.txt").write_text(TEXT)
    Path("empty.txt").write_text("")
    Path("tags.txt").write_text("the DT\ndog NN\n\na DT\ncat NN\n")
    for name, path in trained.items():
        Path(name).symlink_to(path)
    assert message in tagloom(*arguments).error
    assert not Path("m").exists()
