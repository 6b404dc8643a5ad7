"""Links of README, docs and CONTRIBUTING lead to files that exist, and to headings that these have."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.blocks import strip_blocks

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "examples/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
#: Pages of the site that show another file.
SHOWN = {"contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md", "security.md": "SECURITY.md"}
_LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^()\s]*(?:\([^()]*\))?[^()\s]*)\)")


def list_links(page: Path) -> Iterator[tuple[str, str]]:
    """List the relative links of a page as path and anchor."""
    text = re.sub(r"`[^`\n]+`", lambda code: "x" * len(code[0]), strip_blocks(page.read_text("utf-8")))
    for link in _LINK.findall(text):
        if not re.match(r"[a-z]+:", link):
            path, _, anchor = link.partition("#")
            yield path, anchor


@functools.cache
def list_anchors(page: Path) -> set[str]:
    """List the anchors of a page: its headings, as GitHub and the site name them, and targets of its own."""
    if page.parent.name == "docs" and page.name in SHOWN:
        page = ROOT / SHOWN[page.name]
    text, seen, found = strip_blocks(page.read_text("utf-8")), Counter[str](), set[str]()
    for heading in re.findall(r"^#+ (.+)$", text, re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")
        found.add(slug if not seen[slug] else f"{slug}-{seen[slug]}")
        seen[slug] += 1
    return found | set(re.findall(r"^\(([\w-]+)\)=$", text, re.M))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for path, anchor in list_links(page):
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page}: no file {path}"
        assert target.is_relative_to(ROOT), f"{page}: {path} is outside of the repository"
        if anchor and target.suffix == ".md":
            assert anchor in list_anchors(target), f"{page}: {path} has no heading #{anchor}"


def test_every_page_is_reached() -> None:
    """Pages of the site are listed in some list of contents, or found by one."""
    listed = "\n".join(block for page in PAGES for block in re.findall(r"```{toctree}(.*?)```", page.read_text(), re.S))
    for page in (ROOT / "docs").rglob("*.md"):
        is_found = page.parent.name in ("docs", "results")  # lists of these folders are made when the site is built
        assert is_found or re.search(rf"\b{re.escape(page.stem)}>?$", listed, re.M), page
