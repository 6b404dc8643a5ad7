"""Text as a corpus of characters, and boundaries of tokens as their labels.

A label says what begins at a character: a token, a further word of a token (``n't`` of ``don't``), or nothing; with
``+``, the token stands for several words that do not cut it (French ``du``: ``de``, ``le``). White space between two
pieces of text is one character, and a blank line ends a sequence: no token and no sentence goes beyond it.
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
LABELS = (BLANK, INSIDE, TOKEN, TOKEN + MULTIWORD, WORD)
LABEL = "boundary"
CHARACTER = "form"
#: Tokenizers of rules whose decisions features see, each in a column of its name; they find sentences, too.
RULES = ("unicode", "ptb")
_RULE_LABELS = (BLANK, INSIDE, TOKEN, SENTENCE)

_PIECE = re.compile(r"\S+")
_PARAGRAPHS = re.compile(r"\s*\n[^\S\n]*\n\s*")
_LONGEST_SEQUENCE = 20_000  # characters; a longer paragraph is cut between pieces


@dataclass(frozen=True)
class Characters:
    """A text as characters without superfluous white space, and the places of these in the text."""

    corpus: Corpus
    places: IntArray  # [N] of every character in the text


def read_characters(text: str, source: str = "<text>", form: str | None = None) -> Characters:
    """Cut a text into characters, with paragraphs as sentences of the corpus; features see them in a normal form."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    bounds: list[int] = []
    kept = np.zeros(len(points), np.bool_)
    for begin, end in _cut_paragraphs(text):
        found = [match.span() for match in _PIECE.finditer(text, begin, end)]
        bounds.append(found[0][0])
        for start, stop in found:
            kept[start:stop] = True
        for (_, stop), _ in itertools.pairwise(found):
            kept[stop] = True  # one blank of those between two pieces
    places = np.flatnonzero(kept)
    columns = {CHARACTER: _number_characters(points[places], form), **_apply_rules(text, places)}
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


def _apply_rules(text: str, places: IntArray) -> dict[str, Column]:
    """Build the columns of what tokenizers of rules decide, as labels."""
    columns = {}
    clean = text.encode("utf-8", "replace").decode()  # half of a surrogate pair becomes one question mark
    for name in RULES:
        found = get_tokenizer(name).segment(clean)
        codes = _write_labels(len(text), found.starts, found.ends)
        codes[found.starts[found.sentences[:-1][np.diff(found.sentences) > 0]]] = _RULE_LABELS.index(SENTENCE)
        columns[name] = Column(codes[places], _intern_labels(_RULE_LABELS))
    return columns


def _write_labels(length: int, starts: IntArray, ends: IntArray) -> CodeArray:
    """Write tokens as one label per character of a text."""
    codes: CodeArray = np.full(length, LABELS.index(BLANK), np.int32)
    codes[ranges(starts, ends - starts)] = LABELS.index(INSIDE)
    codes[starts] = LABELS.index(TOKEN)
    return codes


def _intern_labels(labels: Sequence[str]) -> StringTable:
    strings = StringTable()
    strings.intern_all(list(labels))
    return strings


def label_characters(characters: Characters, restored: RestoredText, words: Sequence[str]) -> Corpus:
    """Add the labels of a text whose tokens and words are known."""
    codes = _write_labels(len(restored.text), restored.starts, restored.ends)
    for token in np.flatnonzero(np.diff(restored.words) > 1).tolist():
        start, end = int(restored.starts[token]), int(restored.ends[token])
        own = words[restored.words[token] : restored.words[token + 1]]
        if "".join(own) == restored.text[start:end]:
            codes[start + np.cumsum([len(word) for word in own[:-1]])] = LABELS.index(WORD)
        else:
            codes[start] = LABELS.index(TOKEN + MULTIWORD)
    return characters.corpus.with_column(LABEL, Column(codes[characters.places], _intern_labels(LABELS)))


@dataclass(frozen=True)
class Boundaries:
    """Tokens that labels of characters describe."""

    starts: IntArray  # [T] first character of each token in the text
    ends: IntArray  # [T] after its last character
    paragraphs: IntArray  # [P + 1] token offsets
    is_multiword: NDArray[np.bool_]  # [T] tokens whose words do not cut them
    words: IntArray  # [W] first character of every word but the first of its token


def read_boundaries(characters: Characters, labels: Column) -> Boundaries:
    """Turn labels into boundaries.

    Whatever the labels are, every character but white space belongs to a token: a piece begins a token, and blanks
    inside a token are taken only where the label says so.
    """
    names = labels.strings.strings()
    texts = characters.corpus.column(CHARACTER)
    is_blank = texts.codes == texts.strings.find(" ")
    begins = np.array([name.startswith(TOKEN) for name in names], np.bool_)[labels.codes]
    multiword = np.array([name.endswith(MULTIWORD) for name in names], np.bool_)[labels.codes]
    joined = np.array([name in (INSIDE, WORD) for name in names], np.bool_)[labels.codes]
    begins |= np.concatenate([[True], is_blank[:-1] & ~joined[:-1]])
    begins[characters.corpus.sentences[:-1]] = True
    begins &= ~is_blank
    where = np.flatnonzero(begins)
    lasts = np.maximum.accumulate(np.where(is_blank, -1, np.arange(len(is_blank)))) if len(is_blank) else where
    ends = characters.places[lasts[np.append(where[1:], len(is_blank)) - 1]] + 1 if len(where) else where
    paragraphs = np.searchsorted(where, characters.corpus.sentences)
    inside = np.array([name == WORD for name in names], np.bool_)[labels.codes] & ~begins & ~is_blank
    return Boundaries(characters.places[where], ends, paragraphs, multiword[where], characters.places[inside])
