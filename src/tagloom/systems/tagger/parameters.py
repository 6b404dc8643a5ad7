"""Parameters: the arrays of a tagger, and views of its weights."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus.corpus import IntArray
from tagloom.structures.tag_dictionary import TagDictionary
from tagloom.systems.tagger.names import FeatureNames
from tagloom.systems.tagger.rerank.reranker import RankerParameters

HashArray = NDArray[np.uint64]
WeightArray = NDArray[Any]  # of float32, or of float64 where weights are known in double precision
NO_WEIGHTS: NDArray[np.float32] = np.zeros(0, np.float32)


@dataclass(frozen=True)
class Parameters:
    """The arrays of a tagger: the result of learning."""

    labels: tuple[str, ...]
    weights: NDArray[np.float32]  # node rows [F][stride], transitions [L][stride], edge weights, triples
    node_keys: HashArray  # [F]; empty with feature hashing
    edge_keys: HashArray  # [E]
    edge_offsets: IntArray  # [E + 1]
    edge_pairs: NDArray[np.uint32]
    known_words: HashArray  # hashes of the training words, ascending
    # What to add to the weights where they are known in double precision: models of other tools.
    residuals: NDArray[np.float32] = field(default_factory=lambda: NO_WEIGHTS)
    tag_dictionary: TagDictionary | None = None  # of the labels that frequent words may take
    node_names: FeatureNames | None = None  # [F]; None if they were left out
    edge_names: FeatureNames | None = None
    # Weights that choose among candidates, if other weights find them (re-ranking 2).
    second_weights: NDArray[np.float32] = field(default_factory=lambda: NO_WEIGHTS)
    # Weights of native non-local features, then of those of functions.
    nonlocal_weights: NDArray[np.float32] = field(default_factory=lambda: NO_WEIGHTS)
    nonlocal_names: tuple[str, ...] = ()  # strings that functions returned
    reranker: RankerParameters | None = None  # arrays of the re-ranker, if there is one


class WeightViews:
    """Views of a flat weight vector, by what the weights belong to (layout in chain.hpp)."""

    def __init__(self, chain: _core.Chain, weights: NDArray[np.float32]) -> None:
        count = chain.labels
        self.nodes = weights[: chain.transition_begin].reshape(-1, chain.stride)[:, :count]  # [F][L]
        self.transitions = weights[chain.transition_begin : chain.edge_begin].reshape(-1, chain.stride)[:, :count]
        self.edges = weights[chain.edge_begin : chain.triple_begin]  # one per label pair of an edge feature
        self.triples = np.zeros((0, 0, 0), np.float32)
        if chain.has_triples:  # [L][L][L] label decided before the previous one, previous one, label
            triples = weights[chain.triple_begin :].reshape(count, count, chain.stride)[..., :count]
            self.triples = triples.transpose(2, 0, 1)
