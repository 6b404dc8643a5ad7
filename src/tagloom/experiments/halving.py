"""Successive halving (Jamieson & Talwalkar 2016): the worse part of the trials stops, the rest gets twice the passes.

All trials of a rung are judged together, so that what stops depends on scores alone, never on who was faster. A rung is
a share of a trial's own passes: two iterations of L-BFGS say less than two passes of a perceptron.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import ceil

from tagloom.errors import ConfigError

_MOST_RUNGS = 3  # the first at an eighth of the passes
_LEAST_PASSES = 2  # before a trial is judged


def check_keep(keep: object) -> None:
    if isinstance(keep, bool) or not isinstance(keep, (int, float)) or not 0 < keep <= 1:
        raise ConfigError(f"keep: expected a part of the trials, above 0 and at most 1 (all), got {keep!r}")


def rungs(most_passes: Iterable[int], keep: float) -> list[Fraction]:
    """The shares of their passes after which trials are judged, and 1 at the end.

    >>> [str(share) for share in rungs([10, 20], 0.5)], rungs([10, 20], 1)
    (['1/4', '1/2', '1'], [Fraction(1, 1)])
    """
    if keep == 1:
        return [Fraction(1)]
    least = min(most_passes)
    shares = [Fraction(1, 2**power) for power in range(_MOST_RUNGS, 0, -1)]
    return [share for share in shares if least * share >= _LEAST_PASSES] + [Fraction(1)]


def passes_at(rung: Fraction, most_passes: int) -> int:
    """The pass at which a trial is judged."""
    return ceil(rung * most_passes)


def survivors(scores: Mapping[int, float], keep: float) -> set[int]:
    """The numbers of the best trials, the given part of all, rounded up; ties go to the lower number.

    >>> sorted(survivors({1: 80.0, 2: 90.0, 3: 80.0, 4: 70.0, 5: 60.0}, 0.5))
    [1, 2, 3]
    """
    count = ceil(Fraction(keep).limit_denominator(10**6) * len(scores))
    return set(sorted(scores, key=lambda number: (-scores[number], number))[: max(1, count)])
