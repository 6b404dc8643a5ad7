"""Tagging: every form in which words may come, and what is said of those that are none."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom.errors import ConfigError, DataError
from tests.systems.toy import TAGGED, all_rows, bag_model, crfsuite_corpus, entity_model, news, tagger

WORDS, TAGS = TAGGED[0]


@pytest.mark.parametrize(
    "tokens",
    [
        WORDS,
        tuple(WORDS),
        deque(WORDS),
        np.array(WORDS),
        [[w] for w in WORDS],
        {"form": WORDS},
        {"form": WORDS, "x": []},
    ],
    ids=["list", "tuple", "deque", "array", "rows of one", "columns", "more columns"],
)
def test_words_come_in_many_forms(tokens: object):
    assert tagger().tag(tokens) == TAGS


def test_a_model_of_several_columns_reads_rows_or_columns():
    model, corpus = entity_model(), news()
    forms, tags = corpus.sentence(0, "form"), corpus.sentence(0, "pos")
    expected = model.tag(list(zip(forms, tags)))
    assert model.columns == ("form", "pos")
    assert model.tag([[form, tag] for form, tag in zip(forms, tags)]) == expected
    assert model.tag({"pos": tags, "form": forms, "more": ["x"]}) == expected
    assert model.tag_many([{"form": forms, "pos": tags}, list(zip(forms, tags))]) == [expected, expected]


def test_a_corpus_is_tagged_as_its_sentences_are():
    column = entity_model().tag_corpus(news())
    assert column.texts() == [label for labels in entity_model().tag_many(all_rows(news())) for label in labels]


def test_nothing_in_gives_nothing_out():
    assert tagger().tag([]) == []
    assert tagger().tag_many([]) == []
    assert tagger().tag_many([[], WORDS, []]) == [[], TAGS, []]
    assert tagger().tag({"form": []}) == []
    assert entity_model().tag([]) == []
    assert bag_model().tag_many([[], [[]]])[0] == []


@given(
    sentences=st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), max_size=6), max_size=5)
)
def test_any_text_is_tagged_with_known_labels(sentences: list[list[str]]):
    labels = tagger().tag_many(sentences)
    assert [len(row) for row in labels] == [len(row) for row in sentences]
    assert {label for row in labels for label in row} <= set(tagger().labels)
    assert labels == [tagger().tag(sentence) for sentence in sentences]


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        ("the dog", "sentence 1, token 1: expected a list of words, got one string; split it"),
        (None, "sentence 1, token 1: expected a list of words"),
        (["the", 5], "sentence 1, token 2: expected"),
        (["the", None], "sentence 1, token 2: expected"),
        (["the", b"dog"], "sentence 1, token 2: expected"),
        (["the", "\ud800"], "sentence 1, token 2: expected a string of valid Unicode"),
        ([("the", "DT")], "sentence 1, token 1: .* got 2 .*reads: form"),
        ({"word": ["the"]}, "sentence 1: this model reads the columns form; missing: form"),
        ({"form": "the"}, "sentence 1: expected a list of words as column 'form'"),
        ({"form": 5}, "sentence 1: expected a list of words as column 'form'"),
        ({"form": [5]}, "sentence 1, token 1: expected"),
    ],
)
def test_what_is_no_sentence_is_refused_in_one_line(tokens: object, message: str):
    with pytest.raises(DataError, match=message) as error:
        tagger().tag(tokens)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        (["Bonn"], "sentence 1, token 1: expected 2 values per token, got one word .*reads: form pos"),
        ([("Bonn", "NNP"), ("x",)], "sentence 1, token 2: .* got 1"),
        ({"form": ["Bonn"]}, "reads the columns form pos; missing: pos"),
        ({"form": ["Bonn", "x"], "pos": ["NNP"]}, "sentence 1: the columns differ in length: form 2, pos 1"),
    ],
)
def test_all_columns_are_needed(tokens: object, message: str):
    with pytest.raises(DataError, match=message):
        entity_model().tag(tokens)


@pytest.mark.parametrize(
    ("sentences", "where"), [([WORDS, ["a", 5]], "sentence 2, token 2"), (5, "a list of sentences")]
)
def test_errors_name_the_sentence(sentences: object, where: str):
    with pytest.raises(DataError, match=where):
        tagger().tag_many(sentences)


def test_an_error_leaves_the_model_as_it_was():
    expected = tagger().tag_many([words for words, _ in TAGGED])
    for bad in (["new", 5], ["other", "\ud800"]):
        with pytest.raises(DataError):
            tagger().tag(bad)
    assert tagger().tag_many([words for words, _ in TAGGED]) == expected


@pytest.mark.parametrize("threads", [0, -1, 2**70, 1.5, "2", None])
def test_threads_are_a_whole_number(threads: object):
    with pytest.raises(ConfigError, match="threads: expected a whole number") as error:
        tagger().tag_many([WORDS], threads=threads)
    assert "\n" not in str(error.value)


# -- bags of attributes ----------------------------------------------------------------------------------------------


def test_tokens_of_attributes_come_as_lists_or_with_weights():
    model = bag_model()
    assert model.tag([{"w=dog": 1.0, "length": 0.5}, {"w=barks": 1}]) == ["N", "V"]
    assert model.tag([["w=dog", "length"], ("w=barks",)]) == ["N", "V"]
    assert model.tag_corpus(crfsuite_corpus()).texts() == ["N", "V", "N", "V"]


def test_weights_of_attributes_count():
    (token,) = bag_model().explain([{"w=barks": 3.0}])
    (single,) = bag_model().explain([["w=barks"]])
    assert token.scores == pytest.approx(3 * single.scores)
    assert single.scores.any()


@pytest.mark.parametrize(
    ("tokens", "where"),
    [
        (None, "sentence 1: expected a list of feature dicts"),
        ("w=dog", "sentence 1: expected a list of feature dicts"),
        (["w=dog"], "sentence 1, token 1"),
        ([["w=dog"], 5], "sentence 1, token 2"),
        ([[5]], "sentence 1, token 1"),
        ([["\ud800"]], "sentence 1, token 1"),
        ([{"w=dog": ["x", 5]}], "sentence 1, token 1"),
        ([{"w=dog": None}], "sentence 1, token 1"),
        ([{5: 1.0}], "sentence 1, token 1"),
    ],
)
def test_what_is_no_bag_is_refused_in_one_line(tokens: object, where: str):
    with pytest.raises(DataError, match=where) as error:
        bag_model().tag(tokens)
    assert "\n" not in str(error.value)
