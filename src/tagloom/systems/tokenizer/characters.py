"""Text as a corpus of characters, and boundaries of tokens and sentences as their labels.

A label says what begins at a character: a sentence, a token, or nothing; with ``+``, the token stands for several
words. Beginnings are decided rather than ends, because the character and the piece of text that follow tell most about
both. White space between two pieces is one character, and a blank line ends a sequence: no sentence goes beyond it.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagloom._core import StringTable
from tagloom.corpus import Column, Corpus, RestoredText
from tagloom.corpus.corpus import CodeArray, IntArray, ranges

BLANK, INSIDE, TOKEN, SENTENCE = "_", "I", "T", "S"
MULTIWORD = "+"
LABELS = (BLANK, INSIDE, TOKEN, SENTENCE, TOKEN + MULTIWORD, SENTENCE + MULTIWORD)
LABEL = "boundary"
#: Columns beside the character: the piece between blanks that begins here, and the pieces before and after it.
CHARACTER, PIECE, BEFORE, AFTER = "form", "piece", "before", "after"

_PIECE = re.compile(r"\S+")
_PARAGRAPHS = re.compile(r"\s*\n[^\S\n]*\n\s*")
_LONGEST_PIECE = 12  # characters of a piece that features see; its end, where it comes before
_LONGEST_SEQUENCE = 20_000  # characters; a longer paragraph is cut between pieces
_FIRST, _LAST = "<", ">"  # pieces before the first and after the last one of a paragraph


@dataclass(frozen=True)
class Characters:
    """A text as characters without superfluous white space, and the places of these in the text."""

    corpus: Corpus
    places: IntArray  # [N] of every character in the text


def read_characters(text: str, source: str = "<text>", form: str | None = None) -> Characters:
    """Cut a text into characters, with paragraphs as sentences of the corpus; features see them in a normal form."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    bounds: list[int] = []
    starts: list[int] = []
    pieces: list[str] = []
    befores: list[str] = []
    afters: list[str] = []
    kept = np.zeros(len(points), np.bool_)
    for begin, end in _cut_paragraphs(text):
        found = [(match.start(), match.end()) for match in _PIECE.finditer(text, begin, end)]
        words = [text[start:stop] for start, stop in found]
        starts += [start for start, _ in found]
        pieces += [word[:_LONGEST_PIECE] for word in words]
        befores += [_FIRST, *(word[-_LONGEST_PIECE:] for word in words[:-1])]
        afters += [*(word[:_LONGEST_PIECE] for word in words[1:]), _LAST]
        bounds.append(found[0][0])
        for start, stop in found:
            kept[start:stop] = True
        for (_, stop), _ in itertools.pairwise(found):
            kept[stop] = True  # one blank of those between two pieces
    places = np.flatnonzero(kept)
    columns = {
        CHARACTER: _number_characters(points[places], form),
        **_mark_pieces(places, starts, pieces, befores, afters),
    }
    sentences = np.append(np.searchsorted(places, np.asarray(bounds, np.int64)), len(places))
    return Characters(Corpus(columns, sentences, np.array([0, len(bounds)]), source=source), places)


def _cut_paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Find the ranges between blank lines that hold more than white space; long ones are cut between pieces."""
    borders = [0, *itertools.chain.from_iterable(match.span() for match in _PARAGRAPHS.finditer(text)), len(text)]
    for begin, end in zip(borders[::2], borders[1::2]):
        while end - begin > _LONGEST_SEQUENCE:
            cut = max(
                text.rfind(" ", begin, begin + _LONGEST_SEQUENCE), text.rfind("\n", begin, begin + _LONGEST_SEQUENCE)
            )
            cut = begin + _LONGEST_SEQUENCE if cut <= begin else cut
            if text[begin:cut].strip():
                yield begin, cut
            begin = cut
        if text[begin:end].strip():
            yield begin, end


def _number_characters(points: NDArray[np.uint32], form: str | None) -> Column:
    distinct, codes = np.unique(points, return_inverse=True)
    texts = [_write_character(point, form) for point in distinct.tolist()]
    strings = StringTable()
    numbers = strings.intern_all(texts)
    return Column(numbers[codes], strings)


def _write_character(point: int, form: str | None) -> str:
    """Write a character as features see it: white space as a blank, half of a surrogate pair as a replacement."""
    character = chr(point)
    if character.isspace():
        return " "
    if 0xD800 <= point < 0xE000:
        return "\ufffd"
    return character if form is None else unicodedata.normalize(form, character)[:1]  # type: ignore[arg-type]


def _mark_pieces(places: IntArray, starts: list[int], *lists: list[str]) -> dict[str, Column]:
    """Build the columns of pieces; characters inside of a piece have the empty string."""
    where = np.searchsorted(places, np.asarray(starts, np.int64))
    columns = {}
    for name, texts in zip((PIECE, BEFORE, AFTER), lists, strict=True):
        strings = StringTable()
        (nothing,) = strings.intern_all([""])
        codes: CodeArray = np.full(len(places), nothing, np.int32)
        codes[where] = strings.intern_all([text.encode("utf-8", "replace").decode() for text in texts])
        columns[name] = Column(codes, strings)
    return columns


def label_characters(characters: Characters, restored: RestoredText) -> Corpus:
    """Add the labels of a text whose tokens and sentences are known."""
    codes: CodeArray = np.full(len(restored.text), LABELS.index(BLANK), np.int32)
    codes[ranges(restored.starts, restored.ends - restored.starts)] = LABELS.index(INSIDE)
    is_multiword = np.diff(restored.words) > 1
    codes[restored.starts] = np.where(is_multiword, LABELS.index(TOKEN + MULTIWORD), LABELS.index(TOKEN))
    firsts = restored.sentences[:-1][np.diff(restored.sentences) > 0]
    codes[restored.starts[firsts]] = np.where(
        is_multiword[firsts], LABELS.index(SENTENCE + MULTIWORD), LABELS.index(SENTENCE)
    )
    strings = StringTable()
    strings.intern_all(list(LABELS))
    return characters.corpus.with_column(LABEL, Column(codes[characters.places], strings))


@dataclass(frozen=True)
class Boundaries:
    """Tokens and sentences that labels of characters describe."""

    starts: IntArray  # [T] first character of each token in the text
    ends: IntArray  # [T] after its last character
    sentences: IntArray  # [S + 1] token offsets
    is_multiword: NDArray[np.bool_]  # [T]


def read_boundaries(characters: Characters, labels: Column) -> Boundaries:
    """Turn labels into boundaries.

    Whatever the labels are, every character but white space belongs to a token: a piece begins a token, a paragraph
    begins a sentence, and blanks inside a token are taken only where the label says so.
    """
    names = labels.strings.strings()
    texts = characters.corpus.column(CHARACTER)
    is_blank = texts.codes == texts.strings.find(" ")
    begins = np.array([name[:1] in (TOKEN, SENTENCE) for name in names], np.bool_)[labels.codes]
    begins_sentence = np.array([name.startswith(SENTENCE) for name in names], np.bool_)[labels.codes]
    multiword = np.array([name.endswith(MULTIWORD) for name in names], np.bool_)[labels.codes]
    joined = np.array([name == INSIDE for name in names], np.bool_)[labels.codes]
    after_blank = np.concatenate([[True], is_blank[:-1] & ~joined[:-1]])
    first = np.zeros(len(is_blank), np.bool_)
    first[characters.corpus.sentences[:-1]] = True
    begins = (begins | after_blank | first) & ~is_blank
    begins_sentence = (begins_sentence | first) & begins
    where = np.flatnonzero(begins)
    lasts = np.maximum.accumulate(np.where(is_blank, -1, np.arange(len(is_blank)))) if len(is_blank) else where
    ends = characters.places[lasts[np.append(where[1:], len(is_blank)) - 1]] + 1 if len(where) else where
    sentences = np.append(np.flatnonzero(begins_sentence[where]), len(where))
    return Boundaries(characters.places[where], ends, sentences, multiword[where])
