"""Attributes of a token in its document, spelled out: its context elsewhere (Ratinov and Roth 2009), and kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.oracle.attributes import classes, lower

Document = Sequence[Sequence[str]]
Values = list[list[list[str]]]  # of every token of every sentence

NEAREST = 8


def has_capital(word: str) -> bool:
    return "U" in classes(word)


def shape(word: str) -> str:
    found = classes(word)
    if "U" in found and "L" not in found and len(found) > 1:
        return "U"
    return "T" if found.startswith("U") else "m"


def _others(document: Document, s: int, t: int) -> list[tuple[int, int]]:
    """Other places of the word, the nearest first, and the earlier of two."""
    places = [(i, j) for i, sentence in enumerate(document) for j in range(len(sentence))]
    here = places.index((s, t))
    word = lower(document[s][t])
    found = [n for n, (i, j) in enumerate(places) if n != here and lower(document[i][j]) == word]
    found = [n for n in found if has_capital(document[places[n][0]][places[n][1]])]
    return [places[n] for n in sorted(found, key=lambda n: abs(n - here))]


def context(document: Document) -> Values:
    """Words and capitals around the nearest other occurrences of words with a capital letter."""

    def describe(s: int, t: int) -> list[str]:
        sentence, found = document[s], []
        for name, distance in (("p", -1), ("n", 1), ("pp", -2), ("nn", 2)):
            inside = 0 <= t + distance < len(sentence)
            outside = "_B" if distance < 0 else "_E"
            found.append(f"{name}={lower(sentence[t + distance]) if inside else outside}")
        found.append(f"case={shape(sentence[t])}")
        found += ["p_capital"] if t > 0 and has_capital(sentence[t - 1]) else []
        found += ["n_capital"] if t + 1 < len(sentence) and has_capital(sentence[t + 1]) else []
        return found

    def values(s: int, t: int) -> list[str]:
        others = _others(document, s, t) if has_capital(document[s][t]) else []
        found = [text for place in others[:NEAREST] for text in describe(*place)]
        return list(dict.fromkeys(found + ([f"count={min(len(others), 4)}"] if others else [])))

    return [[values(s, t) for t in range(len(sentence))] for s, sentence in enumerate(document)]


def context_clusters(document: Document, clusters: Mapping[str, str], n: int) -> Values:
    """The first n bits of the clusters of the neighbours of these occurrences; 0: all bits."""

    def describe(s: int, t: int) -> list[str]:
        near = [("p", t - 1), ("n", t + 1)]
        bits = [(name, clusters.get(document[s][u])) for name, u in near if 0 <= u < len(document[s])]
        return [f"{name}={path[: n or len(path)]}" for name, path in bits if path]

    def values(s: int, t: int) -> list[str]:
        others = _others(document, s, t) if has_capital(document[s][t]) else []
        return list(dict.fromkeys(text for place in others[:NEAREST] for text in describe(*place)))

    return [[values(s, t) for t in range(len(sentence))] for s, sentence in enumerate(document)]


def kind(document: Document) -> str:
    """What the document looks like by its sentences."""
    numbers = [["D" in classes(word) for word in sentence] for sentence in document]
    rows = sum(any(each) and sum(each) >= len(each) / 3 for each in numbers)
    if 2 * rows >= len(document):
        return "table"
    if not any("L" in classes(word) for sentence in document for word in sentence):
        return "headline"
    return "mixed" if 5 * rows >= len(document) else "story"


def case(sentence: Sequence[str]) -> str:
    """How a sentence is written."""
    found = [classes(word) for word in sentence]
    capitals, small = sum("U" in each for each in found), sum("L" in each for each in found)
    if not small:
        return "caps" if capitals else "none"
    return "title" if capitals > 1 and all("U" in each for each in found if "L" in each) else "mixed"


def repeat(document: Document, values: Sequence[str]) -> Values:
    """One value per sentence, at all of its tokens."""
    return [[[value] for _ in sentence] for sentence, value in zip(document, values, strict=True)]


def kinds(document: Document) -> Values:
    return repeat(document, [kind(document)] * len(document))


def places(document: Document) -> Values:
    return repeat(document, [str(min(number, 5)) for number in range(len(document))])


def cases(document: Document) -> Values:
    return repeat(document, [case(sentence) for sentence in document])
