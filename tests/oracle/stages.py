"""What a second stage sees of the first one's predictions in the other sentences of a document, spelled out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction

from tests.oracle.attributes import classes, lower
from tests.oracle.documents import Document, has_capital

Predictions = Sequence[Sequence[Mapping[str, float]]]  # probabilities of labels, of every token of every sentence
Values = list[list[list[tuple[str, float]]]]
Key = Callable[[Sequence[str], int], Hashable]  # of a token of a sentence; None for no evidence


def split(label: str) -> tuple[str, str]:
    """Role and type; a label without a role is the type of a single token."""
    if len(label) > 2 and label[1] == "-" and label[0] in "BIESLUM":
        return label[0], label[2:]
    return ("O", "O") if label == "O" else ("S", label)


def _amount(weight: float) -> int:
    return max(0, min(1 << 16, int(weight * (1 << 16) + 0.5)))


def word_key(sentence: Sequence[str], t: int) -> Hashable:
    return lower(sentence[t]) if has_capital(sentence[t]) else None


def pair_key(sentence: Sequence[str], t: int) -> Hashable:
    pair = sentence[t : t + 2]
    return tuple(map(lower, pair)) if len(pair) == 2 and any(map(has_capital, pair)) else None


def cell_key(sentence: Sequence[str], t: int) -> Hashable:
    """The form of the row, and the number of the chunk in it; words in a row with capitals are one chunk."""
    row: list[str] = []
    chunk_of = []
    for u, word in enumerate(sentence):
        is_name = has_capital(word)
        if not (is_name and u > 0 and has_capital(sentence[u - 1])):
            row.append("NAME" if is_name else "NUMBER" if "D" in classes(word) else f"word {lower(word)}")
        chunk_of.append(len(row))
    return (tuple(row), chunk_of[t]) if len(sentence) > 1 and has_capital(sentence[t]) else None


def means(document: Document, predicted: Predictions, key: Key) -> Values:
    """Mean probabilities of types where the key is the same in other sentences, and the best type in words."""

    def values(s: int, t: int) -> list[tuple[str, float]]:
        mine = key(document[s], t)
        if mine is None:
            return []
        amounts: Counter[str] = Counter()
        count = 0
        for other, sentence in enumerate(document):
            for u in range(len(sentence)):
                if other != s and key(sentence, u) == mine:
                    count += 1
                    for label, weight in predicted[other][u].items():
                        amounts[split(label)[1]] += _amount(weight)
        if count == 0:
            return [("none", 1.0)]
        mean = {name: Fraction(amount, count << 16) for name, amount in sorted(amounts.items()) if amount}
        found = [(name, float(share)) for name, share in mean.items() if share > Fraction(0.02)]
        if mean:
            best = max(sorted(mean), key=lambda name: mean[name])
            sure = "!" if mean[best] > Fraction(0.8) else "?"
            found.append((f"{best}{sure}{'1' if count < 2 else '2' if count < 4 else '4'}", 1.0))
        return found

    return [[values(s, t) for t in range(len(sentence))] for s, sentence in enumerate(document)]


def find_entities(predicted: Sequence[Mapping[str, float]]) -> list[tuple[int, int, str]]:
    """Spans of the most probable labels, read leniently."""
    best = [max(sorted(p), key=lambda label: _amount(p[label])) if p else "O" for p in predicted]
    spans: list[tuple[int, int, str]] = []
    open_role = ""
    for t, label in enumerate(best):
        role, name = split(label)
        if role == "O":
            open_role = ""
            continue
        if open_role not in ("", "E", "S", "U", "L") and spans[-1][2] == name and role not in "BSU":
            spans[-1] = (spans[-1][0], t + 1, name)
        else:
            spans.append((t, t + 1, name))
        open_role = role
    return spans


def _elsewhere(document: Document, predicted: Predictions, s: int) -> list[tuple[Sequence[str], int, int, str]]:
    return [
        (document[other], *span)
        for other in range(len(document))
        if other != s
        for span in find_entities(predicted[other])
    ]


def _choose(counts: Counter[str]) -> str:
    return min(counts, key=lambda text: (-counts[text], text))


def entities(document: Document, predicted: Predictions) -> Values:
    """The longest entity of up to eight words that is found in another sentence, from left to right."""
    found: Values = []
    for s, sentence in enumerate(document):
        values: list[list[tuple[str, float]]] = [[] for _ in sentence]
        elsewhere = _elsewhere(document, predicted, s)
        t = 0
        while t < len(sentence):
            for n in range(min(8, len(sentence) - t), 0, -1):
                words = list(map(lower, sentence[t : t + n]))
                types = Counter(name for there, a, b, name in elsewhere if list(map(lower, there[a:b])) == words)
                if types:
                    roles = ["S"] if n == 1 else ["B", *["I"] * (n - 2), "E"]
                    for u, role in enumerate(roles):
                        values[t + u] = [(f"{role}-{_choose(types)}", 1.0)]
                    t += n - 1
                    break
            t += 1
        found.append(values)
    return found


def longer(document: Document, predicted: Predictions) -> Values:
    """The usual place of the word in entities of several words in other sentences."""

    def values(s: int, t: int) -> list[tuple[str, float]]:
        word = document[s][t]
        seen: Counter[tuple[str, str]] = Counter()
        for there, a, b, name in _elsewhere(document, predicted, s) if has_capital(word) else []:
            for u in range(a, b):
                if b - a > 1 and has_capital(there[u]) and lower(there[u]) == lower(word):
                    seen[name, "B" if u == a else "E" if u == b - 1 else "I"] += 1
        if not seen:
            return []
        name, role = min(seen, key=lambda each: (-seen[each], each))
        return [(f"{role}-{name}", 1.0), (name, 1.0)]

    return [[values(s, t) for t in range(len(sentence))] for s, sentence in enumerate(document)]


TRUTH: dict[str, Callable[[Document, Predictions], Values]] = {
    "stage_word": lambda document, predicted: means(document, predicted, word_key),
    "stage_pair": lambda document, predicted: means(document, predicted, pair_key),
    "stage_entity": entities,
    "stage_longer": longer,
    "stage_cell": lambda document, predicted: means(document, predicted, cell_key),
}
