"""How a text writes words: levels against plain counts, from files, and what is refused."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom._core import CASE_LEVELS, UNKNOWN_CASE, CaseTable
from tagloom.corpus import Corpus
from tagloom.errors import DataError
from tagloom.features import Casing, FeatureEncoder, Vocabulary, load_resource, load_templates, restore_resource
from tests.oracle import attributes as oracle
from tests.strategies import unhurried, words

WORDS = st.sampled_from(
    ["the", "The", "THE", "of", "A", "a", "McX", "(the", "the,", "U.S.", "é", "É", "1984", "--", "x1"]
)


def values(casing: Casing, sentence: list[str]) -> list[list[str]]:
    corpus = Corpus.from_columns({"form": sentence}, [len(sentence)])
    encoder = FeatureEncoder(load_templates("casing[0]\n"), Vocabulary(("form",), resources={"casing": casing}))
    store, batch = encoder.new_store(), encoder.batch(corpus)
    encoder.prepare(store, batch)
    return [[text for text, _ in store.values(0, code)] for code in corpus.column("form").codes.tolist()]


@given(text=st.lists(WORDS, max_size=60), repeats=st.integers(1, 200), sentence=st.lists(WORDS | words(), min_size=1))
@unhurried
def test_levels_are_those_of_plain_counts(text: list[str], repeats: int, sentence: list[str]) -> None:
    whole = text + text[:3] * repeats
    casing = Casing.count([" ".join(whole[:5]), "  ".join(whole[5:])])
    expected = [oracle.casing(word, whole) for word in sentence]
    assert values(casing, sentence) == expected
    counted = Casing.of_words(Counter(whole))
    assert all(map(np.array_equal, counted.to_tensors().values(), casing.to_tensors().values()))
    restored = restore_resource("casing", casing.to_tensors(), [])
    assert isinstance(restored, Casing)
    assert values(restored, sentence) == expected


def test_names_and_words_by_hand() -> None:
    casing = Casing.count(["the dog saw Kim"] * 400 + ["The dog saw Kim"] * 40)
    assert values(casing, ["THE", "Kim", "unseen", "7"]) == [
        ["lower/title:2", "title/upper:2", "frequency:4", "lower/title:2,upper"],
        ["lower/title:-4", "title/upper:4", "frequency:4", "lower/title:-4,title"],
        ["lower/title:0", "title/upper:0", "frequency:0", "lower/title:0,lower"],
        [],
    ]


def test_files_and_folders(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_text("the the the\n" * 5, encoding="utf-8")
    both, one = load_resource("casing:x", tmp_path), load_resource("casing", tmp_path / "one")
    assert isinstance(both, Casing)
    assert isinstance(one, Casing)
    assert both.table.find("THE") != one.table.find("The") != UNKNOWN_CASE
    assert repr(both) == "Casing(1 words)"
    (tmp_path / "one").write_text("1 2 3 --\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"one: no text found$"):
        load_resource("casing", tmp_path / "one")


@pytest.mark.parametrize(("keys", "levels"), [([1, 2], [3]), ([1], [CASE_LEVELS])])
def test_tables_that_do_not_fit(keys: list[int], levels: list[int]) -> None:
    with pytest.raises(ValueError, match=r"level"):
        CaseTable(np.array(keys, np.uint64), np.array(levels, np.uint16))
