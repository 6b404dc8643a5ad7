"""The line that goes with every score: all choices that determine the number, as in sacreBLEU (Post, 2018)."""

from __future__ import annotations

from dataclasses import dataclass, fields

from tagloom._version import __version__
from tagloom.arguments import check_methods


@check_methods()
@dataclass(frozen=True)
class Signature:
    """All choices that determine a score; None where a choice does not apply.

    >>> print(Signature(system="chain", seed=1, rule="conlleval", version="0.1.0"))
    tagloom:0.1.0|system:chain|seed:1|rule:conlleval
    """

    system: str | None = None
    learner: str | None = None
    passes: int | None = None  # the pass whose weights were kept
    templates: str | None = None
    scheme: str | None = None  # label scheme of the model, where the data has another one
    sequences: str | None = None  # what is labelled as one sequence, where this is not a sentence
    document_features: str | None = None
    search: str | None = None  # search of a history-based tagger or a parser
    tag_dictionary: int | None = None  # words seen at least this often take only labels seen with them
    reranker: str | None = None  # the re-ranker that chose among candidates
    seed: int | None = None
    data: str | None = None  # checksum of the training data
    folds: str | None = None  # jackknifing: number and unit of the folds
    candidate: str | None = None  # which candidate of a list was scored, and the length of the longest list
    start: str | None = None  # checksum of the signature of the start model
    rule: str | None = None
    version: str = __version__

    def __repr__(self) -> str:
        return f"Signature({str(self)!r})"

    def __str__(self) -> str:
        choices = ((entry.name, getattr(self, entry.name)) for entry in fields(self) if entry.name != "version")
        stated = [f"{name}:{value}" for name, value in choices if value is not None]
        return "|".join([f"tagloom:{self.version}", *stated])
