"""Records of runs: what was fuzzed how often, with everything that is needed to repeat it.

``python -m tests.fuzz.records docs/reliability.json build/fuzz/records`` joins the records of a folder to one file.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def write_record(file: Path, name: str, what: str, outcomes: Mapping[str, int], seconds: float, **more: Any) -> None:
    """Write what came of a run.

    Args:
        file: File of the record.
        name: Name of the target.
        what: What the target feeds, in words.
        outcomes: Number of cases by their outcome.
        seconds: How long the run took.
        **more: What else helps to repeat it, such as the seed.
    """
    record = {
        "target": name, "what": what, "cases": sum(outcomes.values()), "outcomes": dict(outcomes),
        "seconds": round(seconds), "command": _get_command(), "revision": _get_revision(),
        "sanitized": os.environ.get("TAGLOOM_SANITIZED"), **more,
    }  # fmt: skip
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(record, indent=2) + "\n")


def join_records(output: Path, folder: Path) -> None:
    """Write the records of a folder to one file, beside those of other targets that stand there already."""
    joined = json.loads(output.read_text()) if output.exists() else {}
    for file in sorted(folder.glob("*.json")):
        joined[file.stem] = json.loads(file.read_text())
    output.write_text(json.dumps(joined, indent=2, sort_keys=True) + "\n")


def _get_command() -> str:
    module = getattr(sys.modules["__main__"].__spec__, "name", "tests.fuzz").removesuffix(".__main__")
    return " ".join(["python -m", module, *sys.argv[1:]])


def _get_revision() -> str:
    done = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


if __name__ == "__main__":
    join_records(*map(Path, sys.argv[1:]))
