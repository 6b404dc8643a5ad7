"""K-means clusters of dense vectors; their centroids are joined into a tree, so that bit strings can be cut short."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tagloom._core import KMeans
from tagloom.arguments import check_arguments
from tagloom.errors import ConfigError
from tagloom.features.clusters.brown import Report, check_clusters, check_threads
from tagloom.features.clusters.word_clusters import Numbers, WordClusters, build_paths, is_writable
from tagloom.features.vector_files import WordMatrix, iterate_blocks, read_vectors

CLUSTERS = 500
PASSES = 100
Matrix = NDArray[np.float64]


@check_arguments
def cluster_vectors(
    vectors: str | os.PathLike[str],
    clusters: int = CLUSTERS,
    *,
    passes: int = PASSES,
    seed: int = 1,
    threads: int = 1,
    on_progress: Report | None = None,
) -> WordClusters:
    """Make clusters of words from a file of dense vectors, by k-means.

    The vectors are brought to length 1, so that their angles count. The first centroids are drawn far from each other
    (k-means++). Passes end when no word changes its cluster. The centroids are then joined into a binary tree by Ward's
    method: at every step the two whose union adds the least to the squared distances. So the bit strings can be cut
    short like those of Brown clusters, and whole ones stand for the clusters.

    Args:
        vectors: Text of word2vec, GloVe or fastText, binary word2vec, or ``.npy`` with its words beside it.
        clusters: Number of clusters, from 1 to 10,000; there are fewer if fewer vectors differ.
        passes: Most passes over the vectors.
        seed: Draws the first centroids.
        threads: Number of threads. Does not change the result.
        on_progress: Called with the number of passes done, and the most.

    Returns:
        The words with the bit strings of their clusters.

    Raises:
        DataError: The file cannot be read.
    """
    check_clusters(clusters)
    check_threads(threads)
    if passes < 1:
        raise ConfigError(f"passes: expected 1 or more, got {passes}")
    if seed < 0:
        raise ConfigError(f"seed: expected 0 or more, got {seed}")
    return cluster_matrix(read_vectors(Path(vectors)), clusters, passes, seed, threads, on_progress)


def cluster_matrix(
    found: WordMatrix, clusters: int, passes: int, seed: int, threads: int = 1, on_progress: Report | None = None
) -> WordClusters:
    """Cluster vectors that were read."""
    points = scale_to_length_1(found.matrix)
    random = np.random.default_rng(seed).random(clusters)
    core = KMeans(points.ravel(), points.shape[1], random, threads)
    for number in range(1, passes + 1):
        changed = core.run_pass(threads)
        if on_progress is not None:
            on_progress(number, passes)
        if not changed:
            break
    nearest = core.nearest()
    used, sizes = np.unique(nearest, return_counts=True)
    centroids = core.centroids().reshape(-1, points.shape[1])[used].astype(np.float64)
    into, other = join_centroids(centroids, sizes)
    paths = build_paths(into, other, len(used))
    numbers = {cluster: number for number, cluster in enumerate(used.tolist())}
    pairs = [
        (word, paths[numbers[cluster]])
        for word, cluster in zip(found.words.strings(), nearest.tolist())
        if is_writable(word)
    ]
    return WordClusters.build([word for word, _ in pairs], [path for _, path in pairs])


def scale_to_length_1(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """Bring vectors to length 1; zeros stay zeros."""
    scaled = np.empty_like(matrix)
    for part, numbers in iterate_blocks(matrix):
        lengths = np.sqrt(np.square(numbers).sum(axis=1, keepdims=True))
        scaled[part] = numbers / np.where(lengths > 0, lengths, 1)
    return scaled


def join_centroids(centroids: Matrix, sizes: NDArray[np.int64]) -> tuple[Numbers, Numbers]:
    """Join clusters two by two until one is left (Ward 1963); returns the pairs, first join first.

    Joining clusters of m and n points adds m n / (m + n) times the squared distance of their centroids to the sum of
    squared distances. A joined cluster keeps the lower number, and of equal pairs the lower numbers are joined.
    """
    count, weights = len(centroids), sizes.astype(np.float64)
    costs = np.zeros((count, count))
    for column in centroids.T:  # one dimension after the other, so that every machine adds in the same order
        costs += np.square(column[:, None] - column[None, :])
    costs *= weights[:, None] * weights[None, :] / (weights[:, None] + weights[None, :])
    costs[np.tril_indices(count)] = np.inf  # the row of a pair is its lower number
    best = costs.argmin(axis=1)
    least = costs[np.arange(count), best]
    pairs = np.zeros((max(count - 1, 0), 2), np.int32)
    alive = np.ones(count, bool)
    for pair in pairs:
        low = int(least.argmin())
        high = int(best[low])
        pair[:] = low, high
        _update_costs(costs, weights, alive, low, high)
        stale = np.flatnonzero(alive & ((best == low) | (best == high)))
        stale = np.union1d(stale, [low])
        best[stale] = costs[stale].argmin(axis=1)
        least[stale] = costs[stale, best[stale]]
        least[high] = np.inf
        # Costs with the joined cluster may have fallen in rows above it.
        column = costs[:low, low]
        falls = (column < least[:low]) | ((column == least[:low]) & (low < best[:low]))
        best[:low][falls] = low
        least[:low][falls] = column[falls]
    return pairs[:, 0].copy(), pairs[:, 1].copy()


def _update_costs(costs: Matrix, weights: NDArray[np.float64], alive: NDArray[np.bool_], low: int, high: int) -> None:
    """Let ``low`` stand for the union of both (the recurrence of Lance & Williams 1967 for Ward's method)."""
    alive[high] = False
    others = np.flatnonzero(alive)
    others = others[others != low]
    m, n, k = weights[low], weights[high], weights[others]
    of_low = costs[np.minimum(others, low), np.maximum(others, low)]
    of_high = costs[np.minimum(others, high), np.maximum(others, high)]
    joined = ((m + k) * of_low + (n + k) * of_high - k * costs[low, high]) / (m + n + k)
    costs[np.minimum(others, low), np.maximum(others, low)] = joined
    costs[high, :] = np.inf
    costs[:, high] = np.inf
    weights[low] = m + n
