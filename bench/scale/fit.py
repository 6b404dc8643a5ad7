"""Exponents: how a cost grows with a size."""

from __future__ import annotations

import math
from collections.abc import Sequence


def fit_exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Fit cost ~ size^e by least squares on logarithms.

    >>> round(fit_exponent([1, 10, 100], [3, 300, 30_000]), 6)
    2.0
    """
    xs, ys = [math.log(size) for size in sizes], [math.log(cost) for cost in costs]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys)) / sum((x - mean_x) ** 2 for x in xs)
