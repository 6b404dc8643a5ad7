"""Generated corpora of any size: newswire by rule, repeated with new names, so that the vocabulary grows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tagloom.corpus import Corpus, to_string
from tagloom.datasets import newswire

BASE_DOCUMENTS = 4000  # a million tokens
_NAME = re.compile(r"[A-Z][a-z]{3,}")


def write_corpus(path: Path, tokens: int, seed: int = 5) -> int:
    """Write a file of about so many tokens with the columns form, pos and chunk; return how many it has."""
    base = newswire(max(2, min(BASE_DOCUMENTS, tokens // 250)), seed=seed)
    written = 0
    with path.open("w", encoding="utf-8") as file:
        for number, part in enumerate(iterate_copies(base)):
            if written >= tokens:
                break
            file.write(to_string(part, "conll", ["form", "pos", "chunk"]))
            written += part.token_count
            assert number < 10_000
    return written


def iterate_copies(base: Corpus) -> Iterator[Corpus]:
    """Give the corpus itself, and then copies in which a third of the names end otherwise."""
    yield base
    forms = base.column("form").texts()
    number = 0
    while True:
        number += 1
        ending = _spell(number)
        names = {
            form: form + ending for form in set(forms) if _NAME.fullmatch(form) and hash_text(form, number) % 3 == 0
        }
        yield base.with_column("form", [names.get(form, form) for form in forms])


def hash_text(text: str, number: int) -> int:
    """Hash a word, the same in every process."""
    value = number
    for character in text:
        value = (value * 31 + ord(character)) & 0xFFFFFFFF
    return value >> 3


def _spell(number: int) -> str:
    letters = ""
    while number:
        number, digit = divmod(number, 26)
        letters += chr(ord("a") + digit)
    return letters
