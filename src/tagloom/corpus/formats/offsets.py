"""Tokens in running text: the places of tokens, and character spans as token spans."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

from tagloom._core import StringTable
from tagloom.corpus.spans import TypedSpan
from tagloom.errors import DataError
from tagloom.text import Segmentation

Place: TypeAlias = tuple[int, int]  # first character, one past the last

_BLANKS, _WORD = re.compile(r"\s+"), re.compile(r"\w")


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


def split_tokens(cut: Segmentation, edges: Iterable[int]) -> Segmentation:
    """Split tokens where spans begin or end within them, beside a character that is no letter and no digit.

    So the spans of annotators stay whose words a tokenizer does not part: ``York`` of ``York's``.
    """
    text, starts, ends = cut.text, set(cut.starts.tolist()), set(cut.ends.tolist())
    inner = {edge for edge in edges if 0 < edge < len(text) and not (edge in starts or edge in ends)}
    inner = {edge for edge in inner if not (_WORD.match(text[edge - 1]) and _WORD.match(text[edge]))}
    places: list[Place] = []
    kept = [0]  # tokens after each token of before
    for start, end in cut.spans:
        bounds = [start, *sorted(edge for edge in inner if start < edge < end), end] if inner else [start, end]
        places += itertools.pairwise(bounds)
        kept.append(len(places))
    if len(places) == len(cut):
        return cut
    strings = StringTable()
    codes = strings.intern_all([text[start:end] for start, end in places])
    firsts, lasts = np.array(places, np.int64).T
    sentences = np.array(kept, np.int64)[cut.sentences]
    return Segmentation(text, codes, strings, firsts, lasts, sentences)


def find_token_spans(
    places: Sequence[Place], spans: Sequence[TypedSpan], where: str, hint: str = ""
) -> list[TypedSpan]:
    """Turn character spans into ranges of tokens; a span must begin and end with a token, and no two may overlap.

    ``hint`` says what to do if a span begins or ends within a token.
    """
    starts = {start: number for number, (start, _) in enumerate(places)}
    stops = {stop: number for number, (_, stop) in enumerate(places, 1)}
    found: list[TypedSpan] = []
    for start, stop, label in sorted(spans):
        if start >= stop:
            raise DataError(f"{where}: span {start}:{stop} ({label}) is empty; expected start < end")
        if start < 0 or stop > (places[-1][1] if places else 0):
            raise DataError(f"{where}: span {start}:{stop} ({label}) lies outside the text")
        if start not in starts or stop not in stops:
            raise DataError(f"{where}: span {start}:{stop} ({label}) does not begin and end with a token{hint}")
        if found and found[-1][1] > starts[start]:
            first, last, other = found[-1]
            before = f"{places[first][0]}:{places[last - 1][1]} ({other})"
            raise DataError(f"{where}: span {start}:{stop} ({label}) overlaps {before}; a token has one label")
        found.append((starts[start], stops[stop], label))
    return found
