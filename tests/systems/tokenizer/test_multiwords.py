"""Words of multiword tokens: as in training, in the case of the token, and at their places in it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom.systems.tokenizer.layout import TOKENIZER
from tagloom.systems.tokenizer.multiwords import MultiwordTokens
from tests.strategies import unhurried

ENGLISH = MultiwordTokens.count(
    [("don't", ("do", "n't")), ("it's", ("it", "'s")), ("gonna", ("gon", "na")), ("du", ("de", "le"))]
)
LETTERS = st.text("abÀİß'n", min_size=1, max_size=5)


@pytest.mark.parametrize(
    ("token", "words"),
    [
        ("don't", ["do", "n't"]),
        ("Don't", ["Do", "n't"]),
        ("DON'T", ["DO", "N'T"]),
        ("isn't", ["is", "n't"]),  # unknown, with a known last word
        ("Ada's", ["Ada", "'s"]),
        ("Du", ["De", "le"]),
        ("n't", ["n't"]),  # nothing would be left
        ("tree", ["tree"]),
    ],
)
def test_tokens_are_split_as_in_training(token: str, words: list[str]) -> None:
    assert ENGLISH.split(token) == words


def test_the_most_frequent_split_counts() -> None:
    tokens = MultiwordTokens.count([("im", ("i", "m")), ("im", ("in", "dem")), ("Im", ("in", "dem"))])
    assert tokens.split("Im") == ["In", "dem"]


@unhurried
@given(st.lists(st.tuples(LETTERS, st.lists(LETTERS, min_size=2, max_size=3)), max_size=6), LETTERS)
def test_any_token_has_words(pairs: list[tuple[str, list[str]]], token: str) -> None:
    tokens = MultiwordTokens.count([(key, tuple(words)) for key, words in pairs])
    found = tokens.split(token)
    assert found
    assert all(found)
    again = MultiwordTokens.from_tensors(tokens.to_tensors())
    assert again.splits == tokens.splits
    assert again.split(token) == found


def test_arrays_that_do_not_fit_are_refused() -> None:
    tensors, nothing = ENGLISH.to_tensors(), np.zeros(0, np.uint8)
    for name, value in (
        ("multiwords.words.codes", np.zeros(1, np.float32)),
        ("multiwords.words.codes", tensors["multiwords.words.codes"][:-1]),
        ("multiwords.words.codes", tensors["multiwords.words.codes"] + 99),
        ("multiwords.words.text", np.full_like(tensors["multiwords.words.text"], 9)),
    ):
        changed = {**tensors, name: value}
        with pytest.raises(ValueError):  # noqa: PT011, PT012 - of the layout, or of the strings
            TOKENIZER.check_all({**changed, "tagger": nothing, "sentences": nothing})
            MultiwordTokens.from_tensors(changed)
