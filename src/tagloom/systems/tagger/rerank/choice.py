"""Why a re-ranker chose a candidate: the features in which candidates differ, and the weight of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tagloom.structures.candidates import CandidateLists
from tagloom.systems.tagger.candidates import Candidate

if TYPE_CHECKING:
    from tagloom.structures.global_features import PreparedFeatures
    from tagloom.systems.tagger.rerank.reranker import Reranker


@dataclass(frozen=True)
class RankedCandidate:
    """A candidate with its scores and the weights of its features.

    Attributes:
        candidate: The labelling.
        base_score: Score of the tagger.
        base_weight: Factor of that score.
        value: F(x, a). For the voted perceptron the share of votes.
        weights: Weights of its features, by name. For the voted perceptron the means of all vectors.
    """

    candidate: Candidate
    base_score: float
    base_weight: float
    value: float
    weights: dict[str, float]

    def against(self, other: RankedCandidate) -> dict[str, float]:
        """List the weights for this candidate and against another one, by feature, the largest first."""
        base = self.base_weight * (self.base_score - other.base_score)
        own = {name: weight for name, weight in self.weights.items() if name not in other.weights}
        others = {name: -weight for name, weight in other.weights.items() if name not in self.weights}
        found = {"score of the tagger": base, **own, **others}
        return {name: found[name] for name in sorted(found, key=lambda name: -abs(found[name])) if found[name]}


def rank_candidates(
    reranker: Reranker, prepared: PreparedFeatures, found: CandidateLists, candidates: list[Candidate]
) -> list[RankedCandidate]:
    """Rank the candidates of one sequence, the best first.

    Args:
        reranker: The re-ranker.
        prepared: The tokens of the sequence.
        found: The list of the sequence.
        candidates: The candidates of ``found``, in the same order.
    """
    ranked = reranker.values(prepared, found)
    weights, base = reranker.parameters.ranker.mean_weights()
    rows = {int(key): row for row, key in enumerate(reranker.parameters.keys.tolist())}
    lengths, codes, scores = found.of(0)
    labellings = np.split(codes, np.cumsum(lengths)[:-1]) if len(lengths) else []
    made = []
    for k, labels in enumerate(labellings):
        described = {text: weights[rows[key]] for key, text in prepared.describe(0, labels) if key in rows}
        own = {text: float(weight) for text, weight in described.items() if weight}
        made.append(RankedCandidate(candidates[k], float(scores[k]), base, float(ranked[k]), own))
    return sorted(made, key=lambda each: -each.value)
