"""``tagloom clusters``: files of clusters, and what ends with one line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.outcome import Files, Tagloom

TEXT = "The dog ran. A cat ran.\n\nThe cat saw a dog.\n"


def test_text_in_clusters_out(tagloom: Tagloom, tmp_path: Path) -> None:
    (tmp_path / "raw.txt").write_text(TEXT)
    done = tagloom("clusters", tmp_path / "raw.txt", "-c", "4")
    assert done.code == 0
    rows = [line.split("\t") for line in done.out.splitlines()]
    assert sorted((word, count) for _, word, count in rows) == sorted(
        [(".", "3"), ("The", "2"), ("cat", "2"), ("dog", "2"), ("ran", "2"), ("A", "1"), ("a", "1"), ("saw", "1")]
    )
    assert len({path for path, _, _ in rows}) == 4
    assert done.err.splitlines()[-1] == "8 words in 4 clusters"
    kept = tagloom("clusters", tmp_path / "raw.txt", "-c", "4", "-o", tmp_path / "out.txt", "--threads", "2")
    assert (kept.code, kept.out, (tmp_path / "out.txt").read_text()) == (0, "", done.out)
    assert tagloom("clusters", "-", "-c", "4", "--format", "text", stdin=TEXT).out == done.out
    rare = tagloom("clusters", tmp_path / "raw.txt", "--min-count", "2", "--tokenizer", "whitespace")
    assert sorted(line.split("\t")[1] for line in rare.out.splitlines()) == ["The", "cat", "ran."]


def test_a_training_reads_the_clusters_of_its_corpus(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    out = tmp_path / "clusters.txt.gz"
    columns = ["--columns", "form pos chunk"]
    assert tagloom("clusters", files.train, files.dev, *columns, "-c", "20", "-o", out).code == 0
    (tmp_path / "templates").write_text("form[0]\nbrown{2,4}[0]\nbrown[{-1..1}]\n/ edge\n")
    done = tagloom("train", files.train, *columns, "--templates", tmp_path / "templates", "--resource", f"brown={out}",
                   "--epochs", "1", "-o", tmp_path / "model")  # fmt: skip
    assert done.code == 0


def test_vectors_in_clusters_out(tagloom: Tagloom, tmp_path: Path) -> None:
    (tmp_path / "vectors.txt").write_text("cat 1 0\ndog 0.9 0.1\nran 0 1\nsat 0.1 0.9\n")
    done = tagloom("clusters", "--vectors", tmp_path / "vectors.txt", "-c", "2")
    assert done.code == 0
    paths = dict(reversed(line.split("\t")) for line in done.out.splitlines())
    assert paths["cat"] == paths["dog"] != paths["ran"] == paths["sat"]
    assert set(paths.values()) == {"0", "1"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "expected a text, or --vectors FILE; see tagloom clusters --help"),
        (["TEXT", "--vectors", "V"], "--vectors V: expected no text beside it, got TEXT; leave one of both out"),
        (["TEXT", "--seed", "2"], "--seed is for clusters of vectors; leave it out"),
        (["--vectors", "V", "--min-count", "2"], "--min-count is for clusters of text; leave it out"),
        (["--vectors", "V"], "V: no such file"),
        (["TEXT"], "TEXT: no such file"),
        (["TEXT", "-c", "0"], "clusters: expected 1 to 10,000, got 0"),
        (["TEXT", "--tokenizer", "x"], "unknown tokenizer"),
    ],
)
def test_what_ends_with_one_line(tagloom: Tagloom, arguments: list[str], message: str) -> None:
    assert message in tagloom("clusters", *arguments).error


def test_an_input_is_not_overwritten(tagloom: Tagloom, tmp_path: Path) -> None:
    (tmp_path / "raw.txt").write_text(TEXT)
    assert "is an input, too" in tagloom("clusters", tmp_path / "raw.txt", "-o", tmp_path / "raw.txt").error


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent in another way")
def test_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    text = "".join(f"w{number * number % 70001} w{number} " + "\n" * (number % 9 == 0) for number in range(60_000))
    (tmp_path / "raw.txt").write_text(text)
    arguments = ["clusters", "raw.txt", "--format", "text", "-c", "2000", "-o", "out.txt"]
    command = [sys.executable, "-m", "tagloom.cli", *arguments]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL) as child:
        time.sleep(1.5)
        assert child.poll() is None
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=60) == 130
    assert [file.name for file in tmp_path.iterdir()] == ["raw.txt"]
