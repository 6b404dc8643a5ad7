"""Checks of an output path before hours of work: nothing is created, truncated or overwritten by them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from tagloom.errors import ConfigError, DataError


def require_writable(output: str, inputs: Iterable[str | None] = ()) -> None:
    """Refuse a path that could not be written later, or that is one of the inputs."""
    if output == "-":
        return
    target = Path(output).resolve()
    reason = _refusal(target)
    if reason:
        raise DataError(f"{output}: cannot write: {reason}")
    for name in inputs:
        if name is not None and target.exists() and Path(name).exists() and target.samefile(name):
            raise ConfigError(f"{output}: is an input too; choose another name for the output")


def _refusal(target: Path) -> str | None:
    if target.is_dir():
        return "is a directory, expected a file"
    if not target.parent.is_dir():
        return "no such directory"
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        return "permission denied"
    return None
