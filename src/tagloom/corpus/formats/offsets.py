"""Tokens in running text: a simple tokeniser, the places of tokens, and character spans as token spans."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

from tagloom.corpus.spans import TypedSpan
from tagloom.errors import DataError

Place: TypeAlias = tuple[int, int]  # first character, one past the last

# A run of word characters (letters, digits, underscore), or one other character that is not white space.
TOKEN = re.compile(r"\w+|[^\w\s]")
_BLANKS = re.compile(r"\s+")


def tokenize(text: str) -> list[Place]:
    """Find the tokens of a text.

    >>> [text[a:b] for text in ["Dr. Smith's 2nd"] for a, b in tokenize(text)]
    ['Dr', '.', 'Smith', "'", 's', '2nd']
    """
    return [match.span() for match in TOKEN.finditer(text)]


def locate(tokens: Sequence[str], text: str, where: str) -> list[Place]:
    """Find tokens in a text that holds nothing else but white space."""
    places, at = [], 0
    for number, token in enumerate(tokens, 1):
        at = _end_of_blanks(text, at)
        if not token or not text.startswith(token, at):
            raise DataError(f"{where}: token {number} is {token!r}, but the text continues with {text[at : at + 20]!r}")
        places.append((at, at + len(token)))
        at += len(token)
    if _end_of_blanks(text, at) < len(text):
        raise DataError(f"{where}: the text continues after the last token with {text[at : at + 20]!r}")
    return places


def _end_of_blanks(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    return match.end() if match else at


def find_token_spans(places: Sequence[Place], spans: Sequence[TypedSpan], where: str) -> list[TypedSpan]:
    """Turn character spans into ranges of tokens; a span must begin and end with a token, and no two may overlap."""
    starts = {start: number for number, (start, _) in enumerate(places)}
    stops = {stop: number for number, (_, stop) in enumerate(places, 1)}
    found: list[TypedSpan] = []
    for start, stop, label in sorted(spans):
        if start >= stop:
            raise DataError(f"{where}: span {start}:{stop} ({label}) is empty; expected start < end")
        if start < 0 or stop > (places[-1][1] if places else 0):
            raise DataError(f"{where}: span {start}:{stop} ({label}) lies outside the text")
        if start not in starts or stop not in stops:
            raise DataError(f"{where}: span {start}:{stop} ({label}) does not begin and end with a token")
        if found and found[-1][1] > starts[start]:
            first, last, other = found[-1]
            before = f"{places[first][0]}:{places[last - 1][1]} ({other})"
            raise DataError(f"{where}: span {start}:{stop} ({label}) overlaps {before}; a token has one label")
        found.append((starts[start], stops[stop], label))
    return found
