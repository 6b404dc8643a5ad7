"""The binding of the tokenizers: types of the arrays, refusals, threads that share a table."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tagloom._core import StringTable, find_word_breaks, tokenize


def test_types() -> None:
    arrays = tokenize("It's.", "ptb", StringTable())
    assert [array.dtype for array in arrays] == [np.int32, np.int64, np.int64, np.int64]
    assert [array.tolist() for array in arrays] == [[0, 1, 2], [0, 2, 4], [2, 4, 5], [0, 3]]


def test_surrogates_are_refused() -> None:
    with pytest.raises(ValueError, match="lone surrogate"):
        tokenize("\ud800", "ptb", StringTable())
    with pytest.raises(ValueError, match="lone surrogate"):
        find_word_breaks("\ud800")


def test_a_table_is_left_as_it_was_when_the_rules_are_unknown() -> None:
    table = StringTable()
    with pytest.raises(ValueError, match="unknown tokenizer"):
        tokenize("a", "", table)
    assert len(table) == 0


def test_threads_share_a_table() -> None:
    table = StringTable()
    texts = [" ".join(f"w{i * j % 997}" for j in range(3000)) for i in range(16)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda text: tokenize(text, "unicode", table)[0], texts))
    strings = table.strings()
    assert len(set(strings)) == len(strings)
    assert [[strings[code] for code in codes.tolist()] for codes in found] == [text.split() for text in texts]
