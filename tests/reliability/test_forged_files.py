"""Forged model files and checkpoints: those that once did harm, and random ones. ``make fuzz`` runs many more."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from tests.fuzz.forged import Case, load_case

FOUND = Path(__file__).parents[1] / "fuzz" / "found"


def list_found(target: str) -> list[Case]:
    return [load_case(line) for line in (FOUND / f"{target}.jsonl").read_text().splitlines()]


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured as Linux counts it")
@pytest.mark.parametrize("target", ["models", "checkpoints"])
def test_files_that_did_harm_do_none(target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    module = import_module(f"tests.fuzz.{target}")
    for case in list_found(target):
        outcome = module.TARGET.run(case)
        assert not outcome.failed, f"{case}: {outcome}"


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured as Linux counts it")
@pytest.mark.parametrize(("target", "count"), [("models", 500), ("checkpoints", 250)])
def test_random_files_are_refused_or_used(target: str, count: int, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.fuzz", target, "--count", str(count), "--output", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=FOUND.parents[2], check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
