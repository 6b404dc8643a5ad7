"""Forged model files and checkpoints that once did harm."""

from __future__ import annotations

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
