"""Mutations of texts and bytes: the same few moves for every target."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Text = TypeVar("Text", str, bytes)


def mutate(rng: random.Random, text: Text, pieces: Sequence[Text], moves: int = 6) -> Text:
    """Change a text in a few random places, with pieces that mean something to its reader."""
    for _ in range(rng.randrange(moves + 1)):
        text = rng.choice(_MOVES)(rng, text, pieces)
    return text


def soup(rng: random.Random, pieces: Sequence[Text], most: int = 30) -> Text:
    """Join random pieces."""
    return pieces[0][:0].join(rng.choices(pieces, k=rng.randrange(most + 1)))


def shrink_text(text: Text) -> Iterator[Text]:
    """Propose texts with something left out: halves first, then ever smaller pieces."""
    size = len(text) // 2
    while size:
        for start in range(0, len(text), size):
            yield text[:start] + text[start + size :]
        size //= 2


def _spot(rng: random.Random, text: Text) -> tuple[int, int]:
    start = rng.randrange(len(text) + 1)
    return start, min(len(text), start + rng.choice((0, 1, 1, 2, 5, 20)))


def _replace(rng: random.Random, text: Text, pieces: Sequence[Text]) -> Text:
    start, stop = _spot(rng, text)
    return text[:start] + rng.choice(pieces) + text[stop:]


def _repeat(rng: random.Random, text: Text, pieces: Sequence[Text]) -> Text:
    start, stop = _spot(rng, text)
    return text[:start] + text[start:stop] * rng.choice((0, 2, 3, 100)) + text[stop:]


def _move(rng: random.Random, text: Text, pieces: Sequence[Text]) -> Text:
    start, stop = _spot(rng, text)
    rest, place = text[:start] + text[stop:], rng.randrange(len(text) - (stop - start) + 1)
    return rest[:place] + text[start:stop] + rest[place:]


def _cut(rng: random.Random, text: Text, pieces: Sequence[Text]) -> Text:
    return text[: rng.randrange(len(text) + 1)]


def _lengthen(rng: random.Random, text: Text, pieces: Sequence[Text]) -> Text:
    """A number or name that is far too long."""
    start, _ = _spot(rng, text)
    piece = rng.choice(pieces)
    return text[:start] + piece * (rng.choice((50, 5000)) // (len(piece) or 1) + 1) + text[start:]


_MOVES: tuple[Callable[..., object], ...] = (_replace, _replace, _replace, _repeat, _move, _cut, _lengthen)
