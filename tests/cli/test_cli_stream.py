"""tagloom tag as a stream: output as soon as there is input, in memory that does not grow with it."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.cli.outcome import Files

COMMAND = [sys.executable, "-m", "tagloom.cli", "tag"]
SENTENCE = "the DT\ndog NN\nbarks VBZ\n\n"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pipes of Unix")


@pytest.mark.parametrize("source", [[], ["-"]])
def test_the_first_sentence_is_written_before_the_input_ends(files: Files, source: list[str]) -> None:
    process = subprocess.Popen(
        [*COMMAND, str(files.model), *source], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    watchdog = threading.Timer(60, process.kill)  # a test that waits for ever fails
    watchdog.start()
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        for word in ("dog", "cat", "dog"):
            process.stdin.write(SENTENCE.replace("dog", word))
            process.stdin.flush()
            lines = [process.stdout.readline() for _ in range(4)]
            assert [line.split()[:2] for line in lines] == [["the", "DT"], [word, "NN"], ["barks", "VBZ"], []]
            assert all(len(line.split()) == 3 for line in lines[:3])
        out, err = process.communicate()
    finally:
        watchdog.cancel()
    assert (process.returncode, out) == (0, "")
    assert err.count("guessed") == 1


def peak_memory(model: Path, text: Path) -> int:
    """Kilobytes that a process needs at most to tag a file."""
    code = "import resource, sys; from tagloom.cli.main import run; code = run(sys.argv[1:]); " \
           "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss); sys.exit(code)"  # fmt: skip
    arguments = [sys.executable, "-c", code, "tag", str(model), str(text), "-o", os.devnull]
    return int(subprocess.run(arguments, capture_output=True, text=True, check=True).stdout)


@pytest.mark.skipif(sys.platform == "darwin" or not hasattr(resource, "getrusage"), reason="kilobytes of Linux")
def test_memory_does_not_grow_with_the_input(files: Files, tmp_path: Path) -> None:
    small, large = tmp_path / "small", tmp_path / "large"
    small.write_text(SENTENCE * 100_000)  # 2.6 MB
    large.write_text(SENTENCE * 600_000)
    assert peak_memory(files.model, large) - peak_memory(files.model, small) < 12_000


def test_batches_are_the_same_as_the_whole(files: Files, tmp_path: Path) -> None:
    """Documents, comments and blank lines at the cuts included."""
    text = "".join(
        "-DOCSTART- -X- O\n\n" * (number % 50 == 0) + SENTENCE.replace("dog", f"dog{number}")
        for number in range(20_000)
    )
    (tmp_path / "large").write_text(text)
    done = subprocess.run([*COMMAND, str(files.model), str(tmp_path / "large")], capture_output=True, check=True)
    rows = [line.split() for line in done.stdout.decode().splitlines()]
    assert [row[:2] for row in rows if row and row[0] != "-DOCSTART-"] == [
        line.split() for line in text.splitlines() if line and not line.startswith("-DOCSTART-")
    ]
    assert sum(row[:1] == ["-DOCSTART-"] for row in rows) == 400


def test_an_error_in_a_later_batch_leaves_the_old_file(files: Files, tmp_path: Path) -> None:
    text = SENTENCE * 100_000
    (tmp_path / "bad").write_text(text + "one\n\n")
    (tmp_path / "out").write_text("old")
    arguments = [*COMMAND, str(files.model), str(tmp_path / "bad"), "-o", str(tmp_path / "out")]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    line = text.count("\n") + 1
    assert done.stderr.splitlines()[-1].startswith(f"tagloom: error: {tmp_path / 'bad'}:{line}: expected 2 columns")
    assert (tmp_path / "out").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad", "out"]
