"""How much memory there is, and how much a training will need."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, TypeVar

from tagloom.corpus.streams import COMPRESSIONS
from tagloom.systems.options import TrainingOptions

OptionsT = TypeVar("OptionsT", bound=TrainingOptions)

_PER_BYTE = 14  # bytes of memory per byte of a column file: 120 to 140 per token of ten characters, weights excepted
_COMPRESSION = 6  # times that a compressed file grows
_USED = 0.5  # part of the available memory that a training with limited memory takes
_LEAST = 10**6  # bytes


def measure_available() -> int | None:
    """Measure the bytes of memory that are available; None where the system does not tell."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, ValueError, StopIteration):
        return None


def limit_options(options: OptionsT, data: object) -> tuple[OptionsT, dict[str, int]]:
    """Limit the memory of a training on a file that is too large for it; also return the options that do so."""
    limit = choose_limit(data)
    limited = None if limit is None else options.limit_memory(limit)
    return (options, {}) if limit is None or limited is None else (limited, {"memory": limit})


def describe_limit(data: object, memory: int) -> str:
    """Write the note about a limit that was chosen."""
    name = " + ".join(map(str, data)) if isinstance(data, (list, tuple)) else data
    return f"{name}: too large for the memory; trains with --memory {memory // 10**6}MB"


def choose_limit(source: object) -> int | None:
    """Choose a limit of memory for a training on files that are too large for the memory; None if there is no need."""
    given: list[Any] = list(source) if isinstance(source, (list, tuple)) else [source]
    if not given or not all(isinstance(path, (str, os.PathLike)) for path in given):
        return None
    try:
        size = sum([_measure_text(Path(path)) for path in given])
    except (OSError, ValueError):  # who reads it says what is wrong
        return None
    available = measure_available()
    return None if available is None or size * _PER_BYTE < available else max(int(available * _USED), _LEAST)


def _measure_text(path: Path) -> int:
    return path.stat().st_size * (_COMPRESSION if path.suffix in COMPRESSIONS else 1)
