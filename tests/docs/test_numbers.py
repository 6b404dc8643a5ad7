"""Scores that pages state are in the results that are committed: those of the papers, benchmarks and measurements."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.blocks import list_blocks, strip_blocks

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    DOCS / "udpipe.md",
    *sorted((DOCS / "guides").glob("*.md")),
    *sorted((DOCS / "concepts").glob("*.md")),
    *sorted((DOCS / "papers" / "claims").glob("*.md")),
]
#: Files with measurements, and pages that state some together with the command that made them.
RESULTS = [
    *sorted((DOCS / "papers").glob("*.md")),
    *sorted((DOCS / "results").glob("*.md")),
    *sorted((DOCS / "benchmarks").glob("*.md")),
    *sorted((DOCS / "best").glob("*.md")),
    *(DOCS / name for name in ("defaults.md", "features.md", "corpora.md", "learners.md", "lookahead.md")),
]
_SCORE = re.compile(r"(?<![\d.,])\d{2}\.\d{2}(?![\d%])")


@pytest.fixture(scope="module")
def known() -> set[str]:
    """All numbers of the results, with two digits after the point."""
    texts = [path.read_text("utf-8") for path in RESULTS]
    return {f"{float(number):.2f}" for text in texts for number in re.findall(r"\d{2}\.\d{2,}", text)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_scores_were_measured(page: Path, known: set[str]) -> None:
    text = page.read_text("utf-8")
    printed = {score for block in list_blocks(text) for score in _SCORE.findall(block.output or "")}
    unknown = set(_SCORE.findall(strip_blocks(text))) - known - printed
    assert not unknown, f"{page}: not in any result: {sorted(unknown)}"


def test_the_table_of_the_readme_is_that_of_the_benchmark() -> None:
    columns = ("training, CPU s", "test F1", "tokens/s", "one sentence, µs", "training, MB", "model, MB")
    measured = read_table(DOCS / "benchmarks" / "rivals.md", "CoNLL-2003 English")
    names = {
        "tagloom, CRF": ("tagloom", "all"),
        "tagloom, averaged perceptron": ("tagloom, ap", "all"),
        "tagloom, CRF, 3,000 sentences": ("tagloom", "first 3,000"),
        "spaCy, 3,000 sentences": ("spaCy", "first 3,000"),
    }
    rows = read_table(ROOT / "README.md", "")
    assert len(rows) >= 7
    for row in rows:
        name, sentences = names.get(row[""], (row[""], "all"))
        found = next(r for r in measured if (r["CoNLL-2003 English"], r["sentences"]) == (name, sentences))
        for column in columns:
            assert_rounded(row[column], found[column], f"{row['']}, {column}")


def read_table(page: Path, first: str) -> list[dict[str, str]]:
    """Read the table whose first column has a name."""
    lines = page.read_text("utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {first} |" if first else "| | training"))
    head, _, *rows = [line.strip().strip("|").split("|") for line in _take_table(lines[start:])]
    return [dict(zip((cell.strip() for cell in head), (cell.strip() for cell in row))) for row in rows]


def _take_table(lines: list[str]) -> list[str]:
    end = next((i for i, line in enumerate(lines) if not line.startswith("|")), len(lines))
    return lines[:end]


def assert_rounded(stated: str, measured: str, what: str) -> None:
    """Compare a stated number with a measured one, to as many digits as are stated."""
    measured = measured.split(" ±")[0].replace(",", "")
    if not stated:
        assert not measured, what
        return
    number = stated.replace(",", "")
    digits = len(number.partition(".")[2])
    zeros = len(number) - len(number.rstrip("0")) if not digits and len(number) > 3 else 0
    assert round(float(measured), -zeros if zeros else digits) == float(number), f"{what}: {stated}, not {measured}"
