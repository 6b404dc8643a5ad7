"""tagloom tag as a stream: output as soon as there is input, in memory that does not grow with it."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import tagloom
from tests.cli.outcome import Files

COMMAND = [sys.executable, "-m", "tagloom.cli", "tag"]
SENTENCE = "the DT\ndog NN\nbarks VBZ\n\n"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pipes of Unix")


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The file of a tagger that reads words only."""
    path = tmp_path_factory.mktemp("words") / "words.tagloom"
    tagloom.train([(["the", "dog", "barks"], ["DT", "NN", "VBZ"])] * 3, epochs=2).save(path)
    return str(path)


class Running:
    """tagloom tag behind pipes; what waits for ever is killed."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.watchdog = threading.Timer(60, self.process.kill)
        self.watchdog.start()

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *_: object) -> None:
        self.watchdog.cancel()
        self.process.kill()
        self.process.communicate()

    def ask(self, text: str, lines: int) -> list[str]:
        """Write a text, keep the pipe open, and read lines."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(text)
        self.process.stdin.flush()
        return [self.process.stdout.readline() for _ in range(lines)]

    def finish(self) -> str:
        """Close the pipe: nothing more comes; returns the notes."""
        out, err = self.process.communicate()
        assert (self.process.returncode, out) == (0, "")
        return err


@pytest.mark.parametrize("source", [[], ["-"]])
def test_the_first_sentence_is_written_before_the_input_ends(files: Files, source: list[str]) -> None:
    with Running(str(files.model), *source) as running:
        for word in ("dog", "cat", "dog"):
            lines = running.ask(SENTENCE.replace("dog", word), 4)
            assert [line.split()[:2] for line in lines] == [["the", "DT"], [word, "NN"], ["barks", "VBZ"], []]
            assert all(len(line.split()) == 3 for line in lines[:3])
        assert running.finish().count("guessed") == 1


@pytest.mark.parametrize("options", [[], ["--format", "jsonl"]])
def test_every_record_is_written_at_once(words: str, options: list[str]) -> None:
    with Running(words, "-", *options) as running:
        for word in ("dog", "cat", "dog"):
            (line,) = running.ask(json.dumps({"tokens": ["the", word, "barks"], "id": word}) + "\n", 1)
            found = json.loads(line)
            assert (found["tokens"], found["id"], len(found["tags"])) == (["the", word, "barks"], word, 3)
        assert running.finish().count("guessed") == (not options)


def test_a_record_in_two_parts_is_written_when_it_is_whole(words: str) -> None:
    with Running(words, "-") as running:
        assert running.ask('\n{"tokens": ["the", ', 0) == []
        assert json.loads(running.ask('"dog"]}\n', 1)[0])["tokens"] == ["the", "dog"]
        running.finish()


def test_every_line_of_text_is_written_at_once(words: str) -> None:
    with Running(words, "-", "--format", "text") as running:
        for word in ("dog", "cat", "dog"):
            lines = running.ask(f"the {word} barks\n", 4)
            assert [line.split()[:1] for line in lines] == [["the"], [word], ["barks"], []]
        running.finish()


def test_columns_in_single_lines_are_no_text(files: Files) -> None:
    """Without a format the first line of a sentence does not decide."""
    with Running(str(files.model), "-") as running:
        for line in ("the DT\n", "dog NN\n"):
            running.ask(line, 0)
            time.sleep(0.05)
        assert [line.split()[:2] for line in running.ask("\n", 3)] == [["the", "DT"], ["dog", "NN"], []]
        running.finish()


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
