"""Parameters: the arrays of a tagger."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tagloom.corpus.corpus import IntArray
from tagloom.structures.tag_dictionary import TagDictionary
from tagloom.systems.tagger.names import FeatureNames
from tagloom.systems.tagger.rerank.reranker import RankerParameters

HashArray = NDArray[np.uint64]
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
    tag_dictionary: TagDictionary | None = None  # of the labels that frequent words may take
    node_names: FeatureNames | None = None  # [F]; None if they were left out
    edge_names: FeatureNames | None = None
    # Weights that choose among candidates, if other weights find them (re-ranking 2).
    second_weights: NDArray[np.float32] = field(default_factory=lambda: NO_WEIGHTS)
    # Weights of native non-local features, then of those of functions.
    nonlocal_weights: NDArray[np.float32] = field(default_factory=lambda: NO_WEIGHTS)
    nonlocal_names: tuple[str, ...] = ()  # strings that functions returned
    reranker: RankerParameters | None = None  # arrays of the re-ranker, if there is one
