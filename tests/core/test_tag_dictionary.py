"""The flags of a tag dictionary against sets and trying all sequences; arrays that do not fit are refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom import _core
from tagloom.corpus import Column
from tagloom.structures.chain import NO_CONSTRAINTS, NO_OFFSETS, NO_PAIRS
from tagloom.structures.tag_dictionary import TagDictionary
from tests.core.chains import spaces
from tests.oracle import tag_dictionary as oracle
from tests.oracle.chain import Space

WORDS = st.sampled_from("abcd")


def chain_of(space: Space) -> _core.Chain:
    masks = [np.array(mask, np.uint8).ravel() for mask in (space.start, space.end, space.pairs)]
    return _core.Chain(len(space.start), 0, True, NO_OFFSETS, NO_PAIRS, *masks)


@st.composite
def problems(draw: st.DrawFn):
    """A space of labels, training sentences, sentences to tag, and constraints of the user's or none."""
    space = draw(spaces())
    names = [str(number) for number in range(len(space.start))]
    token = st.tuples(WORDS, st.sampled_from(names))
    train = draw(st.lists(st.lists(token, min_size=1, max_size=6), min_size=1, max_size=4))
    sentences = draw(st.lists(st.lists(WORDS, max_size=5), min_size=1, max_size=3))
    own = st.sets(st.sampled_from(names), min_size=1)
    constraints = draw(st.none() | st.tuples(*(st.tuples(*[own] * len(s)) for s in sentences)))
    return space, names, [tuple(zip(*sentence)) for sentence in train], sentences, constraints


def flat(rows: list[set[str]], names: list[str]) -> np.ndarray:
    return np.array([[name in row for name in names] for row in rows], np.uint8).ravel()


@given(problem=problems(), least=st.integers(1, 3))
def test_flags_are_those_of_the_sets(problem: tuple, least: int) -> None:
    space, names, train, sentences, constraints = problem
    words = Column.from_strings([word for sentence, _ in train for word in sentence])
    gold = np.array([int(label) for _, labels in train for label in labels], np.int32)
    dictionary = TagDictionary.count(words, gold, len(names), least)
    known = oracle.counted(train, least)
    assert len(dictionary) == len(known)

    own = constraints or [[set(names)] * len(sentence) for sentence in sentences]
    expected = [
        oracle.allowed(s, known, c, lambda labels: space.allows(tuple(map(int, labels))))
        for s, c in zip(sentences, own)
    ]
    tokens = Column.from_strings([word for sentence in sentences for word in sentence])
    given_flags = NO_CONSTRAINTS if constraints is None else flat([row for c in own for row in c], names)
    offsets = np.cumsum([0, *map(len, sentences)])
    found = dictionary.flags(chain_of(space), (tokens.strings, tokens.codes), offsets, given_flags)
    assert found.tolist() == flat([row for rows in expected for row in rows], names).tolist()


@given(problem=problems())
def test_joining_is_counting_both(problem: tuple) -> None:
    _, names, train, _, _ = problem

    def count(sentences: list) -> TagDictionary:
        words = Column.from_strings([word for sentence, _ in sentences for word in sentence])
        gold = np.array([int(label) for _, labels in sentences for label in labels], np.int32)
        return TagDictionary.count(words, gold, len(names), 1)

    whole, joined = count(train), count(train[:1]).joined(count(train[1:]))
    assert joined.words.tolist() == whole.words.tolist()
    assert joined.bits.tolist() == whole.bits.tolist()


def test_more_than_sixty_four_labels() -> None:
    """Sets of labels take several machine words: label 69 must follow 68, and only 68 begins."""
    count = 70
    pairs = np.zeros((count, count), np.uint8)
    pairs[68, 69] = 1
    start, end = np.zeros(count, np.uint8), np.zeros(count, np.uint8)
    start[68] = end[69] = 1
    chain = _core.Chain(count, 0, True, NO_OFFSETS, NO_PAIRS, start, end, pairs.ravel())
    words = Column.from_strings(["a", "b", "c"])
    dictionary = TagDictionary.count(words, np.array([68, 69, 3], np.int32), count, 1)
    for text, rows in ((["a", "b"], [{68}, {69}]), (["a", "c"], [set(range(count))] * 2)):
        tokens = Column.from_strings(text)
        flags = dictionary.flags(chain, (tokens.strings, tokens.codes), np.array([0, 2]), NO_CONSTRAINTS)
        assert [set(np.flatnonzero(row).tolist()) for row in flags.reshape(2, count)] == rows


def test_any_number_but_zero_is_a_flag() -> None:
    all_pairs = (np.ones(2, np.uint8), np.ones(2, np.uint8), np.ones(4, np.uint8))
    chain = _core.Chain(2, 0, True, NO_OFFSETS, NO_PAIRS, *all_pairs)
    words = Column.from_strings(["a"])
    dictionary = TagDictionary.count(words, np.array([1], np.int32), 2, 1)
    given_flags = np.array([2, 2], np.uint8)
    found = dictionary.flags(chain, (words.strings, words.codes), np.array([0, 1]), given_flags)
    assert found.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("words", "bits", "labels", "message"),
    [
        ([2, 1], [1, 1], 3, "not in order"),
        ([1, 1], [1, 1], 3, "not in order"),
        ([1, 2], [1], 3, "one row of labels"),
        ([1, 2], [1, 1, 1], 3, "one row of labels"),
        ([1], [1], 9, "one row of labels"),
        ([1], [8], 3, "a label that does not exist"),
        ([1], [0], 3, "has no label"),
        ([1], [1], 0, "expected at least one label"),
    ],
)
def test_arrays_that_do_not_fit(words: list[int], bits: list[int], labels: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TagDictionary(np.array(words, np.uint64), np.array(bits, np.uint8), labels)


@pytest.mark.parametrize(
    ("codes", "sentences", "flags"),
    [([1], [0, 1], []), ([-1], [0, 1], []), ([0], [0, 2], []), ([0], [1, 1], []), ([0], [0, 1], [1])],
)
def test_batches_that_do_not_fit(codes: list[int], sentences: list[int], flags: list[int]) -> None:
    table = _core.StringTable()
    table.intern("a")
    chain = _core.Chain(2, 0, True, NO_OFFSETS, NO_PAIRS, *(np.ones(n, np.uint8) for n in (2, 2, 4)))
    dictionary = TagDictionary(np.array([1], np.uint64), np.array([1], np.uint8), 2)
    words = table, np.array(codes, np.int32)
    with pytest.raises(ValueError, match=r"range|span|fit"):
        dictionary.flags(chain, words, np.array(sentences, np.int64), np.array(flags, np.uint8))
    other = TagDictionary(np.array([1], np.uint64), np.array([1], np.uint8), 3)
    with pytest.raises(ValueError, match="other labels"):
        other.flags(chain, (table, np.zeros(1, np.int32)), np.array([0, 1]), NO_CONSTRAINTS)
