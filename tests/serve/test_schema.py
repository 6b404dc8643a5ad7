"""Requests that are made from the OpenAPI document: Schemathesis finds nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.serve.browsing import ROOT
from tests.serve.processes import ServerProcess

pytestmark = pytest.mark.browser


def find_schemathesis() -> str:
    own = ROOT / "build" / "serve" / "venv" / "bin" / "schemathesis"
    found = str(own) if own.exists() else shutil.which("schemathesis")
    if not found:
        pytest.skip("Schemathesis is not installed: make test-serve")
    return found


@pytest.mark.parametrize(
    "names", [("ner", "pos", "phrases", "parser", "tokenizer", "pipeline"), ("chunks",), ("features",)]
)
def test_schemathesis_finds_nothing(names: tuple[str, ...], models: dict[str, Path], tmp_path: Path) -> None:
    server = ServerProcess(*(models[name] for name in names), "--no-request-log")
    examples = os.environ.get("TAGLOOM_SCHEMA_EXAMPLES", "200")
    command = [
        find_schemathesis(), "run", f"http://127.0.0.1:{server.port}/openapi.json", "--max-examples", examples,
        "--no-color", "--generation-database", "none",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=600)
    assert done.returncode == 0, done.stdout[-5000:]
    assert "No issues found" in done.stdout
    assert server.end() == 0
    assert not [each for each in server.list_events() if each["level"] == "error"]


def test_schemathesis_finds_nothing_behind_tokens(models: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text("correct-horse-battery-staple\n")
    server = ServerProcess(models["ner"], "--token-file", tmp_path / "tokens", "--no-request-log")
    command = [
        find_schemathesis(), "run", f"http://127.0.0.1:{server.port}/openapi.json", "--max-examples", "50",
        "--no-color", "--generation-database", "none", "-H", "Authorization: Bearer correct-horse-battery-staple",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=600)
    assert done.returncode == 0, done.stdout[-5000:]
    assert server.end() == 0
