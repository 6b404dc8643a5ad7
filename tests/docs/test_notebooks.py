"""Notebooks run, and show what is stored with them; `make notebooks` stores outputs anew."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tools.run_notebooks import run_notebook

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_show_what_is_stored(path: Path) -> None:
    stored, shown = json.loads(path.read_text("utf-8")), run_notebook(path)
    for old, new in zip(stored["cells"], shown["cells"], strict=True):
        assert read_outputs(old) == read_outputs(new)


def read_outputs(cell: dict[str, Any]) -> list[str]:
    """The texts that a cell shows, whatever the version of tagloom is, and whether there is HTML beside them."""
    outputs = [(output.get("text") or output["data"]["text/plain"], sorted(output.get("data", {}))) for output in
               cell.get("outputs", [])]  # fmt: skip
    return [re.sub(r"tagloom:[\d.]+\w*", "tagloom", json.dumps(output)) for output in outputs]


def test_notebooks_are_pages_and_are_described() -> None:
    described = (ROOT / "examples" / "README.md").read_text("utf-8")
    for path in NOTEBOOKS:
        assert f"({path.name})" in described
        page = ROOT / "docs" / "examples" / f"{path.stem}.md"
        assert f"<!-- generated: notebook {path.stem} -->" in page.read_text("utf-8")
        assert json.loads(path.read_text("utf-8"))["nbformat"] == 4
