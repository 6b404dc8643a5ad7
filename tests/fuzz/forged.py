"""Forged files as cases: a whole file by its name, and the edits that are made to it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from tests.fuzz.containers import put_together, take_apart
from tests.fuzz.edits import Edit, apply_edit, draw_edit
from tests.fuzz.outcome import HEAVY, Outcome, observe

#: What opening and using a stranger's file may cost at most: seconds of processor time, and bytes of memory beside a
#: multiple of the size of the file.
SECONDS = 10
BYTES, TIMES = 200 << 20, 20
_EDITS = (1, 1, 1, 2, 3, 4)  # one is enough for most failures, and lets more files be opened


class Case(NamedTuple):
    """A forged file; ``name`` is that of the file it begins from."""

    name: str
    edits: list[Edit]


def draw_case(rng: random.Random, name: str, data: bytes) -> Case:
    """Draw edits of a file, each of what the ones before it have left."""
    parts = take_apart(data)
    edits: list[Edit] = []
    for _ in range(rng.choice(_EDITS)):
        edits.append(draw_edit(rng, parts))
        apply_edit(parts, edits[-1])
    return Case(name, edits)


def forge(data: bytes, edits: list[Edit]) -> bytes:
    """Make the edits; all checksums are right."""
    parts = take_apart(data)
    for edit in edits:
        apply_edit(parts, edit)
    return put_together(parts)


def shrink_case(case: Case) -> Iterator[Case]:
    """Leave out one edit."""
    return (Case(case.name, case.edits[:place] + case.edits[place + 1 :]) for place in range(len(case.edits)))


def dump_case(case: Case) -> bytes:
    """Write a case as one line of JSON."""
    return json.dumps(case).encode()


def load_case(line: str) -> Case:
    """Invert :func:`dump_case`."""
    return Case(*json.loads(line))


def observe_uses(uses: Iterator[Callable[[], object]], size: int) -> Outcome:
    """Run what is done with a file of some size, and say what came of it: the first failure, or that of opening it.

    A use that is refused does not keep the others from being run.
    """
    before = _reset_peak()
    outcomes: list[Outcome] = []
    for use in uses:
        outcomes.append(observe(use, SECONDS))
        if outcomes[-1].failed:
            return outcomes[-1]
    used = _read_peak() - before
    if used > BYTES + TIMES * size:
        return Outcome(HEAVY, "memory", f"{used >> 20} MB for a file of {size >> 10} KB")
    return outcomes[0]


def _reset_peak() -> int:
    """Begin to measure the peak of resident memory; return what is resident now."""
    Path("/proc/self/clear_refs").write_text("5")
    return _read_peak()


def _read_peak() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM"))
