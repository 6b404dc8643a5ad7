"""Guides, tutorial and concepts run from top to bottom, Python and shell, and print what they say."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import tagloom
from tagloom import datasets
from tests.docs.blocks import run_page
from tests.treebank import conllu

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GUIDES = [DOCS / "tutorial.md", DOCS / "udpipe.md", *sorted((DOCS / "guides").glob("*.md"))]
CONCEPTS = [page for page in sorted((DOCS / "concepts").glob("*.md")) if page.stem != "index"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the data of the examples, a small treebank, columns and a text."""
    shutil.copytree(ROOT / "examples" / "data", tmp_path, dirs_exist_ok=True)
    for seed, (name, size) in enumerate({"train": 60, "dev": 20}.items(), 1):
        (tmp_path / f"{name}.conllu").write_text(conllu(size, seed))
    (tmp_path / "letter.txt").write_text("The dog saw a cat. Peter sleeps in Bonn.\n")
    tagloom.write(datasets.indonesian_pos().dev, tmp_path / "train.txt", "conll")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_guides_run(page: Path, folder: Path) -> None:
    assert run_page(page) > 0


@pytest.mark.parametrize("page", CONCEPTS, ids=lambda page: page.stem)
def test_concepts_run_and_agree_with_the_library(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_page(page) == 2  # the algorithm, and the comparison with tagloom


@pytest.mark.parametrize("page", sorted((DOCS / "papers" / "claims").glob("*.md")), ids=lambda page: page.stem)
def test_numbers_of_claims_are_computed_from_the_curves(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    run_page(page)


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 150
