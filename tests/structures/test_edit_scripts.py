"""Edit scripts: what is built from a word and its lemma makes the lemma again, for any two texts."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tagloom.corpus import Column
from tagloom.structures.edit_scripts import apply_script, build_script, decode_scripts, encode_scripts
from tests.strategies import unhurried, words

TEXTS = words() | st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.text("ab|>l=k01", max_size=8)


@unhurried
@given(TEXTS, TEXTS)
@example("İstanbul", "i̇stanbul")
@example("a|0>b", "xa|0>b")
@example("", "be")
@example("=be", "be")
@example("Straße", "STRASSE")
def test_a_script_makes_the_lemma_it_was_built_from(word: str, lemma: str) -> None:
    assert apply_script(build_script(word, lemma), word) == lemma


@unhurried
@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=12))
def test_columns_come_back(pairs: list[tuple[str, str]]) -> None:
    forms, lemmas = (Column.from_strings([pair[side] for pair in pairs]) for side in (0, 1))
    assert decode_scripts(forms, encode_scripts(forms, lemmas)).texts() == lemmas.texts()


@unhurried
@given(TEXTS, TEXTS)
def test_any_text_is_a_script_that_does_no_harm(script: str, word: str) -> None:
    assert isinstance(apply_script(script, word), str)


@pytest.mark.parametrize(
    ("word", "lemma", "script"),
    [
        ("dog", "dog", "k|0>|0>"),
        ("Dog", "dog", "l|0>|0>"),
        ("dogs", "dog", "k|0>|1>"),
        ("Dogs", "dog", "l|0>|1>"),
        ("Bonn", "Bonn", "k|0>|0>"),
        ("flies", "fly", "k|0>|3>y"),
        ("gesagt", "sagen", "k|2>|1>en"),
        ("are", "be", "=be"),
        ("I", "I", "k|0>|0>"),
    ],
)
def test_scripts_are_shared_by_words_that_inflect_alike(word: str, lemma: str, script: str) -> None:
    assert build_script(word, lemma) == script


def test_a_word_that_is_too_short_is_not_cut() -> None:
    assert apply_script("k|2>|2>x", "abc") == "abc"
    assert apply_script("l|2>|2>x", "ABC") == "abc"
    assert apply_script("k|2>|1>x", "abc") == "x"


def test_rare_scripts_give_way_to_the_one_that_changes_nothing() -> None:
    forms = Column.from_strings(["dogs", "cats", "mice", "are"])
    lemmas = Column.from_strings(["dog", "cat", "mouse", "be"])
    assert encode_scripts(forms, lemmas, 2).texts() == ["k|0>|1>", "k|0>|1>", "k|0>|0>", "k|0>|0>"]
    assert decode_scripts(forms, encode_scripts(forms, lemmas, 2)).texts() == ["dog", "cat", "mice", "are"]
    assert encode_scripts(forms, lemmas, 5).texts() == ["k|0>|0>"] * 4
