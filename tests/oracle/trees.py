"""Dependency trees by definition: what a tree is, which arcs are projective, what attachment scores count."""

from __future__ import annotations

from collections.abc import Sequence


def ancestors(heads: Sequence[int], word: int) -> list[int]:
    """The words above a word, up to 0, which stands above the root; a cycle ends where it closes."""
    found: list[int] = []
    while word and heads[word - 1] not in found:
        word = heads[word - 1]
        found.append(word)
    return found


def is_tree(heads: Sequence[int]) -> bool:
    return heads.count(0) == 1 and all(0 in ancestors(heads, word) for word in range(1, len(heads) + 1))


def is_projective(heads: Sequence[int]) -> bool:
    """Every word between a word and its head descends from the head."""
    return all(
        head in ancestors(heads, inner)
        for word, head in enumerate(heads, 1)
        for inner in range(min(word, head) + 1, max(word, head))
    )


def attachment(
    gold: Sequence[tuple[int, str]], predicted: Sequence[tuple[int, str]], scored: Sequence[bool]
) -> tuple[int, int, int]:
    """Right heads, right heads with relation, tokens."""
    pairs = [(a, b) for a, b, counts in zip(gold, predicted, scored) if counts]
    return sum(a[0] == b[0] for a, b in pairs), sum(a == b for a, b in pairs), len(pairs)
