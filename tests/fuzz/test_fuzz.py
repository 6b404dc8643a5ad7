"""Some cases of every target: none may fail. `python -m tests.fuzz TARGET` runs as many as there is time for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tagloom.errors import DataError
from tests.fuzz.batches import run_cases
from tests.fuzz.outcome import CRASH, OK, RAW, REFUSED, SLOW, Outcome, Target, observe
from tests.fuzz.targets import TARGETS

COUNTS = {"api": 200, "corpora": 500, "templates": 1000}


@pytest.mark.parametrize("name", COUNTS)
def test_no_case_fails(name: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.fuzz", name, "--count", str(COUNTS[name]), "--output", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2], check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{COUNTS[name]:,} cases" in done.stdout


def test_the_names_of_all_targets_are_listed() -> None:
    command = [sys.executable, "-m", "tests.fuzz", "--list"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2], check=True)
    assert done.stdout.split() == list(TARGETS)


def test_every_target_has_a_module() -> None:
    folder = Path(__file__).parent
    assert all((folder / f"{name}.py").is_file() for name in TARGETS)


def _meet_fate(kind: str) -> Outcome:
    def call() -> None:
        if kind == REFUSED:
            raise DataError("no")
        if kind == RAW:
            raise KeyError("no")
        if kind == CRASH:
            os.kill(os.getpid(), signal.SIGKILL)
        while kind == SLOW:
            pass

    return observe(call)


@pytest.mark.parametrize("kind", [OK, REFUSED, RAW, CRASH, SLOW])
def test_whatever_becomes_of_a_case_is_an_outcome(kind: str, tmp_path: Path) -> None:
    target = Target(lambda rng: kind if rng.random() < 0.5 else OK, _meet_fate, seconds=0.02)
    found = [outcome.kind for _, outcome in run_cases(target, 1, range(6), tmp_path / "log")]
    assert found == [target.make_case(1, number) for number in range(6)]
