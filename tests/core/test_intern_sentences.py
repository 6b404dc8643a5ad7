"""Python sentences in, Python labels out."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom._core import StringTable, intern_sentences, label_lists

WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)


def tables(count: int) -> list[StringTable]:
    return [StringTable() for _ in range(count)]


@given(sentences=st.lists(st.lists(st.tuples(WORDS, WORDS), max_size=5), max_size=5))
def test_rows_come_back_from_their_codes(sentences: list[list[tuple[str, str]]]):
    columns = tables(2)
    codes, offsets = intern_sentences(columns, sentences)
    assert offsets.tolist() == np.cumsum([0, *map(len, sentences)]).tolist()
    texts = [[table[code] for code in numbers.tolist()] for table, numbers in zip(columns, codes)]
    assert list(zip(*texts)) == [row for sentence in sentences for row in sentence]


@pytest.mark.parametrize(
    "sentences",
    [
        [["a", "b"], ["c"]],
        (("a", "b"), ("c",)),
        [[["a"], ["b"]], [("c",)]],
        deque([deque(["a", "b"]), np.array(["c"])]),
    ],
    ids=["lists", "tuples", "rows of one", "iterables"],
)
def test_any_iterable_of_words_is_a_sentence(sentences: object):
    (table,) = tables(1)
    (codes,), offsets = intern_sentences([table], sentences)
    assert (codes.tolist(), offsets.tolist(), table.strings()) == ([0, 1, 2], [0, 2, 3], ["a", "b", "c"])


@pytest.mark.parametrize(
    ("columns", "sentences", "message"),
    [
        (1, [["a"], "b c"], "sentence 2, token 1: .* one string"),
        (1, [["a"], 5], "sentence 2, token 1: expected a list of words"),
        (1, [["a", "b", 5]], "sentence 1, token 3"),
        (1, [["a", None]], "sentence 1, token 2"),
        (1, [["a", "\ud800"]], "sentence 1, token 2: .* valid Unicode"),
        (1, [[["a", "b"]]], "sentence 1, token 1: .* got 2"),
        (2, [["a"]], "sentence 1, token 1: expected 2 values per token, got one word"),
        (2, [[("a", "b"), ("c",)]], "sentence 1, token 2: .* got 1"),
        (2, [[("a", b"b")]], "sentence 1, token 1: .* valid Unicode"),
    ],
)
def test_what_is_no_sentence_is_refused_by_number(columns: int, sentences: object, message: str):
    with pytest.raises(ValueError, match=message):
        intern_sentences(tables(columns), sentences)


def test_labels_share_their_strings():
    names = ["DT", "NN"]
    lists = label_lists(np.array([0, 1, 1], np.int32), np.array([0, 2, 2, 3]), names)
    assert lists == [["DT", "NN"], [], ["NN"]]
    assert lists[0][1] is lists[2][0] is names[1]


@pytest.mark.parametrize(
    ("labels", "sentences"),
    [([0, 2], [0, 2]), ([-1], [0, 1]), ([0], [0, 2]), ([0], [1, 0]), ([0], [-1, 1])],
)
def test_labels_out_of_range_are_refused(labels: list[int], sentences: list[int]):
    with pytest.raises(ValueError, match=r"out of range|do not span"):
        label_lists(np.array(labels, np.int32), np.array(sentences), ["DT", "NN"])
