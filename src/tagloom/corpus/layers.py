"""What a model adds to a corpus: layers of labels, trees and confidences, and the labellings of n-best lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tagloom.arguments import check_methods
from tagloom.corpus.schemes import Scheme

LABELS = "labels"  # one label per token
TAGS = "tags"  # parts of speech that a parser predicts
HEADS = "heads"  # numbers of words, 0 for the root
RELATIONS = "relations"  # of each word to its head
PROBABILITIES = "probabilities"  # of the labels of every token, for a second stage; never written
CONFIDENCE = "confidence"  # probability of each label, 0 to 1, as text
KINDS = (LABELS, TAGS, HEADS, RELATIONS, PROBABILITIES, CONFIDENCE)


@check_methods()
@dataclass(frozen=True)
class Layer:
    """One column that a model adds to a corpus, and what it holds.

    Attributes:
        column: Name of the column in the annotated corpus.
        kind: What it holds, one of ``KINDS``.
        scheme: The scheme of span labels; None for other labels.
    """

    column: str
    kind: str = LABELS
    scheme: Scheme | None = None


class Labelling(Protocol):
    """One candidate of an n-best list: the labels of a sentence or document, with their score."""

    @property
    def labels(self) -> Sequence[str]:
        """One label per token."""
        ...

    @property
    def score(self) -> float:
        """The score by which candidates are ranked."""
        ...

    @property
    def probability(self) -> float | None:
        """The probability, if the model has one."""
        ...
