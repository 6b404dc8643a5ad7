"""Explanations of segments: for every segment the best other reading of its tokens, and the features that decided."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tagloom.arguments import check_methods
from tagloom.corpus import Corpus
from tagloom.systems.tables import Decision, Parts, Shown, Table
from tagloom.systems.tagger.encode import prepare_batch
from tagloom.systems.tagger.parameters import WeightViews

if TYPE_CHECKING:
    from tagloom.systems.segments.model import SegmentModel

OUTSIDE = "O"
_TOP = 3  # features of every segment


@check_methods()
@dataclass(frozen=True)
class SegmentExplanation(Shown):
    """Why a model found the segments of a sentence: one decision per segment and per token outside of all."""

    words: tuple[str, ...]
    decisions: tuple[Decision, ...]

    def __repr__(self) -> str:
        """Show the segments."""
        found = [each for each in self.decisions if each.choice != OUTSIDE]
        texts = (f"{' '.join(self.words[each.first : each.last])}/{each.choice}" for each in found)
        return f"<SegmentExplanation {', '.join(texts)}>"

    def to_parts(self, top: int | None = None) -> Parts:
        """Build a table: of every segment its type, the runner-up and the loudest features."""
        rows = []
        for each in self.list_decisions(_TOP if top is None else top):
            reasons = ", ".join(f"{name} {weight:+.2f}" for name, weight in each.features)
            margin = "" if each.margin is None else f"{each.margin:.2f}"
            rows.append((" ".join(self.words[each.first : each.last]), each.choice, each.rival or "", margin, reasons))
        return [Table(("segment", "type", "runner-up", "margin", "because of"), rows, ["margin"])]

    def to_dict(self, top: int | None = None) -> dict[str, object]:
        """Build plain values."""
        return {
            "words": list(self.words),
            "segments": [
                {
                    "first": each.first,
                    "last": each.last,
                    "type": each.choice,
                    "runner_up": each.rival,
                    "margin": each.margin,
                    "features": [{"name": name, "weight": weight} for name, weight in each.features],
                }
                for each in self.list_decisions(_TOP if top is None else top)
            ],
        }

    def list_decisions(self, top: int | None = None, gold: Sequence[str] | None = None) -> list[Decision]:
        """List the decisions in the order of the sentence."""
        return [
            Decision(each.first, each.last, each.choice, each.rival, each.margin, tuple(each.features[:top]))
            for each in self.decisions
        ]


def explain_segments(model: SegmentModel, corpus: Corpus) -> SegmentExplanation:
    """Explain the segments of one sentence."""
    words = tuple(corpus.column(model.main).texts())
    reader = _Reader(model, corpus)
    decisions, place = [], 0
    for _, first, last, name in [*model.find_spans(corpus).tuples(), (0, len(words), len(words), "")]:
        decisions += [reader.decide(token, token + 1, OUTSIDE) for token in range(place, first)]
        if first < last:
            decisions.append(reader.decide(first, last, name))
        place = last
    return SegmentExplanation(words, tuple(decisions))


class _Reader:
    """Reads the scores of segments off the weights, feature by feature."""

    def __init__(self, model: SegmentModel, corpus: Corpus) -> None:
        self.model, self.weights = model, WeightViews(model.tables.chain, model.parameters.weights)
        encoder = model.encoder
        store, batch = prepare_batch(encoder.tokens, corpus)
        self.tokens = encoder.tokens.describe(store, batch, 0) if len(corpus) else []
        self.segments = encoder.find_features(corpus, 1)
        self.words = corpus.column(model.main).texts()
        self.roles = model.tables.roles.reshape(-1, 4)

    def decide(self, first: int, last: int, chosen: str) -> Decision:
        """Compare a segment with the best other reading of the same tokens: of another type, or outside of all."""
        readings = {name: self._score(first, last, name) for name in (*self.model.types, OUTSIDE)}
        found = {name: scores for name, scores in readings.items() if scores is not None}
        own = found.pop(chosen, {})
        if not found:
            return Decision(first, last, chosen, features=_sort(own))
        rival = max(found, key=lambda name: sum(found[name].values()))
        gains = {name: own.get(name, 0.0) - found[rival].get(name, 0.0) for name in {**own, **found[rival]}}
        return Decision(first, last, chosen, rival, sum(gains.values()), _sort(gains))

    def _list_labels(self, length: int, name: str) -> list[int] | None:
        """List the labels that write a segment; None if there are none."""
        if name == OUTSIDE:
            outside = self.model.spec.decided.outside
            return [self.model.labels.index(outside)] * length if outside in self.model.labels else None
        begin, inside, end, single = self.roles[self.model.types.index(name)].tolist()
        labels = [single] if length == 1 else [begin, *[inside] * (length - 2), end]
        return None if min(labels) < 0 else labels

    def _score(self, first: int, last: int, name: str) -> dict[str, float] | None:
        """List what features add to the score of a reading, by their names."""
        labels = self._list_labels(last - first, name)
        if labels is None:
            return None
        found: dict[str, float] = {}
        for token, label in zip(range(first, last), labels):
            for feature in self.tokens[token]:
                row = self.model.tables.nodes.find(feature.key)
                if row >= 0:
                    where = feature.name if last - first == 1 else f"{self.words[token]}: {feature.name}"
                    weight = float(self.weights.nodes[row, label]) * feature.value
                    found[where] = found.get(where, 0.0) + weight
        for before, after in itertools.pairwise(labels):
            weight = float(self.weights.transitions[before, after])
            found["labels inside"] = found.get("labels inside", 0.0) + weight
        if name != OUTSIDE and last - first <= self.model.spec.longest:
            self._add_segment(first, last, self.model.types.index(name), found)
        return found

    def _add_segment(self, first: int, last: int, kind: int, found: dict[str, float]) -> None:
        keys, templates = self.segments.keys(np.array([first]), np.array([last]))
        for key, number in zip(keys.tolist(), templates.tolist()):
            row = self.model.tables.segments.find(key)
            if row >= 0:
                name = str(self.model.spec.segment_templates.templates[number])
                weight = float(self.weights.nodes[len(self.model.tables.nodes) + row, kind])
                found[name] = found.get(name, 0.0) + weight


def _sort(gains: dict[str, float]) -> tuple[tuple[str, float], ...]:
    return tuple(sorted(((name, gain) for name, gain in gains.items() if gain), key=lambda each: -abs(each[1])))
