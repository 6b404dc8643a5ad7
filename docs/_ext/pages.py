"""Pages of the first level that no list of contents names: they are found, so that a new page needs no entry."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parents[1]
_LISTS = ("index.md", "migrating.md")
_ENTRY = re.compile(r"^(?:.*<)?([\w/-]+)>?$", re.M)


def write_other_pages() -> str:
    """List the pages for a toctree."""
    named = {entry for name in _LISTS for entry in _ENTRY.findall((DOCS / name).read_text("utf-8"))}
    return "\n".join(sorted(page.stem for page in DOCS.glob("*.md") if page.stem not in {*named, "index"}))
