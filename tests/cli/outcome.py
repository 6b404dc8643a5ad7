"""What the tests of the command line talk about: the outcome of a command, and the files it works on."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> str:
        """The one line of a user's error."""
        assert (self.code, self.out) == (2, ""), self
        (line,) = self.err.splitlines()
        assert line.startswith("tagloom: error: "), line
        return line.removeprefix("tagloom: error: ")


Tagloom = Callable[..., Outcome]


@dataclass(frozen=True)
class Files:
    """Column files ``form pos chunk``, and a chunker trained on them."""

    train: Path
    dev: Path
    test: Path
    model: Path
