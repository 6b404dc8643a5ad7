"""One version everywhere."""

from __future__ import annotations

import re
from pathlib import Path

from tagloom import __version__

ROOT = Path(__file__).parents[1]


def test_version_is_the_same_everywhere() -> None:
    assert f'\nversion = "{__version__}"' in (ROOT / "pyproject.toml").read_text()
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text()
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert newest is not None
    assert newest[1] == __version__
