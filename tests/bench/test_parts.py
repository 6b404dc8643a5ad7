"""Parts of a long measurement: what has finished is not done again, and a failure is one line."""

from __future__ import annotations

from pathlib import Path

import pytest

parts = pytest.importorskip("bench.parts", reason="the benchmarks are not part of the package")


def make_part(word: str, *inputs: Path) -> parts.Part:
    return parts.Part("example", "tests.bench.part_program", (word, parts.OUTPUT), inputs, "1")


def test_a_finished_part_is_not_run_again(tmp_path: Path) -> None:
    output, usage = make_part("first").run(tmp_path)
    assert output.read_text("utf-8") == "first"
    assert (usage["runs"], usage["bytes"]) == (1, 5)
    assert make_part("first").run(tmp_path)[1]["runs"] == 1
    assert make_part("second").run(tmp_path)[1]["runs"] == 2


def test_a_part_that_was_stopped_begins_again(tmp_path: Path) -> None:
    output, _ = make_part("first").run(tmp_path)
    (output.parent / parts.USAGE).unlink()
    assert make_part("first").run(tmp_path)[1]["runs"] == 2


def test_a_part_changes_with_the_files_of_a_folder_that_it_reads(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    keys = set()
    for text in ("one", "two"):
        (tmp_path / "model" / "weights").write_text(text, "utf-8")
        keys.add(make_part("first", tmp_path / "model").key)
    assert len(keys) == 2


def test_a_failure_is_the_last_line_of_the_program(tmp_path: Path) -> None:
    with pytest.raises(parts.PartError, match=r"^nothing works today$"):
        make_part("fail").run(tmp_path)
