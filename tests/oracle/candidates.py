"""The best candidate of every list (collins-2002, Notation), one list after the other."""

from __future__ import annotations

from collections.abc import Sequence

Scored = tuple[Sequence[object], float]  # labels and score


def best_candidate(candidates: Sequence[Scored], gold: Sequence[object]) -> int | None:
    """The rank of the one with the most correct tags; ties go to the higher score, then to the first."""
    best, best_value = None, (-1, 0.0)
    for rank, (labels, score) in enumerate(candidates):
        value = (sum(a == b for a, b in zip(labels, gold, strict=True)), score)
        if best is None or value > best_value:
            best, best_value = rank, value
    return best
