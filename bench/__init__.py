"""Measurements that write docs/results; `make help` lists their commands."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "docs" / "results"


def find_conll2000() -> Path:
    """Return the folder of CoNLL-2000, or end with a line that says how to name it."""
    folder = Path(os.environ.get("TAGLOOM_DATA", ROOT.parent / "shared" / "data")) / "conll2000"
    if not folder.is_dir():
        sys.exit(f"{folder}: no such folder; set TAGLOOM_DATA to the folder that holds conll2000")
    return folder
