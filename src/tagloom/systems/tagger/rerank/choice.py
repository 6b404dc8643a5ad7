"""Why a re-ranker chose as it did: the features in which candidates differ, and what each of them adds."""

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
    """A candidate with the score of the tagger, what the ranker thinks of it, and the weights of its features.

    ``value`` is F(x, a), or of the voted perceptron the share of votes; then weights are the means of all vectors.
    """

    candidate: Candidate
    base_score: float
    base_weight: float
    value: float
    weights: dict[str, float]

    def against(self, other: RankedCandidate) -> dict[str, float]:
        """What speaks for this one and against the other, the strongest first."""
        base = self.base_weight * (self.base_score - other.base_score)
        own = {name: weight for name, weight in self.weights.items() if name not in other.weights}
        others = {name: -weight for name, weight in other.weights.items() if name not in self.weights}
        found = {"score of the tagger": base, **own, **others}
        return {name: found[name] for name in sorted(found, key=lambda name: -abs(found[name])) if found[name]}


def ranked_candidates(
    reranker: Reranker, prepared: PreparedFeatures, found: CandidateLists, candidates: list[Candidate]
) -> list[RankedCandidate]:
    """The candidates of one sequence, best first; ``candidates`` are those of ``found``, in its order."""
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
