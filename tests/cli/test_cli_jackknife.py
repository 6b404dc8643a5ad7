"""tagloom jackknife: what it writes and prints, formats, going on, errors, Ctrl-C."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tagloom as library
from tagloom.corpus import Corpus, read, write
from tests.cli.outcome import Files, Tagloom

FAST = ("--templates", "form[{-1..1}]\n/ edge\n", "--epochs", 3, "--folds", 4)
COLUMNS = ("--columns", "form pos chunk")


def test_gold_labels_are_replaced_and_scored(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    output = tmp_path / "tagged.txt"
    call = ("jackknife", files.train, "-o", output, *COLUMNS, "--label", "pos", *FAST, "--jobs", 2)
    result = tagloom(*call)
    gold, tagged = (read(file, "conll", "form pos chunk") for file in (files.train, output))
    for name in ("form", "chunk"):
        assert tagged.column(name).texts() == gold.column(name).texts()
    assert tagged.sentences.tolist() == gold.sentences.tolist()
    pairs = list(zip(gold.column("pos").texts(), tagged.column("pos").texts(), strict=True))
    right = 100 * sum(a == b for a, b in pairs) / len(pairs)
    assert right < 100
    assert result.out.startswith(f"accuracy {right:.2f} of {len(pairs)} tokens")
    assert "|folds:4 of " in result.out
    assert result.err.splitlines()[-1].startswith(f"wrote {output}: column pos jackknifed in 4 folds of ")
    report = tagloom(*call, "--json").json
    assert report["accuracy"] == pytest.approx(right)
    assert (report["columns"], report["folds"]) == (["pos"], 4)
    found = library.jackknife(
        files.train, columns="form pos chunk", label="pos", templates=FAST[1], epochs=3, folds=4, jobs=1
    )
    assert found.tags.texts() == tagged.column("pos").texts()


def test_options_of_history_based_learners(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    common = ("jackknife", files.train, "-o", tmp_path / "j", "--folds", 2, "--epochs", 1, "--json", "--learner")
    ahead = tagloom(*common, "lookahead-perceptron", "--depth", 2, "--direction", "right-to-left", "--history", 2).json
    assert "learner:lookahead-perceptron,depth=2,direction=right-to-left,history=2|" in ahead["signature"]
    assert "learner:beam-perceptron,beam=3|" in tagloom(*common, "beam-perceptron", "--beam", 3).json["signature"]


def test_stdout(tagloom: Tagloom, files: Files) -> None:
    result = tagloom("jackknife", files.train, "-o", "-", *COLUMNS, *FAST)
    assert result.code == 0
    assert "F1" not in result.out
    assert "|folds:4 of " in result.err


@pytest.mark.parametrize("name", ["conll", "jsonl", "slashed", "segmented", "conllu"])
def test_formats(tagloom: Tagloom, tmp_path: Path, name: str) -> None:
    """The corpus is written as it came, but for the labels."""
    given, output = tmp_path / f"given.{name}", tmp_path / "tagged"
    if name == "conllu":
        line = "{0}\t{1}\t_\t{2}\t_\t_\t_\t_\t_\t_\n"
        given.write_text("".join(f"# sent_id = {n}\n{line.format(1, 'a', 'X')}{line.format(2, f'b{n}', 'Y')}\n"
                                 for n in range(6)))  # fmt: skip
    elif name == "segmented":
        given.write_text("ab c\nab c d\n" * 6)
    else:
        words, tags = ["a", "b", "c"] * 6, ["X", "Y", "X"] * 6
        write(Corpus.from_columns({"form": words, "label": tags}, [3] * 6), given, name)
    result = tagloom("jackknife", given, "-o", output, "--format", name, "--folds", 3)
    assert result.code == 0, result.err
    before, after = read(given, name), read(output, name)
    assert before.column("form").texts() == after.column("form").texts()
    assert before.names == after.names
    if name == "conllu":
        assert "# sent_id = 3\n" in output.read_text()


def test_the_same_command_goes_on(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    call = ("jackknife", files.train, *COLUMNS, *FAST, "--cache", tmp_path / "folds")
    first = tagloom(*call, "-o", tmp_path / "a")
    min((tmp_path / "folds").iterdir()).unlink()
    second = tagloom(*call, "-o", tmp_path / "b")
    assert first.out == second.out
    assert second.err.count("read from the cache") == 3
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--folds", 1), "folds: expected a whole number of 2 or more, got 1"),
        (("--folds", 100_000), "folds: "),
        (("--by", "word"), "unknown unit of folds 'word'"),
        (("--label", "tag"), "unknown column of "),
        (("--learner", "nobody"), "unknown learner 'nobody'"),
        (("--jobs", 0), "jobs: expected"),
        (("--set", "folds=3"), "--set folds: --folds are those of jackknifing"),
        (("-o", "/no/such/file"), "/no/such/file: cannot write: no such directory"),
        (("-o", "-", "--json"), "--json: stdout takes the corpus; name a file with -o"),
        (("--nbest", 0), "--nbest: expected a whole number from 1 to "),
        (("--cache", "/dev/null"), "/dev/null: cannot make this folder for folds: "),
    ],
)
def test_errors_are_one_line(
    tagloom: Tagloom, files: Files, tmp_path: Path, arguments: tuple[object, ...], message: str
) -> None:
    output = () if "-o" in arguments else ("-o", tmp_path / "out")
    folds = () if "--folds" in arguments else ("--folds", 4)
    assert tagloom("jackknife", files.train, *output, *COLUMNS, *folds, *arguments).error.startswith(message)
    assert not (tmp_path / "out").exists()


def test_a_format_that_cannot_hold_the_corpus_is_refused_first(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    call = (
        "jackknife",
        files.train,
        "-o",
        tmp_path / "x.slashed",
        *COLUMNS,
        "--folds",
        4,
        "--cache",
        tmp_path / "folds",
    )
    assert "slashed holds 2 columns, got 3" in tagloom(*call).error
    assert not list(tmp_path.iterdir())


def test_the_corpus_is_not_overwritten(tagloom: Tagloom, files: Files) -> None:
    assert "is an input, too" in tagloom("jackknife", files.train, "-o", files.train).error


def test_a_corpus_without_labels(tagloom: Tagloom, tmp_path: Path) -> None:
    (tmp_path / "words").write_text("a\n\nb\n")
    error = tagloom("jackknife", tmp_path / "words", "-o", tmp_path / "out", "--format", "conll").error
    assert "there are no labels" in error


# -- candidates --------------------------------------------------------------------------------------------------------


def test_candidates_are_written_as_tag_writes_them(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    """Two folds: each half of the file as a model of the other half tags it."""
    corpus = read(files.train, "conll", "form pos chunk")
    middle = (len(corpus) + 1) // 2
    halves = [tmp_path / "a", tmp_path / "b"]
    for half, (start, stop) in zip(halves, ((0, middle), (middle, len(corpus)))):
        write(replace(corpus.slice(start, stop), has_documents=False), half, "conll", "form pos chunk")
    (tmp_path / "whole").write_text("".join(half.read_text() for half in halves))
    lists, numbers = tmp_path / "lists", np.arange(len(corpus))
    common = (*COLUMNS, *FAST[:4], "--folds", 2, "--scheme", "BIOES")
    result = tagloom("jackknife", tmp_path / "whole", "-o", lists, "--nbest", 3, *common)
    expected = ""
    for held_out, others in zip(halves, (numbers[middle:], numbers[:middle])):
        library.train(corpus.select(others), templates=FAST[1], epochs=3, scheme="BIOES").save(tmp_path / "model")
        expected += tagloom("tag", tmp_path / "model", held_out, "--nbest", 3, *COLUMNS).out
    assert lists.read_text() == expected
    assert result.err.splitlines()[-1] == f"wrote {lists}: 3 best jackknifed in 2 folds of sentences"
    assert "F1" in result.out
    report, signature = result.out.splitlines()[-2:]
    assert re.fullmatch(
        r"f1 of the first [\d.]+, of the best [\d.]+; \d+ lists, \d+ without gold, 0 of one candidate, 0 empty", report
    )
    assert "|folds:2 of sentences|candidate:oracle of 3|" in signature


def test_candidates_in_json(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    common = ("jackknife", files.train, *COLUMNS, *FAST, "--scheme", "data", "--json", "-o", tmp_path / "out")
    plain, told = tagloom(*common).json, tagloom(*common, "--nbest", 2).json
    assert {name: value for name, value in told.items() if name != "nbest"} == plain
    found = told["nbest"]
    assert found["first"]["f1"] == plain["f1"] < found["oracle"]["f1"]
    assert (found["n"], found["empty"]) == (2, 0)
    assert 0 < found["with_gold"] < found["lists"]


def test_candidates_of_a_beam(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    """Label triples have no exact n best: those of a beam are listed."""
    search = ("--learner", "lookahead-perceptron", "--history", 2, "--epochs", 1)
    call = ("jackknife", files.train, *COLUMNS, *search, "--folds", 2, "--nbest", 2, "--json", "-o", tmp_path / "out")
    found = tagloom(*call).json["nbest"]
    assert found["first"]["f1"] < found["oracle"]["f1"]
    assert found["without_gold"] == found["lists"] - found["with_gold"]


@pytest.mark.parametrize("name", ["jsonl", "conllu"])
def test_formats_of_candidates(tagloom: Tagloom, tmp_path: Path, name: str) -> None:
    given, output = tmp_path / f"given.{name}", tmp_path / "lists"
    if name == "conllu":
        line = "{0}\t{1}\t_\t{2}\t_\t_\t_\t_\t_\t_\n"
        given.write_text(f"{line.format(1, 'a', 'X')}{line.format(2, 'b', 'Y')}\n" * 6)
    else:
        write(Corpus.from_columns({"form": ["a", "b"] * 6, "label": ["X", "Y"] * 6}, [2] * 6), given, name)
    result = tagloom("jackknife", given, "-o", output, "--format", name, "--folds", 3, "--nbest", 2)
    assert result.code == 0, result.err
    if name == "conllu":
        assert output.read_text().count("# nbest = 0 ") == 6 == output.read_text().count("# nbest = 1 ")
    else:
        records = [json.loads(line) for line in output.read_text().splitlines()]
        assert [len(record["nbest"]) for record in records] == [2] * 6
        assert records[0]["tags"] == ["X", "Y"] == records[0]["nbest"][0]["tags"]


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_ctrl_c_ends_it_promptly_and_keeps_finished_folds(tmp_path: Path) -> None:
    draw = random.Random(1)
    rows = [f"w{draw.randrange(50)} {draw.choice('AB')}\n" + "\n" * (draw.random() < 0.1) for _ in range(20_000)]
    (tmp_path / "endless.txt").write_text("".join(rows))
    code = "import sys; from tagloom.cli import main; sys.exit(main())"
    arguments = ["jackknife", "endless.txt", "-o", "out", "--epochs", "100000000", "--jobs", "2", "--cache", "folds"]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    for line in process.stderr:
        if "at a time" in line:
            break
    time.sleep(0.3)
    begun = time.perf_counter()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert time.perf_counter() - begun < 5
    assert (process.returncode, err) == (130, "interrupted; finished folds are kept: the same command continues\n")
    assert not (tmp_path / "out").exists()
