"""How far confidences are from the truth."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tagloom.arguments import check_arguments
from tagloom.errors import ConfigError

_ROUNDING = 1e-3  # by which confidences in single precision may exceed 1


@check_arguments
def expected_calibration_error(confidences: ArrayLike, is_right: ArrayLike, bins: int = 15) -> float:
    """Compute the expected calibration error: how far confidences are from the share of decisions that are right.

    Decisions are put into bins of equal width by their confidence. Of every bin, the mean confidence is compared with
    the share of right decisions; the differences are averaged, weighted by the number of decisions (Naeini, Cooper &
    Hauskrecht 2015; Guo et al. 2017, equation 3).

    Args:
        confidences: The probability that a model gives to each of its decisions, from 0 to 1.
        is_right: Whether each decision is right.
        bins: Number of bins.

    Returns:
        A number from 0, for perfectly calibrated, to 1. No decisions give 0.

    Examples:
        >>> round(expected_calibration_error([0.9, 0.9, 0.9, 0.9, 0.6], [True, True, True, False, True]), 3)
        0.2
    """
    try:
        chances, right = np.asarray(confidences, np.float64), np.asarray(is_right, bool)
    except (TypeError, ValueError, OverflowError):
        raise ConfigError("confidences: expected numbers from 0 to 1, and is_right: True or False of each") from None
    if chances.ndim != 1 or not ((chances >= 0) & (chances <= 1 + _ROUNDING)).all():
        raise ConfigError("confidences: expected a list of numbers from 0 to 1")
    if chances.shape != right.shape:
        raise ConfigError(f"is_right: expected one value per confidence, {chances.size} in all, got {right.size}")
    if not chances.size:
        return 0.0
    place = np.minimum((chances * bins).astype(np.int64), bins - 1)
    # |mean confidence - share right| * size is the absolute value of a difference of sums
    gaps = np.bincount(place, chances, bins) - np.bincount(place, right.astype(np.float64), bins)
    return float(np.abs(gaps).sum() / chances.size)
