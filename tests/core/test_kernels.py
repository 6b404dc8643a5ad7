"""The kernels for label rows of every width, against NumPy in the same order of additions: the same bits.

Whatever instruction set the kernels were compiled for, they must agree with this reference, and so with each other.
"""

from __future__ import annotations

import itertools
import platform
from dataclasses import dataclass

import numpy as np
import pytest

from tagloom import _core
from tests.oracle.chain import viterbi

# One vector is eight numbers, a block one to four vectors: rows around every combination of blocks.
WIDTHS = [1, 2, 7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 32, 33, 39, 40, 41, 64, 65, 71, 72, 73, 103, 104, 105]
FEATURES, EDGES = 50, 6
DTYPES = {"decode": np.float32, "decode_f64": np.float64}


@dataclass(frozen=True)
class Case:
    """Random sentences of a chain with plain transitions and edge features."""

    chain: _core.Chain
    data: _core.ChainData
    weights: np.ndarray
    emissions: list[np.ndarray]  # of each sentence [T][L]
    transitions: list[np.ndarray]  # [T][L][L]


def random_case(width: int, dtype: type, *, weighted: bool, edges: bool, sentences: int = 4, seed: int = 0) -> Case:
    rng = np.random.default_rng([width, seed])
    start, end = (rng.random(width) < 0.9 for _ in range(2))
    start[0] = end[0] = True
    allowed = rng.random((width, width)) < 0.9
    allowed[:, 0] = allowed[0] = True
    offsets, pairs = edge_pairs(rng, width) if edges else (np.zeros(1, np.int64), np.zeros(0, np.uint32))
    masks = [mask.astype(np.uint8).ravel() for mask in (start, end, allowed)]
    chain = _core.Chain(width, FEATURES, True, offsets, pairs, *masks)
    weights = rng.normal(size=chain.size).astype(dtype)

    bounds = np.cumsum([0, *rng.integers(1, 12, size=sentences)])
    nodes = random_rows(rng, int(bounds[-1]), FEATURES, 8, weighted)
    edge_rows = random_rows(rng, int(bounds[-1]), EDGES if edges else 0, 3, weighted)
    data = _core.ChainData(chain, *nodes, *edge_rows, bounds, np.zeros(0, np.int32))

    reference = Reference(chain, weights, np.where(allowed, 0, -np.inf).astype(dtype), offsets, pairs)
    emissions = [reference.emissions(nodes, a, b, start, end) for a, b in itertools.pairwise(bounds)]
    transitions = [reference.transitions(edge_rows, a, b) for a, b in itertools.pairwise(bounds)]
    return Case(chain, data, weights, emissions, transitions)


def edge_pairs(rng: np.random.Generator, width: int) -> tuple[np.ndarray, np.ndarray]:
    lists = [np.flatnonzero(rng.random(width * width) < 0.3) for _ in range(EDGES)]
    return np.cumsum([0, *map(len, lists)]), np.concatenate(lists).astype(np.uint32)


def random_rows(rng: np.random.Generator, tokens: int, rows: int, most: int, weighted: bool) -> tuple[np.ndarray, ...]:
    counts = rng.integers(0, most, size=tokens) if rows else np.zeros(tokens, np.int64)
    found = rng.integers(0, max(rows, 1), size=counts.sum()).astype(np.uint32)
    values = rng.normal(size=len(found)) if weighted else np.zeros(0)
    return np.cumsum([0, *counts]), found, values.astype(np.float32)


class Reference:
    """Scores of sentences, every number added in the order that kernels.hpp promises."""

    def __init__(self, chain: _core.Chain, weights: np.ndarray, mask: np.ndarray, *edge_pairs: np.ndarray):
        self.width, self.dtype = chain.labels, weights.dtype
        self.rows = weights[: chain.edge_begin].reshape(-1, chain.stride)[:, : chain.labels]
        self.base = self.rows[chain.node_rows :] + mask
        self.edge_weights = weights[chain.edge_begin :]
        self.offsets, self.pairs = edge_pairs

    def emissions(self, nodes: tuple, begin: int, end: int, start: np.ndarray, stop: np.ndarray) -> np.ndarray:
        scores = np.zeros((end - begin, self.width), self.dtype)
        for total, t in zip(scores, range(begin, end)):
            for row, value in entries(nodes, t, self.dtype):
                total += self.rows[row] * value
        scores[0][~start] = -np.inf
        scores[-1][~stop] = -np.inf
        return scores

    def transitions(self, edges: tuple, begin: int, end: int) -> np.ndarray:
        scores = np.repeat(self.base[None], end - begin, axis=0)
        for total, t in zip(scores, range(begin, end)):
            for row, value in entries(edges, t, self.dtype):
                mine = slice(*self.offsets[row : row + 2])
                total.reshape(-1)[self.pairs[mine]] += value * self.edge_weights[mine]
        return scores


def entries(rows: tuple[np.ndarray, ...], token: int, dtype: np.dtype) -> list[tuple[int, np.floating]]:
    offsets, found, values = rows
    mine = range(offsets[token], offsets[token + 1])
    return [(found[i], dtype.type(values[i] if len(values) else 1)) for i in mine]


@pytest.mark.parametrize("edges", [False, True], ids=["plain", "edges"])
@pytest.mark.parametrize("weighted", [False, True], ids=["binary", "weighted"])
@pytest.mark.parametrize("method", DTYPES)
@pytest.mark.parametrize("width", WIDTHS)
def test_labels_and_scores_have_the_bits_of_the_reference(width: int, method: str, weighted: bool, edges: bool):
    case = random_case(width, DTYPES[method], weighted=weighted, edges=edges)
    labels, scores = getattr(case.data, method)(case.weights, 1)
    expected = [viterbi(*sentence) for sentence in zip(case.emissions, case.transitions)]
    assert labels.tolist() == [y for path, _ in expected for y in path]
    assert scores.tobytes() == np.array([score for _, score in expected], DTYPES[method]).tobytes()


@pytest.mark.parametrize("threads", [2, 3, 4, 100])
def test_threads_do_not_change_a_bit(threads: int):
    case = random_case(9, np.float32, weighted=True, edges=True, sentences=300)
    alone, shared = (case.data.decode(case.weights, count) for count in (1, threads))
    assert [a.tobytes() for a in alone] == [b.tobytes() for b in shared]


def test_the_kernels_in_use_have_a_name():
    known = {"baseline", "avx2"} if platform.machine() in ("x86_64", "AMD64") else {"baseline"}
    assert _core.kernel_name() in known


def test_both_builds_compute_the_same_bits():
    rng = np.random.default_rng(5)
    for labels in (1, 3, 8, 9, 17, 24, 40, 71):
        one = np.ones(labels, np.uint8)
        chain = _core.Chain(
            labels, 50, True, np.zeros(1, np.int64), np.zeros(0, np.uint32), one, one, np.ones(labels**2, np.uint8)
        )
        tokens = 200
        offsets = np.arange(0, 7 * tokens + 1, 7)
        rows = rng.integers(0, 50, 7 * tokens).astype(np.uint32)
        values = rng.normal(size=7 * tokens).astype(np.float32)
        none = np.zeros(tokens + 1, np.int64), np.zeros(0, np.uint32), np.zeros(0, np.float32)
        data = _core.ChainData(chain, offsets, rows, values, *none, np.array([0, 80, tokens]), np.zeros(0, np.int32))
        weights = rng.normal(size=chain.size).astype(np.float32)
        fast = data.decode(weights, 1)
        _core.use_baseline_kernels(True)
        try:
            assert _core.kernel_name() == "baseline"
            slow = data.decode(weights, 1)
        finally:
            _core.use_baseline_kernels(False)
        for a, b in zip(fast, slow, strict=True):
            assert a.tobytes() == b.tobytes()
