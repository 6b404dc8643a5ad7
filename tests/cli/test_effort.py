"""``tagloom train --effort high``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

import tagloom
from tagloom.cli.main import run
from tagloom.datasets import newswire


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    news = newswire(8)
    columns = {name: news.column(name) for name in ("form", "ner")}
    path = tmp_path / "train.conll"
    tagloom.write(tagloom.Corpus(columns, news.sentences, news.documents), path)
    return path


def test_the_printed_command_gives_the_same_model(corpus: Path, tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "best.tagloom"
    assert (
        run(["train", str(corpus), "-o", str(out), "--effort", "high", "--epochs", "1", "--columns", "form ner"]) == 0
    )
    error = capsys.readouterr().err
    command = next(line for line in error.splitlines() if line.startswith("tagloom train"))
    first = out.read_bytes()
    assert run(shlex.split(command)[1:]) == 0
    assert out.read_bytes() == first


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--effort", "huge"], "expected normal or high"),
        (["--effort", "high", "--budget", "x"], "expected a time such as 10m"),
        (["--effort", "high", "--start", "old.tagloom"], "does not go with --start"),
        (["--effort", "high", "--system", "phrases"], "nothing to try"),
    ],
)
def test_mistakes_are_one_line(corpus: Path, tmp_path: Path, capsys: Any, arguments: list[str], message: str) -> None:
    assert run(["train", str(corpus), "-o", str(tmp_path / "m"), *arguments]) == 2
    error = capsys.readouterr().err.strip()
    assert message in error
    assert len(error.splitlines()) == 1
