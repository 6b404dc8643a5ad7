"""Explanations: the score of every label of a token, broken down by feature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus.corpus import CodeArray
from tagloom.features import Feature
from tagloom.systems.tables import Parts, Shown, Table
from tagloom.systems.tagger.rerank.reranker import RankedCandidate

if TYPE_CHECKING:
    from tagloom.systems.tagger.parameters import Parameters


@dataclass(frozen=True)
class Contribution:
    """What one feature adds to the score of every label."""

    feature: str
    scores: NDArray[np.float32]  # [L]


@dataclass(frozen=True)
class TokenExplanation:
    """One token: its label, the runner-up, and the features by their weight in that decision.

    Scores of the other labels are given the labels decided before: those of the tokens to the left or, from right to
    left, to the right. What was to come, which search also looks at, is not part of them.
    """

    label: str
    rival: str
    labels: tuple[str, ...]
    scores: NDArray[np.float32]  # [L]
    contributions: tuple[Contribution, ...]

    def __repr__(self) -> str:
        return f"<TokenExplanation {self.label} over {self.rival} by {self.margin:.2f}>"

    @property
    def margin(self) -> float:
        """By how much the label beats the runner-up."""
        return float(self.scores[self.labels.index(self.label)] - self.scores[self.labels.index(self.rival)])

    def top(self, count: int = 5) -> list[tuple[str, float]]:
        """List the features with the largest weight for the label or for its rival."""
        won, lost = self.labels.index(self.label), self.labels.index(self.rival)
        gains = [(c.feature, float(c.scores[won] - c.scores[lost])) for c in self.contributions]
        return sorted(gains, key=lambda gain: -abs(gain[1]))[:count]


_TOP = 3  # features of every token
_CANDIDATES = 5  # that the table of a re-ranker's choice shows
_DIFFERENCES = 10  # features in which the winner differs from another candidate


@dataclass(frozen=True)
class TaggerExplanation(Shown, Sequence[TokenExplanation]):
    """Why a tagger labelled a sentence as it did: one explanation per token, and the choice of a re-ranker.

    Examples:
        >>> from tagloom.systems.train import train
        >>> model = train([(["the", "dog"], ["DT", "NN"]), (["a", "cat"], ["DT", "NN"])])
        >>> [token.label for token in model.explain(["the", "cat"])]
        ['DT', 'NN']
    """

    words: tuple[str, ...]
    tokens: tuple[TokenExplanation, ...]
    candidates: tuple[RankedCandidate, ...] = ()  # of a re-ranker, best first

    @overload
    def __getitem__(self, index: int) -> TokenExplanation: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[TokenExplanation]: ...
    def __getitem__(self, index: int | slice) -> TokenExplanation | Sequence[TokenExplanation]:
        """Return the explanation of a token."""
        return self.tokens[index]

    def __len__(self) -> int:
        """Count the tokens."""
        return len(self.tokens)

    def __repr__(self) -> str:
        """Show words with their labels."""
        pairs = " ".join(f"{word}/{token.label}" for word, token in zip(self.words, self.tokens))
        return f"<TaggerExplanation {pairs}>"

    def to_parts(self, top: int | None = None) -> Parts:
        """Build tables: of every token the label, the runner-up and the loudest features."""
        count = _TOP if top is None else top
        rows = [
            (
                word,
                token.label,
                token.rival,
                f"{token.margin:.2f}",
                ", ".join(f"{name} {weight:+.2f}" for name, weight in token.top(count)),
            )
            for word, token in zip(self.words, self.tokens, strict=True)
        ]
        return [*self._choice(top), Table(("token", "label", "runner-up", "margin", "because of"), rows, ["margin"])]

    def _choice(self, top: int | None) -> Parts:
        """The best candidates, and what spoke for the first of them and against the second."""
        if not self.candidates:
            return []
        rows = [
            (f"{rank}", f"{each.value:.4g}", f"{each.base_score:.2f}", " ".join(each.candidate.labels))
            for rank, each in enumerate(self.candidates[:_CANDIDATES], 1)
        ]
        first = Table(("rank", "value", "tagger", "labelling"), rows, ["rank", "value", "tagger"])
        if len(self.candidates) < 2:
            return [first, "There was one candidate, so there was nothing to choose."]
        found = _differences(self.candidates[0], self.candidates[1], top)
        spoke = [(f"{weight:+.3f}", name) for name, weight in found]
        return [first, Table(("weight", "for 1, against 2"), spoke, ["weight"])]

    def to_dict(self, top: int | None = None) -> dict[str, object]:
        """Build plain values."""
        count = _TOP if top is None else top
        tokens = [
            {
                "token": word,
                "label": token.label,
                "runner_up": token.rival,
                "margin": token.margin,
                "features": _named(token.top(count)),
            }
            for word, token in zip(self.words, self.tokens, strict=True)
        ]
        if not self.candidates:
            return {"tokens": tokens}
        candidates = [
            {
                "labels": each.candidate.labels,
                "value": each.value,
                "tagger_score": each.base_score,
                "against_it": _named(_differences(self.candidates[0], each, top)),
            }
            for each in self.candidates
        ]
        return {"candidates": candidates, "tokens": tokens}


def _differences(one: RankedCandidate, other: RankedCandidate, top: int | None) -> list[tuple[str, float]]:
    return list(one.against(other).items())[: _DIFFERENCES if top is None else top]


def _named(features: Sequence[tuple[str, float]]) -> list[dict[str, object]]:
    return [{"name": name, "weight": weight} for name, weight in features]


def explain_batch(
    chain: _core.Chain,
    parameters: Parameters,
    nodes: _core.FeatureTable,
    edges: _core.FeatureTable,
    labels: CodeArray,
    described: Sequence[Sequence[Feature]],
    allowed: NDArray[np.bool_],
    *,
    backwards: bool = False,
) -> list[TokenExplanation]:
    """Explain one decoded sentence; ``allowed`` [T][L] flags labels that could replace the chosen ones."""
    reader = _WeightReader(chain, parameters)
    sign, decided = (1, labels.tolist()[::-1]) if backwards else (-1, labels.tolist())
    explanations = []
    for t, features in enumerate(described):
        step = len(described) - 1 - t if backwards else t
        previous = decided[step - 1] if step > 0 else None
        found = [
            Contribution(feature.name, reader.scores(feature, edges if feature.edge else nodes, previous))
            for feature in features
            if not (feature.edge and previous is None)
        ]
        if previous is not None:
            name = f"label[{sign}]={parameters.labels[previous]}"
            found.append(Contribution(name, reader.transition(previous)))
            if chain.has_triples and step > 1:
                before = decided[step - 2]
                name = f"label[{2 * sign}]={parameters.labels[before]} {name}"
                found.append(Contribution(name, reader.triple(before, previous)))
        spoke = [c for c in found if c.scores.any()]
        explanations.append(_explanation(parameters.labels, int(labels[t]), spoke, allowed[t]))
    return explanations


class _WeightReader:
    """Reads rows of the flat weight vector as scores of labels (layout in chain.hpp)."""

    def __init__(self, chain: _core.Chain, parameters: Parameters) -> None:
        self.count, self.stride = chain.labels, chain.stride
        self.weights, self.parameters = parameters.weights, parameters
        self.transition_begin, self.edge_begin = chain.transition_begin, chain.edge_begin
        self.triple_begin = chain.triple_begin

    def scores(self, feature: Feature, table: _core.FeatureTable, previous: int | None) -> NDArray[np.float32]:
        row = table.find(feature.key)
        if row < 0:
            return np.zeros(self.count, np.float32)
        found = self._edge(row, previous) if feature.edge and previous is not None else self._row(row * self.stride)
        return np.multiply(found, feature.value, dtype=np.float32)

    def transition(self, previous: int) -> NDArray[np.float32]:
        return self._row(self.transition_begin + previous * self.stride)

    def triple(self, before: int, previous: int) -> NDArray[np.float32]:
        begin = self.triple_begin + previous * self.count * self.stride
        return self.weights[begin : begin + self.count * self.stride].reshape(-1, self.stride)[:, before]

    def _row(self, begin: int) -> NDArray[np.float32]:
        return self.weights[begin : begin + self.count]

    def _edge(self, row: int, previous: int) -> NDArray[np.float32]:
        begin, end = (int(x) for x in self.parameters.edge_offsets[row : row + 2])
        before, after = np.divmod(self.parameters.edge_pairs[begin:end], self.count)
        scores = np.zeros(self.count, np.float32)
        mine = before == previous
        scores[after[mine]] = self.weights[self.edge_begin + begin : self.edge_begin + end][mine]
        return scores


def _explanation(
    labels: tuple[str, ...], won: int, contributions: list[Contribution], allowed: NDArray[np.bool_]
) -> TokenExplanation:
    scores = np.zeros(len(labels), np.float32)
    for contribution in contributions:
        scores += contribution.scores
    rivals = [i for i in np.argsort(-scores, kind="stable").tolist() if i != won]
    legal = [i for i in rivals if allowed[i]]  # none, where the label is the only one between its neighbours
    rival = next(iter(legal or rivals), won)
    return TokenExplanation(labels[won], labels[rival], labels, scores, tuple(contributions))
