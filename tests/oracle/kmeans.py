"""K-means and Ward's method, with every distance computed anew."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]


def seed_centroids(points: Points, random: Sequence[float]) -> Points:
    """Choose the first centroids (Arthur & Vassilvitskii 2007): each with a chance that grows with its distance."""
    chosen = [int(random[0] * len(points))]
    for chance in random[1:]:
        nearest = np.array([min(float(((p - points[c]) ** 2).sum()) for c in chosen) for p in points])
        if not nearest.any():
            break
        chosen.append(int(np.argmax(np.cumsum(nearest) > chance * nearest.sum())))
    return points[chosen]


def cluster(points: Points, random: Sequence[float], passes: int) -> list[int]:
    """Move the centroids to the means of their points, and the points to the nearest centroids."""
    centroids = seed_centroids(points, random)
    nearest = _find_nearest(points, centroids)
    for _ in range(passes):
        for c in set(nearest):
            centroids[c] = points[[i for i, own in enumerate(nearest) if own == c]].mean(axis=0)
        nearest = _find_nearest(points, centroids)
    return nearest


def _find_nearest(points: Points, centroids: Points) -> list[int]:
    return [int(np.argmin(((p - centroids) ** 2).sum(axis=1))) for p in points]


def spread(points: Points) -> float:
    """Sum of the squared distances from the mean."""
    return float(((points - points.mean(axis=0)) ** 2).sum())


def join(groups: Sequence[Points]) -> list[tuple[int, int]]:
    """Join, again and again, the two groups whose union has the least more spread than they have (Ward 1963)."""
    left: dict[int, Any] = dict(enumerate(groups))
    joined = []
    while len(left) > 1:
        costs = {
            (a, b): spread(np.concatenate([left[a], left[b]])) - spread(left[a]) - spread(left[b])
            for a, b in itertools.combinations(left, 2)
        }
        a, b = min(costs, key=lambda pair: (costs[pair], pair))
        left[a] = np.concatenate([left[a], left.pop(b)])
        joined.append((a, b))
    return joined
