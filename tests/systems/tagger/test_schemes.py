"""Label schemes: what a model decides on, what it writes, and that it writes nothing ill-formed."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tagloom
from tagloom.corpus import Column, Corpus, from_sentences
from tagloom.corpus.schemes import check_labels, get_scheme
from tagloom.corpus.spans import convert_labels
from tagloom.errors import ConfigError
from tests.systems.toy import TAGGED, all_rows, entity_model, news

IOB2 = [
    (["Mr.", "Al", "Smith", "left"], ["O", "B-PER", "I-PER", "O"]),
    (["Bonn", "Paris", "met"], ["B-LOC", "B-LOC", "O"]),
    (["New", "York"], ["B-LOC", "I-LOC"]),
]


def converted(scheme: str) -> Corpus:
    """The sentences above in another scheme."""
    corpus = from_sentences([words for words, _ in IOB2], [labels for _, labels in IOB2])
    column = convert_labels(corpus.column("label"), corpus.sentences, get_scheme("IOB2"), get_scheme(scheme))
    return corpus.with_column("label", column)


@pytest.mark.parametrize(
    ("written", "asked", "decided"),
    [
        ("IOB2", None, "BIOES"),
        ("IOB1", None, "BIOES"),
        ("IOB2", "data", "IOB2"),
        ("IOB1", "data", "IOB2"),
        ("BIOES", None, "BIOES"),
        ("BILOU", None, "BILOU"),
        ("IOB2", "BIOES", "BIOES"),
        ("IOB1", "bioes", "BIOES"),
        ("BIOES", "IOB2", "IOB2"),
        ("IOB2", "S/C/N", "SCN"),
    ],
)
def test_a_model_writes_the_scheme_of_its_data(written: str, asked: str | None, decided: str):
    corpus = converted(written)
    model = tagloom.train(corpus, learner="averaged-perceptron", scheme=asked, epochs=20)
    assert (model.spec.scheme, model.spec.written_scheme) == (decided, written)
    assert model.structure.scheme == get_scheme(decided)
    assert model.spec.history[-1].updates == 0
    assert model.tag_many(list(corpus.iter_sentences("form"))) == list(corpus.iter_sentences("label"))


def test_plain_tags_have_no_scheme():
    model = tagloom.train(TAGGED)
    assert (model.spec.scheme, model.spec.written_scheme) == (None, None)


def test_ill_formed_labels_are_mended_before_training():
    # I-PER at the start and B-LOC I-PER: read as conlleval reads them. The first sentences show that it is IOB2.
    broken = [(["al", "left"], ["I-PER", "O"]), (["bonn", "al"], ["B-LOC", "I-PER"])]
    model = tagloom.train(IOB2 * 2 + broken, learner="averaged-perceptron", scheme="data", epochs=20)
    assert model.spec.scheme == "IOB2"
    assert [model.tag(words) for words, _ in broken] == [["B-PER", "O"], ["B-LOC", "B-PER"]]


@pytest.mark.parametrize(
    ("scheme", "message"),
    [("IOB1", "cannot decide on IOB1 labels; choose"), ("BIOE", "unknown label scheme 'BIOE'; did you mean 'BIOES'")],
)
def test_a_scheme_that_cannot_be_decided_on_is_refused(scheme: str, message: str):
    with pytest.raises(ConfigError, match=message):
        tagloom.train(IOB2, scheme=scheme)


def test_only_labels_that_occur_are_learnt():
    corpus = from_sentences([["a", "b"], ["c", "d"]], [["X", "Y"], ["Z", "X"]])
    assert tagloom.train(corpus.slice(0, 1)).labels == ("X", "Y")
    assert tagloom.train(corpus.slice(1, 2)).tag(["c", "d"]) == ["Z", "X"]


def test_a_column_of_words_is_no_column_of_labels():
    words = [f"word{number}" for number in range(5000)]
    with pytest.raises(ConfigError, match="expected at most 4096 distinct labels, got 5000; check the label column"):
        tagloom.train([(words, words)], templates="bias\n")


WORDS = sorted(set(news().column("form").texts()))
TAGS = sorted(set(news().column("pos").texts()))
ROWS = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(TAGS)), max_size=10)


@given(sentences=st.lists(ROWS, max_size=3))
def test_whatever_the_words_no_label_is_out_of_place(sentences: list[list[tuple[str, str]]]):
    labels = entity_model().tag_many(sentences)
    assert [len(row) for row in labels] == [len(row) for row in sentences]
    column = Column.from_strings(itertools.chain.from_iterable(labels))
    offsets = np.cumsum([0, *map(len, labels)])
    check_labels(column.strings.strings(), column.codes, offsets, get_scheme("IOB2"))


def test_the_decided_labels_obey_the_scheme_of_the_model():
    model = entity_model()
    labels = [[e.label for e in model.explain(rows)] for rows in all_rows(news())[:30]]
    column = Column.from_strings(itertools.chain.from_iterable(labels))
    offsets = np.cumsum([0, *map(len, labels)])
    check_labels(column.strings.strings(), column.codes, offsets, get_scheme("BIOES"))
