"""Boundaries as labels of characters: what is labelled is read again, and any labels give tokens that cover a text."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tagloom.corpus import Column, RestoredText
from tagloom.systems.tokenizer.characters import (
    CHARACTER,
    INSIDE,
    LABEL,
    LABELS,
    MULTIWORD,
    label_characters,
    read_boundaries,
    read_characters,
)
from tests.strategies import unhurried

FORMS = (None, "NFC", "NFKC")
SOLID = st.characters(exclude_categories=["Cs"]).filter(lambda c: not c.isspace())
ANYTHING = st.text(st.characters() | st.sampled_from(" \n\t.a¨ﬁ"), max_size=60)


@dataclass
class Tokens:
    """A text with its tokens, its sentences and the tokens that stand for several words."""

    text: str
    restored: RestoredText
    words: list[str]
    cuts: list[int]  # where words begin inside of tokens that they cut exactly
    unlike: list[bool]  # tokens whose words do not cut them


@st.composite
def tokenisations(draw: st.DrawFn) -> Tokens:
    """Random tokens, some with blanks inside, with any white space, or none, between them."""
    word = st.text(SOLID, min_size=1, max_size=4)
    token = word | st.builds(lambda one, two: f"{one} {two}", word, word)
    between = st.sampled_from(["", " ", "  ", "\n", "\t "])
    text = draw(st.sampled_from(["", " ", "\n\n"]))
    starts, ends, sentences, counts = [], [], [0], [0]
    words: list[str] = []
    cuts, unlike = [], []
    for _ in range(draw(st.integers(1, 4))):
        for _ in range(draw(st.integers(1, 5))):
            found = draw(token)
            starts.append(len(text))
            text += found
            ends.append(len(text))
            kind = draw(st.sampled_from(["one", "one", "cut", "unlike"]))
            own = [found]
            if kind == "cut" and len(found) > 1 and " " not in found:
                place = draw(st.integers(1, len(found) - 1))
                own = [found[:place], found[place:]]
                cuts.append(starts[-1] + place)
            elif kind == "unlike":
                own = [found, found]
            unlike.append(kind == "unlike")
            words += own
            counts.append(len(words))
            text += draw(between)
        text += draw(st.sampled_from(["", " ", "\n", "\n\n", "\n \n\n"]))
        sentences.append(len(starts))
    return Tokens(text, RestoredText(text, *map(np.array, (starts, ends, counts, sentences))), words, cuts, unlike)


@unhurried
@given(tokenisations(), st.sampled_from(FORMS))
def test_what_is_labelled_is_read_again(tokens: Tokens, form: str | None) -> None:
    characters = read_characters(tokens.text, form=form)
    found = read_boundaries(characters, label_characters(characters, tokens.restored, tokens.words).column(LABEL))
    assert found.starts.tolist() == tokens.restored.starts.tolist()
    assert found.ends.tolist() == tokens.restored.ends.tolist()
    assert found.is_multiword.tolist() == tokens.unlike
    assert found.words.tolist() == tokens.cuts


@unhurried
@given(ANYTHING, st.data(), st.sampled_from(FORMS))
@example("¨", None, "NFKC")  # a character whose normal form begins with a blank
def test_any_labels_cover_the_text_once(text: str, data: st.DataObject | None, form: str | None) -> None:
    characters = read_characters(text, form=form)
    size = characters.corpus.token_count
    labels = (
        [INSIDE] * size if data is None else data.draw(st.lists(st.sampled_from(LABELS), min_size=size, max_size=size))
    )
    found = read_boundaries(characters, Column.from_strings(labels))
    covered = np.zeros(len(text), np.int64)
    for start, end in zip(found.starts.tolist(), found.ends.tolist()):
        assert start < end
        assert not text[start].isspace()
        assert not text[end - 1].isspace()
        covered[start:end] += 1
    assert covered.max(initial=0) <= 1
    assert [text[place] for place in np.flatnonzero(covered == 0)] == [c for c, n in zip(text, covered) if n == 0]
    assert all(c.isspace() for c, n in zip(text, covered) if n == 0)
    assert found.paragraphs[0] == 0
    assert found.paragraphs[-1] == len(found.starts)
    assert (np.diff(found.paragraphs) > 0).all()


@unhurried
@given(ANYTHING)
def test_a_blank_line_parts_sequences_and_tokens(text: str) -> None:
    characters = read_characters(text)
    found = read_boundaries(characters, Column.from_strings([INSIDE] * characters.corpus.token_count))
    firsts = [int(found.starts[first]) for first in found.paragraphs[:-1]]
    assert firsts == characters.places[characters.corpus.sentences[:-1]].tolist()
    assert [c for c in characters.corpus.column(CHARACTER).texts() if c.isspace() and c != " "] == []


@pytest.mark.parametrize("text", ["", " ", "\n\n \t\n", "\u2003"])
def test_blank_text_has_no_characters(text: str) -> None:
    characters = read_characters(text)
    assert characters.corpus.token_count == 0
    found = read_boundaries(characters, Column.from_strings([]))
    assert (len(found.starts), found.paragraphs.tolist()) == (0, [0])


def test_a_long_paragraph_is_cut_between_pieces() -> None:
    text = "word " * 30_000 + "x" * 50_000
    characters = read_characters(text)
    lengths = np.diff(characters.corpus.sentences)
    assert lengths.max() <= 20_000
    assert "".join(text[place] for place in characters.places).replace(" ", "") == text.replace(" ", "")


def test_multiword_labels_end_in_plus() -> None:
    assert [label for label in LABELS if label.endswith(MULTIWORD)] == ["T+"]
