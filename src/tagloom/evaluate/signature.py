"""The line that goes with every score: all choices that fix the number, after the model of sacreBLEU (Post, 2018)."""

from __future__ import annotations

from dataclasses import dataclass, fields

from tagloom._version import __version__


@dataclass(frozen=True)
class Signature:
    """What made a score.

    >>> print(Signature(system="chain", seed=1, rule="conlleval", version="0.1.0"))
    tagloom:0.1.0|system:chain|seed:1|rule:conlleval
    """

    system: str | None = None
    learner: str | None = None
    passes: int | None = None  # after which the weights were taken
    templates: str | None = None
    scheme: str | None = None  # of the labels that are decided on, where the data has another one
    sequences: str | None = None  # that are labelled as one, where they are not sentences
    document_features: str | None = None
    search: str | None = None  # of a history-based tagger, or a parser: how it decided
    tag_dictionary: int | None = None  # words seen so often take only labels seen with them
    reranker: str | None = None  # that chose among candidates
    seed: int | None = None
    data: str | None = None  # checksum
    folds: str | None = None  # of jackknifing: how many, of what
    candidate: str | None = None  # which of a list was scored, and the length of the longest list
    start: str | None = None  # checksum of the signature of the model that training began from
    rule: str | None = None
    version: str = __version__

    def __str__(self) -> str:
        choices = ((entry.name, getattr(self, entry.name)) for entry in fields(self) if entry.name != "version")
        stated = [f"{name}:{value}" for name, value in choices if value is not None]
        return "|".join([f"tagloom:{self.version}", *stated])
