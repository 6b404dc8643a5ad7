"""The raw text of a Universal Dependencies treebank with the places of its words, and how tokens differ from them."""

from __future__ import annotations

import lzma
import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from tagloom.text import Tokenizer

Span = tuple[int, int]


@dataclass
class Document:
    """Sentences are joined by blanks, paragraphs by blank lines."""

    text: str = ""
    words: list[Span] = field(default_factory=list)
    sentences: list[int] = field(default_factory=lambda: [0])


def read_documents(path: Path) -> list[Document]:
    documents: list[Document] = []
    with lzma.open(path, "rt", encoding="utf-8") as file:
        blocks = file.read().strip().split("\n\n")
    for block in blocks:
        lines = block.split("\n")
        if any(line.startswith("# newdoc") for line in lines):
            documents.append(Document())
        document = documents[-1]
        if document.text and any(line.startswith("# newpar") for line in lines):
            document.text = document.text.rstrip(" ") + "\n\n"
        add_sentence(document, [line.split("\t") for line in lines if line[0] != "#"])
        document.sentences.append(len(document.words))
    return documents


def add_sentence(document: Document, rows: list[list[str]]) -> None:
    inside: list[int] = []  # numbers of the words of the current multiword token
    at = 0
    for number, form, *_, misc in rows:
        if "." in number:  # an empty node
            continue
        if "-" in number:
            first, last = map(int, number.split("-"))
            inside, at = list(range(first, last + 1)), len(document.text)
            parts = [row[1] for row in rows if row[0].isdigit() and int(row[0]) in inside]
            assert "".join(parts) == form, "the words of every multiword token of EWT cut it exactly"
        elif int(number) in inside:
            document.words.append((at, at + len(form)))
            at += len(form)
            continue
        else:
            document.words.append((len(document.text), len(document.text) + len(form)))
        document.text += form + ("" if "SpaceAfter=No" in misc else " ")


def classify_cut(text: str, at: int) -> str:
    """Which special case of EWT a cut at this place is: a cut that ``ptb`` does not make."""
    around = text[at - 1 : at + 1]
    if re.search("[-‐‑]", around):
        return "hyphen"
    if "/" in around:
        return "slash"
    if re.fullmatch(r"[^\W\d_]{2}", around):
        return "letters"
    if re.fullmatch(r"\d[^\W\d_]|[^\W\d_]\d", around):
        return "digits"
    return "other"


def compare_tokens(document: Document, tokens: list[Span]) -> tuple[int, Counter[str], Counter[str]]:
    """Words of the treebank that are tokens, words in special cases by name, and all other differences."""
    equal, special, other = 0, Counter[str](), Counter[str]()
    for gold, found in align_differences(document.words, tokens):
        if gold == found:
            equal += 1
            continue
        only_gold = {start for start, _ in gold} - {start for start, _ in found}
        only_found = {start for start, _ in found} - {start for start, _ in gold}
        cases = {classify_cut(document.text, at) for at in only_gold}
        if only_found or "other" in cases:
            forms = [" ".join(document.text[a:b] for a, b in spans) for spans in (gold, found)]
            other[" | ".join(forms)] += len(gold)
        else:
            special["+".join(sorted(cases))] += len(gold)
    return equal, special, other


def align_differences(gold: list[Span], found: list[Span]) -> list[tuple[list[Span], list[Span]]]:
    """The shortest stretches that begin and end together."""
    stretches = []
    i = j = 0
    while i < len(gold) and j < len(found):
        first, second = i + 1, j + 1
        while gold[first - 1][1] != found[second - 1][1]:
            if gold[first - 1][1] < found[second - 1][1]:
                first += 1
            else:
                second += 1
        stretches.append((gold[i:first], found[j:second]))
        i, j = first, second
    return stretches


def bound_sentences(words: list[Span], offsets: list[int]) -> set[Span]:
    return {(words[a][0], words[b - 1][1]) for a, b in pairwise(offsets)}


@dataclass
class Score:
    """Words of a treebank that are tokens, those of its special cases, other differences; sentences."""

    words: int = 0
    equal: int = 0
    special: Counter[str] = field(default_factory=Counter)
    other: Counter[str] = field(default_factory=Counter)
    gold_sentences: int = 0
    found_sentences: int = 0
    equal_sentences: int = 0

    @property
    def sentence_f1(self) -> float:
        return 2 * self.equal_sentences / (self.gold_sentences + self.found_sentences)


def compare_treebank(path: Path, tokenizer: Tokenizer) -> Score:
    score = Score()
    for document in read_documents(path):
        found = tokenizer.segment(document.text)
        equal, special, other = compare_tokens(document, found.spans)
        score.words += len(document.words)
        score.equal += equal
        score.special += special
        score.other += other
        gold = bound_sentences(document.words, document.sentences)
        ours = bound_sentences(found.spans, found.sentences.tolist())
        score.gold_sentences += len(gold)
        score.found_sentences += len(ours)
        score.equal_sentences += len(gold & ours)
    return score
