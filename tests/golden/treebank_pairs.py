"""Seeded pairs of treebanks of the same random text, the second a noisy copy of the first: for scores from raw text."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

LETTERS = "abcdefghijklmnopqrstuvwxyzßéABCD"
TAGS = ("NOUN", "VERB", "PUNCT", "DET")
FEATURES = ("_", "Number=Sing", "Case=Nom|Number=Sing", "Number=Sing|Typo=Yes", "Typo=Yes")
RELATIONS = ("nsubj", "nsubj:pass", "obj", "punct", "det", "case", "aux", "aux:pass", "conj")


@dataclass(frozen=True)
class Word:
    """What is scored of a word; its head is ``reach`` words before it."""

    form: str
    lemma: str
    tag: str
    feats: str
    relation: str
    reach: int


@dataclass(frozen=True)
class Token:
    """A piece of the text and its words; the text need not show them."""

    text: str
    words: tuple[Word, ...]
    ends_sentence: bool


def draw_word(draw: random.Random, form: str) -> Word:
    lemma = draw.choice(["_", form.lower(), form.lower()])
    cells = draw.choice(TAGS), draw.choice(FEATURES), draw.choice(RELATIONS)
    return Word(form, lemma, *cells, draw.randint(1, 3))


def draw_text(draw: random.Random, low: int, high: int) -> str:
    return "".join(draw.choices(LETTERS, k=draw.randint(low, high)))


def cut_text(draw: random.Random, text: str) -> list[str]:
    """Cut a text into two or three words; some are spelled in another way, as the words of multiword tokens are."""
    places = sorted(draw.sample(range(1, len(text)), k=min(draw.randint(1, 2), len(text) - 1)))
    pieces = [text[start:end] for start, end in zip([0, *places], [*places, len(text)])]
    return [piece if draw.random() < 0.7 else draw.choice([piece.upper(), piece + "e"]) for piece in pieces]


def draw_token(draw: random.Random, text: str, multiword: float, ends: float) -> Token:
    several = len(text) > 1 and draw.random() < multiword
    forms = cut_text(draw, text) if several else [text]
    return Token(text, tuple(draw_word(draw, form) for form in forms), draw.random() < ends)


def copy_word(draw: random.Random, word: Word, noise: float) -> Word:
    other = draw_word(draw, word.form)
    names = [name for name in ("lemma", "tag", "feats", "relation", "reach") if draw.random() < noise]
    return replace(word, **{name: getattr(other, name) for name in names})


def copy_tokens(draw: random.Random, tokens: list[Token], noise: float, multiword: float) -> list[Token]:
    """Copy tokens; some are cut, joined with the next, or get other words or another end of their sentence."""
    copied, rest = [], list(tokens)
    while rest:
        token = rest.pop(0)
        chance = draw.random()
        if chance < noise and rest:
            joined = token.text + rest.pop(0).text
            copied.append(draw_token(draw, joined, multiword, 0.2))
        elif chance < 2 * noise and len(token.text) > 1:
            at = draw.randint(1, len(token.text) - 1)
            parts = token.text[:at], token.text[at:]
            copied += [draw_token(draw, part, multiword, 0.1) for part in parts]
        elif chance < 3 * noise:
            copied.append(draw_token(draw, token.text, multiword, 0.2))
        else:
            words = list(token.words)
            if len(words) > 2 and draw.random() < 0.3:
                words.pop(draw.randrange(len(words)))
            copied.append(replace(token, words=tuple(copy_word(draw, word, noise) for word in words)))
    return copied


def write_treebank(tokens: list[Token]) -> str:
    blocks: list[str] = []
    rows: list[str] = []
    number = 0
    for place, token in enumerate(tokens):
        if len(token.words) > 1:
            rows.append("\t".join([f"{number + 1}-{number + len(token.words)}", token.text, *"________"]))
        for word in token.words:
            number += 1
            head = max(number - word.reach, 1) if number > 1 else 0
            relation = word.relation if head else "root"
            cells = [str(number), word.form, word.lemma, word.tag, word.tag[:2], word.feats, str(head), relation]
            rows.append("\t".join([*cells, "_", "_"]))
        if token.ends_sentence or place == len(tokens) - 1:
            blocks.append("\n".join(rows) + "\n\n")
            rows, number = [], 0
    return "".join(blocks)


def draw_pair(seed: int, size: int = 25, noise: float = 0.15, multiword: float = 0.2) -> tuple[str, str]:
    """Draw the gold treebank and the noisy one, as CoNLL-U."""
    draw = random.Random(seed)
    gold = [draw_token(draw, draw_text(draw, 1, 5), multiword, 0.2) for _ in range(size)]
    return write_treebank(gold), write_treebank(copy_tokens(draw, gold, noise, multiword))
