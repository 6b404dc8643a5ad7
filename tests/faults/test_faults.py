"""Files survive kills, faults of the disk and other writers; what is full or short ends with one line."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import tagloom
from tagloom.corpus.replace import replace_file
from tagloom.errors import is_out_of_memory
from tests.faults.soak import INTERVALS, Case, is_flat, run_case

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the file layer with faults is made for Linux")
DATA = [(["Ada", "saw", "Bonn"], ["B-PER", "O", "B-LOC"]), (["in", "Bonn"], ["O", "B-LOC"])]


@linux
@pytest.mark.skipif("TAGLOOM_SANITIZED" in os.environ, reason="sanitizers have no limit of memory, and come first")
def test_the_small_part_of_the_harness_finds_nothing() -> None:
    done = subprocess.run([sys.executable, "-m", "tests.faults", "quick"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "FAILED" not in done.stdout


def test_the_last_of_several_writers_wins_as_a_whole(tmp_path: Path) -> None:
    contents = [bytes([number]) * 300_000 for number in range(8)]

    def write(content: bytes) -> None:
        for _ in range(5):
            replace_file(tmp_path / "file", content[:100_000], content[100_000:])
            assert (tmp_path / "file").read_bytes() in contents

    threads = [threading.Thread(target=write, args=(content,)) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (tmp_path / "file").read_bytes() in contents
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


@linux
def test_processes_that_write_one_path_leave_one_whole_file(tmp_path: Path) -> None:
    code = (
        "import sys; from tagloom.corpus.replace import replace_file\n"
        "for _ in range(30): replace_file(sys.argv[1], sys.argv[2].encode() * 200_000)"
    )
    target = tmp_path / "file"
    children = [subprocess.Popen([sys.executable, "-c", code, str(target), letter]) for letter in "abc"]
    assert [child.wait() for child in children] == [0, 0, 0]
    assert target.read_bytes() in [letter * 200_000 for letter in (b"a", b"b", b"c")]
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


@linux
@pytest.mark.parametrize("command", [["tag", "MODEL", "TEXT"], ["inspect", "MODEL"], ["convert", "TEXT", "/dev/full"]])
def test_a_full_output_is_one_line(tmp_path: Path, command: list[str]) -> None:
    tagloom.train(DATA, epochs=1).save(tmp_path / "model")
    (tmp_path / "text").write_text("Ada O\nsaw O\n\nin O\nBonn O\n")
    names = {"MODEL": str(tmp_path / "model"), "TEXT": str(tmp_path / "text")}
    arguments = [sys.executable, "-m", "tagloom.cli", *(names.get(each, each) for each in command)]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(arguments, stdout=full, stderr=subprocess.PIPE, text=True)
    errors = [line for line in done.stderr.splitlines() if line.startswith("tagloom: error: ")]
    assert done.returncode == 2
    assert len(errors) == 1
    assert "no space left on device" in errors[0]
    assert "Traceback" not in done.stderr


def test_what_means_that_memory_has_ended() -> None:
    assert is_out_of_memory(ImportError("x.so: failed to map segment from shared object"))
    assert is_out_of_memory(OSError(12, "Cannot allocate memory"))
    assert not is_out_of_memory(RuntimeError("something else"))
    assert not is_out_of_memory(KeyError("cannot allocate memory"))


@linux
def test_the_soak_tells_what_grows() -> None:
    kept: list[bytes] = []
    told: list[str] = []
    growing = Case("list", "calls", 20, 1, lambda: lambda _: kept.append(b"x" * 20_000_000))
    assert not run_case(growing, 1.0, told.append)
    assert "GROWS" in told[0]
    assert is_flat([10.0] * INTERVALS)
    assert not is_flat([10.0] * (INTERVALS - 1) + [20.0])
