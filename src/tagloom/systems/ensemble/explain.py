"""Why an ensemble labelled a sentence as it did: mean probabilities, and the reasons of its taggers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tagloom.systems.tables import Decision, Parts, Shown, Table

if TYPE_CHECKING:
    from tagloom.systems.tagger.explain import TaggerExplanation


@dataclass(frozen=True)
class EnsembleExplanation(Shown):
    """The labels of one sentence, their mean probabilities, and the explanations of all taggers."""

    words: tuple[str, ...]
    labels: tuple[str, ...]  # decided on, one per token
    probabilities: tuple[float, ...]  # of the labels
    members: tuple[TaggerExplanation, ...]

    def to_parts(self, top: int | None = None) -> Parts:
        """Build tables: the votes on every token, then the reasons of the first tagger."""
        votes = [f"tagger {number}" for number in range(1, len(self.members) + 1)]
        rows = [
            (word, label, f"{probability:.3f}", *(each.tokens[place].label for each in self.members))
            for place, (word, label, probability) in enumerate(zip(self.words, self.labels, self.probabilities))
        ]
        table = Table(("token", "label", "probability", *votes), rows, ["probability"])
        return [table, "Reasons of tagger 1:", *self.members[0].to_parts(top)]

    def to_dict(self, top: int | None = None) -> dict[str, object]:
        """Build plain values."""
        tokens = [
            {
                "token": word,
                "label": label,
                "probability": probability,
                "votes": [each.tokens[place].label for each in self.members],
            }
            for place, (word, label, probability) in enumerate(zip(self.words, self.labels, self.probabilities))
        ]
        return {"tokens": tokens, "members": [each.to_dict(top) for each in self.members]}

    def list_decisions(self, top: int | None = None, gold: Sequence[str] | None = None) -> list[Decision]:
        """List the decisions, with the reasons of the first tagger that voted for them."""
        lists = [each.list_decisions(top, gold) for each in self.members]
        found = []
        for label, votes in zip(self.labels, zip(*lists)):
            agreeing = [number for number, each in enumerate(votes) if each.choice == label]
            first = agreeing[0] if agreeing else 0
            note = f"tagger {first + 1}, one of {len(agreeing)} of {len(votes)} that chose {label}"
            outvoted = f"tagger {first + 1}; the mean probabilities decided for {label}"
            found.append(replace(votes[first], choice=label, note=note if agreeing else outvoted))
        return found
