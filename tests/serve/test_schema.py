"""Requests that are made from the OpenAPI document: Schemathesis finds nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.browser import ROOT
from tests.serve.processes import ServerProcess

pytestmark = pytest.mark.browser


def find_schemathesis() -> str:
    own = ROOT / "build" / "browser" / "venv" / "bin" / "schemathesis"
    found = str(own) if own.exists() else shutil.which("schemathesis")
    if not found:
        pytest.skip("Schemathesis is not installed: make test-serve")
    return found


def find_faults(server: ServerProcess, folder: Path, *options: str) -> str:
    """Run Schemathesis against a server; returns what it prints if it finds something."""
    command = [find_schemathesis(), "run", f"http://127.0.0.1:{server.port}/openapi.json", "--no-color", *options]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=900)
    is_clean = done.returncode == 0 and "No issues found" in done.stdout
    return "" if is_clean else done.stdout[-5000:] + done.stderr[-1000:]


#: Models that read words, columns and features: the document differs.
SERVED = [("ner", "pos", "phrases", "parser", "tokenizer", "pipeline"), ("chunks",), ("features",)]


@pytest.mark.parametrize("names", SERVED, ids=lambda names: names[0])
def test_schemathesis_finds_nothing(names: tuple[str, ...], models: dict[str, Path], tmp_path: Path) -> None:
    examples = os.environ.get("TAGLOOM_SCHEMA_EXAMPLES", "150")
    with ServerProcess(*(models[name] for name in names), "--no-request-log") as server:
        assert not find_faults(server, tmp_path, "--max-examples", examples)
        assert server.end() == 0
        assert not [each for each in server.list_events() if each["level"] == "error"]


def test_schemathesis_finds_nothing_behind_tokens(models: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text("correct-horse-battery-staple\n")
    token = ("-H", "Authorization: Bearer correct-horse-battery-staple")
    with ServerProcess(models["ner"], "--token-file", tmp_path / "tokens", "--no-request-log") as server:
        assert not find_faults(server, tmp_path, "--max-examples", "50", *token)
