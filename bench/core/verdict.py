"""What the timings of two cores say: ratios within rounds, and which cases got slower or faster."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

LIMIT = 1.2  # 20 % slower than the base in the same run

Pairs = Sequence[tuple[float, float]]  # seconds of the base and of the working tree, one pair per round


@dataclass(frozen=True)
class Verdict:
    """A case: the median seconds of both cores, and the median of the ratios of the rounds."""

    name: str
    base: float | None  # None: the base cannot run it
    now: float
    ratio: float | None

    @property
    def is_slower(self) -> bool:
        return self.ratio is not None and self.ratio > LIMIT

    @property
    def text(self) -> str:
        if self.ratio is None:
            return "new"
        if self.is_slower:
            return "slower"
        return "faster" if self.ratio < 1 / LIMIT else ""


def judge(name: str, pairs: Pairs) -> Verdict:
    """Judge a case by the rounds in which both cores ran it one after the other."""
    if not pairs:
        raise ValueError(f"{name}: no rounds")
    base, now = (statistics.median(side) for side in zip(*pairs))
    return Verdict(name, base, now, statistics.median(after / before for before, after in pairs))


def judge_all(timings: Mapping[str, Pairs], new: Mapping[str, Sequence[float]]) -> list[Verdict]:
    """Judge the cases that both cores have, and list those that are new."""
    both = [judge(name, pairs) for name, pairs in timings.items()]
    return both + [Verdict(name, None, statistics.median(seconds), None) for name, seconds in new.items()]


def build_table(verdicts: Sequence[Verdict], base: str) -> str:
    """Lay the verdicts out in Markdown."""
    lines = [f"| case | {base}, ms | working tree, ms | ratio | |", "|---|---|---|---|---|"]
    for each in verdicts:
        before = "" if each.base is None else f"{1000 * each.base:.3f}"
        ratio = "" if each.ratio is None else f"{each.ratio:.2f}"
        lines.append(f"| {each.name} | {before} | {1000 * each.now:.3f} | {ratio} | {each.text} |")
    return "\n".join(lines)
