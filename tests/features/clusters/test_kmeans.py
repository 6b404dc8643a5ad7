"""K-means clusters of vectors against the plain algorithm, and the tree over them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom._core import KMeans
from tagloom.errors import ConfigError, DataError
from tagloom.features import load_resource
from tagloom.features.clusters.kmeans import cluster_matrix, cluster_vectors, join_centroids, scale_to_length_1
from tagloom.features.vector_files import build_matrix
from tests.oracle import kmeans as oracle
from tests.strategies import unhurried


@given(seed=st.integers(0, 10**6), count=st.integers(1, 40), size=st.integers(1, 19), clusters=st.integers(1, 6))
@unhurried
def test_passes_are_those_of_the_plain_algorithm(seed: int, count: int, size: int, clusters: int) -> None:
    source = np.random.default_rng(seed)
    points, random = source.normal(size=(count, size)).astype(np.float32), source.random(clusters)
    core = KMeans(points.ravel(), size, random)
    for _ in range(3):
        core.run_pass()
    assert core.nearest().tolist() == oracle.cluster(points.astype(np.float64), random.tolist(), 3)
    centroids = core.centroids().reshape(-1, size)[core.nearest()]
    assert np.allclose(core.distances(), ((points - centroids) ** 2).sum(axis=1), atol=1e-5)


@given(seed=st.integers(0, 10**6), groups=st.integers(1, 7), size=st.integers(1, 4))
@unhurried
def test_the_tree_joins_what_adds_the_least_spread(seed: int, groups: int, size: int) -> None:
    source = np.random.default_rng(seed)
    points = [source.normal(size=(int(source.integers(1, 5)), size)) for _ in range(groups)]
    into, other = join_centroids(np.array([each.mean(axis=0) for each in points]), np.array([len(p) for p in points]))
    assert list(zip(into.tolist(), other.tolist(), strict=True)) == oracle.join(points)


def test_threads_change_nothing_and_seeds_do() -> None:
    points = np.random.default_rng(5).normal(size=(3000, 10)).astype(np.float32)
    found = build_matrix([f"w{number}" for number in range(3000)], points, "points")
    one, other = (cluster_matrix(found, 40, 20, 1, threads).to_text() for threads in (1, 3))
    assert one == other
    assert one != cluster_matrix(found, 40, 20, 2).to_text()


def test_a_file_of_vectors_becomes_a_file_of_clusters(tmp_path: Path) -> None:
    (tmp_path / "vectors.txt").write_text("cat 1 0.1\ndog 2 0.1\ncow 3 0.4\nran 0 1\nsaw 0.1 2\nnothing 0 0\n")
    found = cluster_vectors(tmp_path / "vectors.txt", 3)
    found.save(tmp_path / "clusters.txt")
    lookup = load_resource("brown", tmp_path / "clusters.txt").lookup  # type: ignore[union-attr]
    assert lookup.find("cat") == lookup.find("dog") == lookup.find("cow") != lookup.find("ran") == lookup.find("saw")
    assert found.cluster_count == 3
    assert found.counts is None
    assert cluster_vectors(tmp_path / "vectors.txt", 1).paths == ("0",) * 6
    assert cluster_vectors(tmp_path / "vectors.txt", 100).cluster_count <= 6


def test_equal_vectors_make_fewer_clusters() -> None:
    found = build_matrix(["a", "b", "c"], np.ones((3, 2), np.float32), "points")
    assert cluster_matrix(found, 3, 10, 1).paths == ("0", "0", "0")


def test_lengths() -> None:
    scaled = scale_to_length_1(np.array([[3, 4], [0, 0], [3e38, 3e38]], np.float32))
    assert np.allclose(scaled, [[0.6, 0.8], [0, 0], [0.5**0.5, 0.5**0.5]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"clusters": 0}, "clusters: "),
        ({"passes": 0}, "passes: "),
        ({"seed": -1}, "seed: "),
        ({"threads": 0}, "threads: "),
    ],
)
def test_options_out_of_range(tmp_path: Path, options: dict[str, int], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        cluster_vectors(tmp_path / "vectors.txt", **options)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="no such file"):
        cluster_vectors(tmp_path / "vectors.txt")


def test_the_core_checks_its_arrays() -> None:
    points = np.zeros(6, np.float32)
    for size, random in ((4, [0.5]), (0, [0.5]), (2, [1.0]), (2, [-0.1]), (2, [np.nan])):
        with pytest.raises(ValueError, match="expected"):
            KMeans(points, size, np.array(random))
