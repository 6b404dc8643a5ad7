"""Finished measurements and generated texts: both are kept, so that a run that was stopped goes on."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.parts import checksum_sources
from bench.scale.text import write_corpus


class Keeper:
    """Keeps finished measurements in a file; other sources of the package have another file."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.path = folder, folder / f"{checksum_sources()}.json"
        self.records: dict[str, Any] = json.loads(self.path.read_text()) if self.path.exists() else {}

    def measure(self, name: str, measure: Callable[[], Any]) -> Any:
        """Return a measurement, done before or now."""
        if name not in self.records:
            print(name, file=sys.stderr)
            self.records[name] = measure()
            self.path.write_text(json.dumps(self.records, indent=1) + "\n")
        return self.records[name]

    def make_text(self, tokens: int) -> tuple[Path, int]:
        """Write generated text of about so many tokens unless it is there; return the file and its tokens."""
        path, size = self.folder / f"text-{tokens}.conll", self.folder / f"text-{tokens}.count"
        if not size.exists():
            print(f"generate {tokens:,} tokens", file=sys.stderr)
            size.write_text(str(write_corpus(path, tokens)))
        return path, int(size.read_text())
