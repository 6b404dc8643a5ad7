"""Global features as plain strings, straight from Figure 1 and the definitions of quotes in collins-2002, section 3.2.

Spans are (first token, last token, class). Outside the sentence every value is that of templates: _B-1, _B+2 ...
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from itertools import groupby

from tests.oracle.attributes import classes, lower, shape

Span = tuple[int, int, str]
CLOSING = {'"': '"', "``": "'' \"", "“": "”", "„": "“ ”", "«": "»", "»": "«"}
LONGEST = 50  # tokens of an entity that are looked at


class Sentence:
    """w, f, g, l and t of every token."""

    def __init__(self, words: Sequence[str], labels: Sequence[str], lowercased: Collection[str]) -> None:
        self.words, self.labels = words, labels
        self.lowercased = set(map(lower, lowercased))

    def outside(self, i: int) -> str | None:
        if 0 <= i < len(self.words):
            return None
        return f"_B{i}" if i < 0 else f"_B+{i - len(self.words) + 1}"

    def w(self, i: int) -> str:
        return self.outside(i) or self.words[i]

    def t(self, i: int) -> str:
        return self.outside(i) or self.labels[i]

    def f(self, i: int) -> str:
        return self.outside(i) or "".join(c for c, _ in groupby(shape(self.words[i])))

    def g(self, i: int) -> str:
        """Two values: the flag of a token outside is outside, too."""
        flag = self.outside(i) or str(int(lower(self.words[i]) in self.lowercased))
        return f"{self.f(i)} {flag}"

    def l(self, i: int) -> str:  # noqa: E743 - the paper's name
        return self.outside(i) or str(int(classes(self.words[i])[0] == "L"))


def features(
    words: Sequence[str], labels: Sequence[str], spans: Sequence[Span], lowercased: Collection[str]
) -> set[str]:
    sentence = Sentence(words, labels, lowercased)
    found = {text for span in spans for text in of_entity(sentence, *span)}
    return found | {text for pair in quotations(words) for text in of_quotation(sentence, *pair, spans)}


def of_entity(x: Sentence, s: int, e: int, kind: str) -> list[str]:
    inside = range(s, e + 1)
    found: list[tuple[str, list[str]]] = [("LW", [x.w(e)]), ("LWLC", [x.l(e)])]
    if len(inside) <= LONGEST:
        found += [("WE", [x.w(i) for i in inside]), ("FF", [x.f(i) for i in inside]), ("GF", [x.g(i) for i in inside])]
    places = {
        "BO": (s - 1, s),
        "BE": (e, e + 1),
        "TO": (s - 2, s - 1, s),
        "TO2": (s - 1, s, s + 1),
        "TE": (e - 1, e, e + 1),
        "TE2": (e - 2, e - 1, e),
    }
    for name, tokens in places.items():
        for bits in itertools.product("01", repeat=len(tokens)):
            found.append((name + "".join(bits), [x.g(i) if bit == "1" else x.w(i) for i, bit in zip(tokens, bits)]))
    for n in range(1, min(len(inside), LONGEST) + 1):
        found += [("PF", [x.f(i) for i in inside[:n]]), ("PF2", [x.g(i) for i in inside[:n]])]
        found += [("SF", [x.f(i) for i in inside[::-1][:n]]), ("SF2", [x.g(i) for i in inside[::-1][:n]])]
    return [f"{name}{f'/{kind}' if kind else ''}={' '.join(values)}" for name, values in found]


def quotations(words: Sequence[str]) -> list[tuple[int, int]]:
    """Every opening mark with the next that closes it."""
    found, i = [], 0
    while i < len(words):
        if words[i] in CLOSING:
            closing = CLOSING[words[i]].split()
            if close := next((j for j in range(i + 1, len(words)) if words[j] in closing), None):
                found.append((i, close))
                i = close
            else:
                return found
        i += 1
    return found


def of_quotation(x: Sentence, s: int, e: int, spans: Sequence[Span]) -> list[str]:
    found = []
    if e - s < 10:
        found.append("Q=" + " ".join(f"{x.g(i)} {x.t(i)}" for i in range(s, e + 1)))
        found.append("Q2=" + " ".join(f"{x.g(i)} {x.t(i)}" for i in range(s - 1, e + 2)))
    first_letters = [classes(x.words[i])[0] for i in range(s + 1, e)]
    named = [s + 1 + i for i, kind in enumerate(first_letters) if kind in "ULXD"]
    if named:
        e2 = named[-1]
        t2 = int(any(start == s + 1 and stop >= e2 for start, stop, _ in spans))
        u, l = first_letters.count("U"), first_letters.count("L")  # noqa: E741 - the paper's names
        found.append(f"QF={t2} {u} {l} {x.g(s + 1)} {x.g(e2)}")
        found.append(f"QF2={t2} {int(u > l)} {x.g(s + 1)} {x.g(e2)}")
    return found
