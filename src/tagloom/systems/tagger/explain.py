"""Explanations: the score of every label of a token, broken down by feature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.arguments import check_methods
from tagloom.corpus.corpus import CodeArray
from tagloom.errors import ConfigError, unknown_name
from tagloom.features import Feature
from tagloom.systems.tables import Decision, Parts, Shown, Table
from tagloom.systems.tagger.parameters import Parameters, WeightViews
from tagloom.systems.tagger.rerank.reranker import RankedCandidate

if TYPE_CHECKING:
    from tagloom.systems.tagger.inference import Inference


@dataclass(frozen=True)
class Contribution:
    """What one feature adds to the score of every label."""

    feature: str
    scores: NDArray[np.float32]  # [L]


@check_methods()
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
        return self.margin_over(self.rival)

    def margin_over(self, rival: str) -> float:
        """By how much the label beats another one."""
        return float(self.scores[self._find(self.label)] - self.scores[self._find(rival)])

    def top(self, count: int | None = 5, rival: str | None = None) -> list[tuple[str, float]]:
        """List the features with the largest weight for the label or for its rival.

        Args:
            count: How many; None lists all.
            rival: Another label to compare with.
        """
        won, lost = self._find(self.label), self._find(rival or self.rival)
        gains = [(c.feature, float(c.scores[won] - c.scores[lost])) for c in self.contributions]
        return sorted(gains, key=lambda gain: -abs(gain[1]))[:count]

    def _find(self, label: str) -> int:
        if label not in self.labels:
            raise unknown_name("label", label, self.labels, 20)
        return self.labels.index(label)


_TOP = 3  # features of every token
_CANDIDATES = 5  # that the table of a re-ranker's choice shows
_DIFFERENCES = 10  # features in which the winner differs from another candidate


@check_methods()
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
    places: tuple[int, ...] | None = None  # where tokens stand that do not follow each other: characters of a text

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
        rows = []
        for word, token in zip(self.words, self.tokens, strict=True):
            reasons = ", ".join(f"{name} {weight:+.2f}" for name, weight in token.top(count))
            rows.append((word, token.label, token.rival, f"{token.margin:.2f}", reasons))
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
        spoke = [(f"{weight:+.3f}", name) for name, weight in _differences(self.candidates, 1, top)]
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
                "features": _name(token.top(count)),
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
                "against_it": _name(_differences(self.candidates, rank, top)),
            }
            for rank, each in enumerate(self.candidates)
        ]
        return {"candidates": candidates, "tokens": tokens}

    def list_decisions(self, top: int | None = None, gold: Sequence[str] | None = None) -> list[Decision]:
        """List the decision of every token: over its runner-up, or over its gold label where that is another one."""
        places = range(len(self.tokens)) if self.places is None else self.places
        wanted = [token.label for token in self.tokens] if gold is None else gold
        if len(wanted) != len(self.tokens):
            raise ConfigError(f"gold: expected {len(self.tokens)} labels, one per token, got {len(wanted)}")
        return [
            _decide(place, token, label, top) for place, token, label in zip(places, self.tokens, wanted, strict=True)
        ]


def _decide(place: int, token: TokenExplanation, gold: str, top: int | None) -> Decision:
    # Training may not have had the gold label, and a model of one label has no runner-up.
    rival = gold if gold != token.label and gold in token.labels else token.rival
    if rival == token.label:
        return Decision(place, place + 1, token.label, features=tuple(token.top(top)))
    return Decision(place, place + 1, token.label, rival, token.margin_over(rival), tuple(token.top(top, rival)))


def _differences(candidates: Sequence[RankedCandidate], rank: int, top: int | None) -> list[tuple[str, float]]:
    """List what spoke for the first candidate and against another one."""
    return list(candidates[0].against(candidates[rank]).items())[: _DIFFERENCES if top is None else top]


def _name(features: Sequence[tuple[str, float]]) -> list[dict[str, object]]:
    return [{"name": name, "weight": weight} for name, weight in features]


def explain_labels(
    model: Inference,
    tables: tuple[_core.FeatureTable, _core.FeatureTable],
    labels: CodeArray,
    described: Sequence[Sequence[Feature]],
) -> list[TokenExplanation]:
    """Explain one decoded sentence; ``tables`` are those of nodes and of edges."""
    names, weights = model.labels, WeightViews(model.chain, model.parameters.weights)
    allowed = model.structure.replacements(labels)  # [T][L] labels that could replace the chosen ones
    backwards = model.structure.is_backwards
    sign, decided = (1, labels.tolist()[::-1]) if backwards else (-1, labels.tolist())
    explanations = []
    for t, features in enumerate(described):
        step = len(described) - 1 - t if backwards else t
        previous = decided[step - 1] if step > 0 else None
        found = []
        for feature in features:
            if not (feature.edge and previous is None):
                row = tables[feature.edge].find(feature.key)
                scores = _read_scores(model.parameters, weights, row, previous if feature.edge else None)
                found.append(Contribution(feature.name, np.multiply(scores, feature.value, dtype=np.float32)))
        if previous is not None:
            name = f"label[{sign}]={names[previous]}"
            found.append(Contribution(name, weights.transitions[previous]))
            if model.chain.has_triples and step > 1:
                before = decided[step - 2]
                name = f"label[{2 * sign}]={names[before]} {name}"
                found.append(Contribution(name, weights.triples[before, previous]))
        spoke = [c for c in found if c.scores.any()]
        explanations.append(_explanation(names, int(labels[t]), spoke, allowed[t]))
    return explanations


def _read_scores(parameters: Parameters, weights: WeightViews, row: int, previous: int | None) -> NDArray[np.float32]:
    """Read the weights of a feature; of an edge feature those after the previous label, of an unknown one zeros."""
    if row >= 0 and previous is None:
        found: NDArray[np.float32] = weights.nodes[row]
        return found
    scores = np.zeros(len(parameters.labels), np.float32)
    if row >= 0:
        begin, end = parameters.edge_offsets[row : row + 2].tolist()
        before, after = np.divmod(parameters.edge_pairs[begin:end], len(scores))
        mine = before == previous
        scores[after[mine]] = weights.edges[begin:end][mine]
    return scores


def _explanation(
    labels: tuple[str, ...], won: int, contributions: list[Contribution], allowed: NDArray[np.bool_]
) -> TokenExplanation:
    scores = sum((each.scores for each in contributions), np.zeros(len(labels), np.float32))
    rivals = [i for i in np.argsort(-scores, kind="stable").tolist() if i != won]
    legal = [i for i in rivals if allowed[i]]  # none, where the label is the only one between its neighbours
    rival = next(iter(legal or rivals), won)
    return TokenExplanation(labels[won], labels[rival], labels, scores, tuple(contributions))
