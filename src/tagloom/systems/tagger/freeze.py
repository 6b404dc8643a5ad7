"""Freezing: from the weights of a training to the arrays of a model, without rows that never moved."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus.corpus import IntArray
from tagloom.structures.chain import PairArray
from tagloom.systems.tagger.documents import Total, Weights
from tagloom.systems.tagger.encode import Encoded
from tagloom.systems.tagger.names import FeatureNames
from tagloom.systems.tagger.parameters import Parameters
from tagloom.systems.tagger.warm_start import RowArray


def freeze(encoded: Encoded, weights: Weights, total: Total | None, *, names: bool, prune: float = 0.0) -> Parameters:
    """Drop features whose weights are all zero, or smaller than ``prune``; with feature hashing all rows stay."""
    chain = encoded.chain
    hashed = encoded.nodes.table.buckets > 0
    none = weights[:0]
    first, second, nonlocal_ = (weights, none, none) if total is None else total.split(weights, chain.size)
    used = np.where(first != 0, first, second) if len(second) else first  # a feature of either stays in both
    if prune:
        used = _drop_small(chain, used, prune)
    if hashed:
        node_rows, kept = np.arange(chain.node_rows, dtype=np.uint32), first[: chain.edge_begin]
    else:
        node_rows, compacted = _core.compact_rows(chain, used)
        kept = first[: chain.edge_begin] if compacted is None else compacted
    edge_weights = slice(chain.edge_begin, chain.triple_begin)
    edge_rows, edge_offsets, edge_pairs, edge_used = _edges_in_use(encoded, used[edge_weights], hashed)
    if len(second):
        kept, second = (_rows_of(chain, each, node_rows, edge_used) for each in (first, second))
    elif len(edge_pairs) or chain.has_triples:
        kept = np.concatenate([kept, first[edge_weights][edge_used], first[chain.triple_begin :]])
    return Parameters(
        labels=encoded.task.structure.labels,
        weights=kept,
        second_weights=second,
        nonlocal_weights=nonlocal_,
        nonlocal_names=() if total is None else tuple(total.parts.names.strings()),
        node_keys=encoded.nodes.keys(node_rows),
        edge_keys=encoded.edges.keys(edge_rows),
        edge_offsets=edge_offsets,
        edge_pairs=edge_pairs,
        known_words=encoded.task.known_words(),
        tag_dictionary=encoded.task.dictionary,
        node_names=_names(encoded, node_rows, edge=False) if names else None,
        edge_names=_names(encoded, edge_rows, edge=True) if names else None,
    )


def _drop_small(chain: _core.Chain, weights: Weights, least: float) -> Weights:
    """Set the weights of node features to zero if all of one are small, and every small weight of edge features."""
    left: Weights = weights.copy()
    nodes = left[: chain.transition_begin].reshape(-1, chain.stride)
    nodes[np.abs(nodes).max(axis=1, initial=0) < least] = 0
    edges = left[chain.edge_begin : chain.triple_begin]
    edges[np.abs(edges) < least] = 0
    return left


def _rows_of(chain: _core.Chain, weights: Weights, node_rows: RowArray, edges: NDArray[np.bool_]) -> Weights:
    """Select the weights of some node rows, of all transitions, and of some edge features."""
    nodes = weights[: chain.transition_begin].reshape(-1, chain.stride)[node_rows].ravel()
    transitions = weights[chain.transition_begin : chain.edge_begin]
    return np.concatenate([nodes, transitions, weights[chain.edge_begin :][edges]])


def _names(encoded: Encoded, rows: RowArray, *, edge: bool) -> FeatureNames | None:
    """List the names of the start model's features, then those of the features that the corpus adds."""
    grown = encoded.edges if edge else encoded.nodes
    known = encoded.name_rows(grown.added[rows[rows >= grown.old] - grown.old], edge=edge)
    if encoded.task.start is None or known is None:
        return known
    parameters = encoded.task.start.parameters
    old = parameters.edge_names if edge else parameters.node_names
    assert old is not None
    return old.take(rows[rows < grown.old]) + known


def _edges_in_use(
    encoded: Encoded, weights: Weights, hashed: bool
) -> tuple[RowArray, IntArray, PairArray, NDArray[np.bool_]]:
    """Select edge features and label pairs with a weight other than zero; also flag these weights."""
    offsets, pairs = encoded.edge_offsets, encoded.edge_pairs
    used = weights != 0
    feature = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))[used]
    counts = np.bincount(feature, minlength=len(offsets) - 1)
    rows = np.flatnonzero(counts + hashed).astype(np.uint32)  # all of them with feature hashing
    kept_offsets = np.concatenate([[0], np.cumsum(counts[rows])]).astype(np.int64)
    return rows, kept_offsets, pairs[used], used
