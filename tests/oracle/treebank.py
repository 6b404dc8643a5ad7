"""Scores from raw text by definition: words are compared one by one, lists of function words as lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tagloom.evaluate.treebank import CONTENT, FUNCTION, UNIVERSAL_FEATURES


@dataclass(eq=False)
class Word:
    """A word, the span of its token, and whether the token has other words, too."""

    cells: list[str]
    start: int
    end: int
    shared: bool
    head: Word | None = None
    below: list[Word] = field(default_factory=list)

    @property
    def form(self) -> str:
        return self.cells[1].lower()

    @property
    def feats(self) -> list[str]:
        return sorted(each for each in self.cells[5].split("|") if each.split("=")[0] in UNIVERSAL_FEATURES)

    @property
    def relation(self) -> str:
        return self.cells[7].split(":")[0]


@dataclass
class Treebank:
    """All words, and the spans of tokens and sentences."""

    words: list[Word] = field(default_factory=list)
    tokens: list[tuple[int, int]] = field(default_factory=list)
    sentences: list[tuple[int, int]] = field(default_factory=list)


def read(text: str) -> Treebank:
    """Read CoNLL-U; words have forms without white space."""
    bank, at = Treebank(), 0
    for block in text.strip("\n").split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if line and line[0] != "#"]
        first, words, left = at, [], 0
        for cells in rows:
            if "-" in cells[0]:
                left = 1 + int(cells[0].split("-")[1]) - int(cells[0].split("-")[0])
                several = left
                bank.tokens.append((at, at + len(cells[1])))
                at += len(cells[1])
            elif left:
                left -= 1
                words.append(Word(cells, *bank.tokens[-1], several > 1))
            else:
                bank.tokens.append((at, at + len(cells[1])))
                words.append(Word(cells, *bank.tokens[-1], False))
                at += len(cells[1])
        for word in words:
            if word.cells[6] != "0":
                word.head = words[int(word.cells[6]) - 1]
                word.head.below.append(word)
        bank.words += words
        bank.sentences.append((first, at))
    return bank


def overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def regions(gold: Treebank, system: Treebank) -> list[tuple[int, int]]:
    """Spans of tokens with several words; any two that overlap become one, until none do."""
    found = sorted({(word.start, word.end) for bank in (gold, system) for word in bank.words if word.shared})
    while True:
        pairs = [(a, b) for a in found for b in found if a < b and overlap(a, b)]
        if not pairs:
            return found
        a, b = pairs[0]
        found = sorted({*found} - {a, b} | {(min(a + b), max(a + b))})


def common(a: Sequence[Word], b: Sequence[Word]) -> list[tuple[Word, Word]]:
    """A longest common subsequence of forms; of several, that which leaves out the first word of ``a``."""
    if not a or not b:
        return []
    if a[0].form == b[0].form:
        return [(a[0], b[0]), *common(a[1:], b[1:])]
    return max(common(a[1:], b), common(a, b[1:]), key=len)


def align(gold: Treebank, system: Treebank) -> list[tuple[Word, Word]]:
    spans = regions(gold, system)

    def inside(word: Word, span: tuple[int, int]) -> bool:
        return span[0] <= word.start and word.end <= span[1]

    pairs = [
        (a, b)
        for a in gold.words
        for b in system.words
        if (a.start, a.end) == (b.start, b.end) and not any(inside(a, span) for span in spans)
    ]
    for span in spans:
        pairs += common(*([word for word in bank.words if inside(word, span)] for bank in (gold, system)))
    return pairs


def score(gold_text: str, system_text: str) -> dict[str, tuple[int, int, int]]:
    """Correct, predicted and gold units of every score."""
    gold, system = read(gold_text), read(system_text)
    pairs = align(gold, system)
    partner: dict[Word | None, Word | None] = {b: a for a, b in pairs}
    partner[None] = None  # the root
    missing = Word([], 0, 0, False)

    def same_head(a: Word, b: Word) -> bool:
        return a.head is partner.get(b.head, missing)

    def same_arc(a: Word, b: Word) -> bool:
        return same_head(a, b) and a.relation == b.relation

    def same_lemma(a: Word, b: Word) -> bool:
        return a.cells[2] in ("_", b.cells[2])

    def same_tags(a: Word, b: Word) -> bool:
        return a.cells[3] == b.cells[3] and a.feats == b.feats

    def same_function_words(a: Word, b: Word) -> bool:
        mine = [(c, c.relation, c.cells[3], c.feats) for c in a.below if c.relation in FUNCTION]
        theirs = [(partner.get(c), c.relation, c.cells[3], c.feats) for c in b.below if c.relation in FUNCTION]
        return mine == theirs

    def count(same: Callable[[Word, Word], bool], scored: Callable[[Word], bool] = lambda word: True):
        right = sum(scored(a) and same(a, b) for a, b in pairs)
        return right, sum(map(scored, system.words)), sum(map(scored, gold.words))

    def is_content(word: Word) -> bool:
        return word.relation in CONTENT

    def count_spans(mine: list[tuple[int, int]], theirs: list[tuple[int, int]]):
        return len(set(mine) & set(theirs)), len(theirs), len(mine)

    return {
        "tokens": count_spans(gold.tokens, system.tokens),
        "sentences": count_spans(gold.sentences, system.sentences),
        "words": count(lambda a, b: True),
        "upos": count(lambda a, b: a.cells[3] == b.cells[3]),
        "xpos": count(lambda a, b: a.cells[4] == b.cells[4]),
        "ufeats": count(lambda a, b: a.feats == b.feats),
        "alltags": count(lambda a, b: same_tags(a, b) and a.cells[4] == b.cells[4]),
        "lemmas": count(same_lemma),
        "uas": count(same_head),
        "las": count(same_arc),
        "clas": count(same_arc, is_content),
        "mlas": count(lambda a, b: same_arc(a, b) and same_tags(a, b) and same_function_words(a, b), is_content),
        "blex": count(lambda a, b: same_arc(a, b) and same_lemma(a, b), is_content),
    }
