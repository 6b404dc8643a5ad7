"""Text as a corpus of characters, and boundaries of tokens and sentences as their labels.

A label says what begins at a character: a sentence, a token, a further word of a token (``n't`` of ``don't``), or
nothing; with ``+``, the token stands for several words that do not cut it (French ``du``: ``de``, ``le``). Beginnings
are decided rather than ends, because the character and the piece of text that follow tell most about both. White space
between two pieces is one character, and a blank line ends a sequence: no sentence goes beyond it.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagloom._core import StringTable
from tagloom.corpus import Column, Corpus, RestoredText
from tagloom.corpus.corpus import CodeArray, IntArray, ranges
from tagloom.text import get_tokenizer

BLANK, INSIDE, TOKEN, SENTENCE, WORD = "_", "I", "T", "S", "W"
MULTIWORD = "+"
LABELS = (BLANK, INSIDE, TOKEN, SENTENCE, TOKEN + MULTIWORD, SENTENCE + MULTIWORD, WORD)
LABEL = "boundary"
#: Tokenizers of rules whose decisions features see, each in a column of its name.
RULES = ("unicode", "ptb")
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
    marked = _mark_pieces(places, starts, pieces, befores, afters)
    columns = {CHARACTER: _number_characters(points[places], form), **marked, **_apply_rules(text, places)}
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
    if form is None:
        return character
    found = unicodedata.normalize(form, character)[:1]  # type: ignore[arg-type]
    return character if found.isspace() else found  # that of ``¨`` begins with a blank


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


def _apply_rules(text: str, places: IntArray) -> dict[str, Column]:
    """Build the columns of what tokenizers of rules decide, as labels."""
    columns = {}
    clean = text.encode("utf-8", "replace").decode()  # half of a surrogate pair becomes one question mark
    for name in RULES:
        found = get_tokenizer(name).segment(clean)
        codes = _write_labels(len(text), found.starts, found.ends, found.sentences)
        columns[name] = Column(codes[places], _build_labels())
    return columns


def _write_labels(length: int, starts: IntArray, ends: IntArray, sentences: IntArray) -> CodeArray:
    """Write tokens and sentences as one label per character of a text."""
    codes: CodeArray = np.full(length, LABELS.index(BLANK), np.int32)
    codes[ranges(starts, ends - starts)] = LABELS.index(INSIDE)
    codes[starts] = LABELS.index(TOKEN)
    codes[starts[sentences[:-1][np.diff(sentences) > 0]]] = LABELS.index(SENTENCE)
    return codes


def _build_labels() -> StringTable:
    strings = StringTable()
    strings.intern_all(list(LABELS))
    return strings


def label_characters(characters: Characters, restored: RestoredText, words: Sequence[str]) -> Corpus:
    """Add the labels of a text whose tokens, sentences and words are known."""
    codes = _write_labels(len(restored.text), restored.starts, restored.ends, restored.sentences)
    for token in np.flatnonzero(np.diff(restored.words) > 1).tolist():
        start, end = int(restored.starts[token]), int(restored.ends[token])
        own = words[restored.words[token] : restored.words[token + 1]]
        if "".join(own) == restored.text[start:end]:
            codes[start + np.cumsum([len(word) for word in own[:-1]])] = LABELS.index(WORD)
        else:
            codes[start] += LABELS.index(TOKEN + MULTIWORD) - LABELS.index(TOKEN)
    return characters.corpus.with_column(LABEL, Column(codes[characters.places], _build_labels()))


@dataclass(frozen=True)
class Boundaries:
    """Tokens and sentences that labels of characters describe."""

    starts: IntArray  # [T] first character of each token in the text
    ends: IntArray  # [T] after its last character
    sentences: IntArray  # [S + 1] token offsets
    is_multiword: NDArray[np.bool_]  # [T] tokens whose words do not cut them
    words: IntArray  # [W] first character of every word but the first of its token


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
    joined = np.array([name in (INSIDE, WORD) for name in names], np.bool_)[labels.codes]
    after_blank = np.concatenate([[True], is_blank[:-1] & ~joined[:-1]])
    first = np.zeros(len(is_blank), np.bool_)
    first[characters.corpus.sentences[:-1]] = True
    begins = (begins | after_blank | first) & ~is_blank
    begins_sentence = (begins_sentence | first) & begins
    where = np.flatnonzero(begins)
    lasts = np.maximum.accumulate(np.where(is_blank, -1, np.arange(len(is_blank)))) if len(is_blank) else where
    ends = characters.places[lasts[np.append(where[1:], len(is_blank)) - 1]] + 1 if len(where) else where
    sentences = np.append(np.flatnonzero(begins_sentence[where]), len(where))
    inside = np.array([name == WORD for name in names], np.bool_)[labels.codes] & ~begins & ~is_blank
    return Boundaries(characters.places[where], ends, sentences, multiword[where], characters.places[inside])
