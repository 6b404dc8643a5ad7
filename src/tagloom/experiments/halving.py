"""Successive halving (Jamieson & Talwalkar 2016): the worse part of the trials stops, the rest gets twice the passes.

All trials of a rung are compared together, so that only scores decide which trials stop, and speed does not. A rung is
a share of the passes of a trial, because two iterations of L-BFGS say less than two passes of a perceptron.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import ceil

from tagloom.errors import ConfigError

_MOST_RUNGS = 3  # the first at an eighth of the passes
_LEAST_PASSES = 2  # before trials are compared


def check_keep(keep: object) -> None:
    """Raise ConfigError unless ``keep`` is a part of the trials."""
    if isinstance(keep, bool) or not isinstance(keep, (int, float)) or not 0 < keep <= 1:
        raise ConfigError(f"keep: expected a part of the trials, above 0 and at most 1 (all), got {keep!r}")


def rungs(most_passes: Iterable[int], keep: float) -> list[Fraction]:
    """List the shares of their passes after which trials are compared, and 1 at the end.

    Examples:
        >>> [str(share) for share in rungs([10, 20], 0.5)], rungs([10, 20], 1)
        (['1/4', '1/2', '1'], [Fraction(1, 1)])
    """
    if keep == 1:
        return [Fraction(1)]
    least = min(most_passes)
    shares = [Fraction(1, 2**power) for power in range(_MOST_RUNGS, 0, -1)]
    return [share for share in shares if least * share >= _LEAST_PASSES] + [Fraction(1)]


def find_rung_pass(rung: Fraction, most_passes: int) -> int:
    """Return the pass after which a trial is compared."""
    return ceil(rung * most_passes)


def choose_survivors(scores: Mapping[int, float], keep: float) -> set[int]:
    """Return the numbers of the best trials: a part ``keep`` of all, rounded up. Ties go to the lower number.

    Examples:
        >>> sorted(choose_survivors({1: 80.0, 2: 90.0, 3: 80.0, 4: 70.0, 5: 60.0}, 0.5))
        [1, 2, 3]
    """
    count = ceil(Fraction(keep).limit_denominator(10**6) * len(scores))
    return set(sorted(scores, key=lambda number: (-scores[number], number))[: max(1, count)])
