"""Rough edges of files and terminals: abandoned temporary files, long lines, control characters, signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import tagloom
from tagloom.cli.console import hide_controls
from tagloom.cli.main import run
from tagloom.corpus.replace import _name_temporary, replace_file

DATA = [(["Ada", "saw", "Bonn"], ["B-PER", "O", "B-LOC"]), (["in", "Bonn"], ["O", "B-LOC"])]


def test_what_a_killed_process_left_is_removed_by_the_next_one(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", "pass"])
    child.wait()
    mine = tmp_path / _name_temporary()
    dead = tmp_path / _name_temporary().replace(f"-{os.getpid()}-", f"-{child.pid}-")
    foreign = tmp_path / ".tagloom-00000000-1-000000000000.tmp"
    for file in (mine, dead, foreign, tmp_path / ".tagloom-x.tmp"):
        file.write_text("half")
    replace_file(tmp_path / "model", b"whole")
    left = {file.name for file in tmp_path.iterdir()}
    assert left == {"model", mine.name, foreign.name, ".tagloom-x.tmp"}


@pytest.mark.parametrize("text", ["{long} NN O\n. . O\n\nYes UH O\n", "He PRP O\n{long} NN O\n. . O\n"])
def test_lines_longer_than_the_sample_are_read(tmp_path: Path, text: str) -> None:
    long = "x" * 400_000
    (tmp_path / "long.txt").write_text(text.format(long=long))
    corpus = tagloom.read(tmp_path / "long.txt", columns="form pos ner")
    assert long in corpus.column("form").texts()
    assert tagloom.read(tmp_path / "long.txt").names == ["form", "pos", "label"]


@pytest.mark.parametrize("command", [["inspect", "MODEL"], ["explain", "MODEL", "in Bonn"]])
def test_control_characters_of_a_model_do_not_reach_the_terminal(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, command: list[str]
) -> None:
    evil = "\x1b[31mBonn\x07"
    tagloom.train([(["in", evil], ["O", evil])] * 3, epochs=2).save(tmp_path / "model")
    assert run([argument.replace("MODEL", str(tmp_path / "model")) for argument in command]) == 0
    output = "".join(capsys.readouterr())
    assert "\x1b" not in output
    assert "\\x1b[31mBonn" in output


def test_other_characters_are_shown() -> None:
    assert hide_controls("a\tb\nc é") == "a\tb\nc é"


def test_a_model_that_may_not_be_read_is_not_called_damaged(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    with pytest.raises(tagloom.ModelFileError, match="no such model file"):
        tagloom.load(tmp_path / "model")
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    tagloom.train(DATA, epochs=1).save(tmp_path / "secret")
    (tmp_path / "secret").chmod(0)
    with pytest.raises(tagloom.ModelFileError, match="cannot be read: permission denied"):
        tagloom.load(tmp_path / "secret")


@pytest.mark.skipif(not hasattr(signal, "SIGTERM"), reason="no signals")
def test_sigterm_saves_the_best_model_so_far(tmp_path: Path) -> None:
    data = tmp_path / "train.txt"
    data.write_text("".join(f"w{i % 97} {'NN' if i % 3 else 'VB'}\n" + "\n" * (i % 11 == 0) for i in range(20_000)))
    command = [sys.executable, "-m", "tagloom.cli", "train", str(data), "-o", str(tmp_path / "m"), "--epochs", "100000",
               "--learner", "averaged-perceptron", "--columns", "form pos"]  # fmt: skip
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as child:
        assert child.stderr is not None
        next(line for line in child.stderr if line.startswith("pass 3"))
        child.send_signal(signal.SIGTERM)
        child.stderr.read()
        assert child.wait(60) == 130
    assert tagloom.load(tmp_path / "m").spec.history
