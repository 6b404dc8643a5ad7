"""The n best label sequences by enumeration, in the written order (nbest.hpp).

Equal scores: of two sequences the one comes first that has the lower label where, read from their ends, they first
differ. A document is scored sentence by sentence: no part reaches over a border.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from tests.oracle.chain import Labels, Part, Space, Token, dot, sequences

Allowed = Sequence[Sequence[set[int]]]  # of every sentence, labels of every token


def rank(
    space: Space, weights: Mapping[Part, float], document: Sequence[Sequence[Token]], allowed: Allowed | None = None
) -> list[tuple[float, Labels]]:
    """All labellings of a document with their scores, best first."""
    of_sentences = []
    for number, sentence in enumerate(document):
        legal = sequences(space, len(sentence), None if allowed is None else allowed[number])
        of_sentences.append([(dot(weights, space.parts(sentence, labels)), labels) for labels in legal])
    joined = [
        (sum(score for score, _ in chosen), tuple(label for _, labels in chosen for label in labels))
        for chosen in itertools.product(*of_sentences)
    ]
    return sorted(joined, key=lambda one: (-one[0], one[1][::-1]))
