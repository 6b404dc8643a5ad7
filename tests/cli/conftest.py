"""A command line run in this process, and small files to run it on."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tagloom.cli.main import run
from tagloom.corpus import write
from tagloom.datasets import newswire
from tests.cli.outcome import Files, Outcome, Tagloom


@pytest.fixture
def tagloom(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Tagloom:
    def call(*arguments: object, stdin: str = "") -> Outcome:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        return Outcome(code, *capsys.readouterr())

    return call


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    folder = tmp_path_factory.mktemp("files")
    made = Files(*(folder / name for name in ("train.txt", "dev.txt", "test.txt", "chunks.tagloom")))
    for seed, path in enumerate((made.train, made.dev, made.test), 1):
        write(newswire(8, seed=seed), path, "conll", "form pos chunk")
    code = run(["train", str(made.train), "-o", str(made.model), "--columns", "form pos chunk", "--epochs", "4",
                "--templates", "chunking"])  # fmt: skip
    assert code == 0
    return made


@pytest.fixture
def corpus_file(tmp_path: Path) -> Callable[..., Path]:
    """Writes a text to a file of its own."""

    def make(text: str, name: str = "corpus.txt") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return make
