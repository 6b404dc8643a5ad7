"""Layers: the columns that a model adds to a corpus, and what they hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tagloom.corpus.schemes import Scheme

#: Labels of tokens; part-of-speech tags that a parser predicts; heads and relations of trees; probabilities.
LABELS, TAGS, HEADS, RELATIONS, CONFIDENCE = "labels", "tags", "heads", "relations", "confidence"


@dataclass(frozen=True)
class Layer:
    """One column that a model adds to a corpus.

    Attributes:
        column: Name of the column in the annotated corpus.
        kind: What the column holds: LABELS, TAGS, HEADS, RELATIONS or CONFIDENCE.
        scheme: Label scheme, where labels write spans.
    """

    column: str
    kind: str
    scheme: Scheme | None = None
