"""conlleval's rule, token by token: which phrases a sequence of labels holds, and how many of them are right.

Labels are a letter of B I E S O . [ ] and, after the first hyphen, a type. E and S end a phrase, which conlleval.pl
leaves out between phrases of one type (it knows no S, and joins E-X with a following B-X).
"""

from __future__ import annotations

from collections import Counter


def phrases(labels: list[str]) -> list[tuple[int, int, str]]:
    """(start, stop, type) of each phrase of a sentence."""
    found = []
    start, last, last_type = 0, "O", ""
    for position, label in enumerate([*labels, "O"]):
        letter, _, kind = label.partition("-")
        if _ends(last, letter, last_type, kind):
            found.append((start, position, last_type))
        if _starts(last, letter, last_type, kind):
            start = position
        last, last_type = letter, kind
    return found


def _ends(last: str, letter: str, last_type: str, kind: str) -> bool:
    if last in "O.":
        return False
    return last in "ES[]" or letter in "BSO.[]" or last_type != kind


def _starts(last: str, letter: str, last_type: str, kind: str) -> bool:
    if letter in "O.":
        return False
    return letter in "BS[]" or last in "ESO.[]" or last_type != kind


def count(gold: list[list[str]], predicted: list[list[str]]) -> dict[str, tuple[int, int, int]]:
    """Correct, predicted and gold phrases of each type."""
    correct, found, there = Counter(), Counter(), Counter()
    for truth, guess in zip(gold, predicted, strict=True):
        there.update(kind for *_, kind in phrases(truth))
        found.update(kind for *_, kind in phrases(guess))
        correct.update(kind for *_, kind in set(phrases(truth)) & set(phrases(guess)))
    return {kind: (correct[kind], found[kind], there[kind]) for kind in sorted(there | found)}
