"""The names of one document: who and what it is about, each name with one type throughout the document."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from tagloom.datasets.lexicon import Draw, Lexicon, skew

_TYPES = ("PER", "PER", "LOC", "LOC", "ORG", "ORG", "MISC")
_RECURRING = {"PER": "person.NNP", "LOC": "place.NNP", "ORG": "company.NNP", "MISC": "work.NNP"}
_PASSING = {"PER": "person.NNP", "LOC": "country.NNP", "ORG": "agency.NNP", "MISC": "holiday.NNP"}
_DESIGNATORS = {"LOC": "feature.NNP", "ORG": "firm.NNP", "MISC": "event.NNP"}


@dataclass(frozen=True)
class Entity:
    """A person, place, organization or other name, in its short and its full form."""

    label: str
    short: tuple[str, ...]  # Jordan
    full: tuple[str, ...]  # Anna Jordan, Jordan City, Jordan Corp., Jordan Cup


class Cast:
    """Five to nine recurring entities, the salient ones first; others are mentioned in passing.

    ``ambiguity`` is the chance that a recurring name is of the kind that may denote anything.
    """

    def __init__(self, lexicon: Lexicon, draw: Draw, ambiguity: float) -> None:
        self._lexicon = lexicon
        self._draw = draw
        self._taken: set[str] = set()
        self.members = [self._member(self._type(), ambiguity) for _ in range(5 + int(5 * draw()))]

    def choose(self, label: str | None, used: Collection[Entity]) -> Entity:
        """A member of that type (of any type, for None) that is not used yet; if there is none, one in passing."""
        free = [member for member in self.members if label in (None, member.label) and member not in used]
        return free[skew(len(free), self._draw)] if free else self._passer_by(label or self._type())

    def _type(self) -> str:
        return _TYPES[int(len(_TYPES) * self._draw())]

    def _member(self, label: str, ambiguity: float) -> Entity:
        short = self._name("ambiguous.NNP" if self._draw() < ambiguity else _RECURRING[label])
        if label == "PER":
            return Entity(label, short, self._name("first.NNP") + short)
        return Entity(label, short, (*short, self._word(_DESIGNATORS[label])))

    def _passer_by(self, label: str) -> Entity:
        short = self._name(_PASSING[label])
        return Entity(label, short, self._name("first.NNP") + short if label == "PER" else short)

    def _name(self, words: str) -> tuple[str, ...]:
        """A name that shares no token with another name of the document."""
        while True:
            tokens = self._word(words).split("_")
            if self._taken.isdisjoint(tokens):
                self._taken.update(tokens)
                return tuple(tokens)

    def _word(self, words: str) -> str:
        return self._lexicon.word(self._lexicon.lists[words], self._draw)
