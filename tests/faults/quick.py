"""A small part of every check of the harness, for the tests: always the same calls, kills and limits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.faults.kills import run_kills
from tests.faults.memory import run_one
from tests.faults.shim import Shim
from tests.faults.writes import run_sweep

SWEEPS = ("model.save", "tagloom.write", "fold of a cache", "row of a paper", "compressed corpus", "training of tagger")
KILLS = ("tagger", "phrases")
LIMITS = (("tagger", 0.1), ("tag", 0.2), ("parse", 0.5))


def run_quick(data: Path, out: Path, tell: Callable[[str], None]) -> bool:
    """Run the small part of all checks."""
    shim = Shim()
    every = {"training of tagger": 5}
    kept = [run_sweep(name, every.get(name, 1), data, out, shim, tell) for name in SWEEPS]
    kept += [run_kills(name, 3, data, out, shim, tell) for name in KILLS]
    for name, size in LIMITS:
        ended, told = run_one(name, is_new=False, size=size, data=data, out=out)
        tell(f"{name} with {size} MB to spare: {ended or f'FAILED {told}'}")
        kept.append(ended is not None)
    return all(kept)
