"""Accessor variety and mutual information of raw text, counted by hand (Sun & Xu 2011)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction


def floor_log2(value: Fraction) -> int:
    level = 0
    while 2 ** Fraction(level + 1) <= value:
        level += 1
    while 2 ** Fraction(level) > value:
        level -= 1
    return level


class RawText:
    """Lines of text, with line ends as neighbours."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.left: dict[str, set[str]] = defaultdict(set)
        self.right: dict[str, set[str]] = defaultdict(set)
        self.singles: Counter[str] = Counter()
        self.pairs: Counter[str] = Counter()
        for line in lines:
            self._count("".join(line.split()))

    def _count(self, text: str) -> None:
        framed = f"\n{text}\n"
        self.singles.update(text)
        self.pairs.update(text[i : i + 2] for i in range(len(text) - 1))
        for n in (2, 3, 4):
            for i in range(1, len(text) - n + 2):
                self.left[framed[i : i + n]].add(framed[i - 1])
                self.right[framed[i : i + n]].add(framed[i + n])

    def av_left(self, tokens: Sequence[str], n: int) -> list[list[str]]:
        """Of the n characters that begin at each token."""
        return [self._variety(self.left, tokens[t : t + n], n) for t in range(len(tokens))]

    def av_right(self, tokens: Sequence[str], n: int) -> list[list[str]]:
        """Of the n characters that end at each token."""
        return [self._variety(self.right, tokens[max(t - n + 1, 0) : t + 1], n) for t in range(len(tokens))]

    def _variety(self, side: dict[str, set[str]], tokens: Sequence[str], n: int) -> list[str]:
        text = "".join(tokens)
        if len(tokens) < n or any(len(token) != 1 for token in tokens) or len(side.get(text, ())) < 2:
            return []
        return [str(floor_log2(Fraction(len(side[text]))))]

    def mi(self, tokens: Sequence[str]) -> list[list[str]]:
        return [self._information(tokens[t : t + 2]) for t in range(len(tokens))]

    def _information(self, tokens: Sequence[str]) -> list[str]:
        pair = "".join(tokens)
        if len(tokens) < 2 or any(len(token) != 1 for token in tokens) or self.pairs[pair] < 2:
            return []
        total = self.singles.total()
        together = Fraction(self.pairs[pair], self.pairs.total())
        apart = Fraction(self.singles[pair[0]], total) * Fraction(self.singles[pair[1]], total)
        return [str(floor_log2(together / apart))]
