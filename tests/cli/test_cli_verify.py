"""tagloom verify: one line per file, JSON, and the exit code of bad files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tagloom as library
from tests.cli.outcome import Files, Tagloom
from tests.fuzz.bases import CHECKPOINT, begin_training
from tests.fuzz.containers import put_together, take_apart


def test_good_files_have_one_line_each(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    (tmp_path / "checkpoint").write_bytes(begin_training("lbfgs").files[CHECKPOINT])
    result = tagloom("verify", files.model, tmp_path / "checkpoint")
    model, checkpoint = result.out.splitlines()
    size = files.model.stat().st_size
    assert model.startswith(f"{files.model}: model, tagger, format 10, {size:,} bytes, ")
    assert model.endswith(" parameters, checksums right")
    assert checkpoint.startswith(f"{tmp_path / 'checkpoint'}: checkpoint, tagger, format 1, ")
    assert result.err == ""


def test_bad_files_are_told_and_end_with_2(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    (tmp_path / "cut").write_bytes(files.model.read_bytes()[:-1])
    (tmp_path / "text").write_text("a text")
    result = tagloom("verify", tmp_path / "cut", files.model, tmp_path / "text", tmp_path / "none")
    assert result.code == 2
    assert len(result.out.splitlines()) == 1
    errors = result.err.splitlines()
    assert [error.split(": ")[2] for error in errors] == [str(tmp_path / name) for name in ("cut", "text", "none")]


def test_json(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    (tmp_path / "bad").write_bytes(b"lCRF")
    found = tagloom("verify", files.model, tmp_path / "bad", "--json")
    good, bad = found.json
    assert good["ok"]
    assert good["system"] == "tagger"
    assert good["parameters"] > len(library.load(files.model).labels)
    assert not bad["ok"]
    assert bad["error"].startswith(str(tmp_path / "bad"))
    assert found.code == 2


@pytest.mark.parametrize(
    ("training", "name"),
    [("averaged-perceptron", "state.sums"), ("arow", "state.variances"), ("adf", "state.row_counts"),
     ("lbfgs", "state.gradient"), ("lbfgs", "state.steps.0"), ("nonlocal-perceptron", "state.nonlocal_sums"),
     ("reranking-1", "state.ranking_moments"), ("parser", "state.templates"), ("parser", "state.actions"),
     ("beam parser", "best.counts"), ("beam parser", "best.actions")],
)  # fmt: skip
def test_arrays_of_a_checkpoint_that_belong_together_are_equally_long(
    training: str, name: str, tagloom: Tagloom, tmp_path: Path
) -> None:
    parts = take_apart(begin_training(training).files[CHECKPOINT])
    size = len(parts.tensors[name].array)
    parts.tensors[name].array = parts.tensors[name].array[:-1]
    (tmp_path / "forged").write_bytes(put_together(parts))
    error = tagloom("verify", tmp_path / "forged").error
    assert error.startswith(f"{tmp_path / 'forged'}: not a usable checkpoint: tensor ")
    assert {f"{size:,}", f"{size - 1:,}"} <= set(re.findall(r"(?:expected|found) ([0-9,]*[0-9])", error))
