"""Attributes of tokens in their document, native and the user's own, against the plain truth."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom._core import AttributeStore, StringTable
from tagloom.corpus import Corpus
from tagloom.errors import ConfigError
from tagloom.features import FeatureEncoder, Vocabulary, load_templates
from tagloom.features.matched import STAGE
from tests.features.vocabulary import CLUSTERS, bag_column, clusters
from tests.oracle import documents as oracle
from tests.oracle import stages
from tests.strategies import unhurried

WORDS = st.sampled_from(["Bonn", "bonn", "BONN", "in", "New", "York", "7", "U2", "the", "İ", "of", "-"])
DOCUMENTS = st.lists(st.lists(st.lists(WORDS, max_size=7), min_size=1, max_size=5), min_size=1, max_size=3)
LABELS = ("O", "B-LOC", "I-LOC", "E-LOC", "S-LOC", "B-PER", "E-PER", "S-PER", "NN")

Documents = list[list[list[str]]]


def build(documents: Documents) -> Corpus:
    sentences = [sentence for document in documents for sentence in document]
    words = [word for sentence in sentences for word in sentence]
    return Corpus.from_columns({"form": words}, list(map(len, sentences)), list(map(len, documents)))


def values(text: str, corpus: Corpus, vocabulary: Vocabulary) -> list[list[tuple[str, float]]]:
    """The values of every token."""
    encoder = FeatureEncoder(load_templates(f"{text}[0]\n"), vocabulary)
    assert encoder.sees_documents
    store, batch = encoder.new_store(), encoder.batch(corpus)
    encoder.prepare(store, batch)
    return [store.values(0, token) for token in range(corpus.token_count)]


def texts(text: str, documents: Documents) -> list[list[str]]:
    found = values(text, build(documents), Vocabulary(("form",), resources={"brown": clusters()}))
    return [[value for value, _ in token] for token in found]


def flatten(per_document: Sequence[oracle.Values]) -> list[list[str]]:
    return [token for document in per_document for sentence in document for token in sentence]


@given(documents=DOCUMENTS)
@unhurried
def test_native_attributes_of_documents(documents: Documents) -> None:
    assert texts("context", documents) == flatten(list(map(oracle.context, documents)))
    for n, name in ((0, "context_brown"), (2, "context_brown2")):
        expected = [oracle.context_clusters(document, CLUSTERS, n) for document in documents]
        assert texts(name, documents) == flatten(expected)
    for name, truth in (("document_kind", oracle.kinds), ("sentence_place", oracle.places),
                        ("sentence_case", oracle.cases)):  # fmt: skip
        assert texts(name, documents) == flatten(list(map(truth, documents)))


def test_context_of_many_occurrences_is_that_of_the_nearest_eight() -> None:
    document = [[f"w{n}", "Bonn"] for n in range(20)]
    found = texts("context", [document])[1 + 2 * 10]
    assert [text for text in found if text.startswith("p=")] == [
        f"p=w{n}" for n in (9, 11, 8, 12, 7, 13, 6, 14)
    ]  # fmt: skip
    assert "count=4" in found


def test_context_by_hand() -> None:
    document = [["Ohm", "left", "Bonn"], ["BONN", "Mayor", "said"]]
    first, second = texts("context", [document])[2:4]
    assert first == ["p=_B", "n=mayor", "pp=_B", "nn=said", "case=U", "n_capital", "count=1"]
    assert second == ["p=left", "n=_E", "pp=ohm", "nn=_E", "case=T", "count=1"]


def test_kinds_of_documents() -> None:
    table = [["SOCCER", "RESULTS"], ["Bonn", "2", "Ulm", "1"], ["Kiel", "0", "Jena", "3"]]
    story = [["Bonn", "won", "."], ["Ulm", "lost", "."]]
    assert [texts("document_kind", [each])[0] for each in (table, story, [["BONN", "WINS"]])] == [
        ["table"], ["story"], ["headline"],
    ]  # fmt: skip


# -- what a first stage predicts ---------------------------------------------------------------------------------------

WEIGHTS = st.sampled_from([1.0, 0.5, 0.25, 0.01, 0.015625, 0.9, 0.3])


@st.composite
def predictions(draw: st.DrawFn) -> tuple[Documents, list[stages.Predictions]]:
    documents = draw(DOCUMENTS)
    bag = st.dictionaries(st.sampled_from(LABELS), WEIGHTS, max_size=3)
    drawn = [
        [draw(st.lists(bag, min_size=len(sentence), max_size=len(sentence))) for sentence in document]
        for document in documents
    ]
    return documents, drawn


def read_stage(name: str, documents: Documents, predicted: list[stages.Predictions]) -> list[list[tuple[str, float]]]:
    tokens = [list(token.items()) for document in predicted for sentence in document for token in sentence]
    corpus = build(documents).with_column(STAGE, bag_column(tokens))
    return values(name, corpus, Vocabulary(("form", STAGE), frozenset({STAGE})))


@given(case=predictions())
@unhurried
def test_attributes_of_the_second_stage(case: tuple[Documents, list[stages.Predictions]]) -> None:
    documents, predicted = case
    for name, truth in stages.TRUTH.items():
        expected = [
            [(text, pytest.approx(weight, rel=1e-6)) for text, weight in token]
            for document, probabilities in zip(documents, predicted)
            for sentence in truth(document, probabilities)
            for token in sentence
        ]
        assert read_stage(name, documents, predicted) == expected, name


@given(case=predictions(), data=st.data())
@unhurried
def test_what_is_predicted_in_a_sentence_does_not_change_what_the_second_stage_sees_there(
    case: tuple[Documents, list[stages.Predictions]], data: st.DataObject
) -> None:
    documents, predicted = case
    number = data.draw(st.integers(0, len(documents[0]) - 1))
    bag = st.dictionaries(st.sampled_from(LABELS), WEIGHTS, max_size=3)
    length = len(documents[0][number])
    other = [list(document) for document in predicted]
    other[0][number] = data.draw(st.lists(bag, min_size=length, max_size=length))
    begin = sum(map(len, documents[0][:number]))
    for name in stages.TRUTH:
        seen = [read_stage(name, documents, each)[begin : begin + length] for each in (predicted, other)]
        assert seen[0] == seen[1], name


def test_the_second_stage_by_hand() -> None:
    documents = [[["Bonn", "won"], ["in", "Bonn"], ["Bonn"]], [["Bonn"]]]
    loc, per = {"S-LOC": 0.75, "O": 0.25}, {"S-PER": 0.5, "O": 0.5}
    predicted = [[[loc, {}], [{}, loc], [per]], [[loc]]]
    found = read_stage("stage_word", documents, predicted)
    assert found[0] == [("LOC", 0.375), ("O", 0.375), ("PER", 0.25), ("LOC?2", 1.0)]
    assert found[-1] == [("none", 1.0)]
    assert read_stage("stage_entity", documents, predicted)[4] == [("S-LOC", 1.0)]


def test_templates_of_the_second_stage_need_a_first_one() -> None:
    with pytest.raises(ConfigError, match="stage_word is of the second stage; train with stages=2"):
        FeatureEncoder(load_templates("stage_word[0]\n"), Vocabulary(("form",)))


def test_the_core_refuses_what_does_not_fit() -> None:
    encoder = FeatureEncoder(load_templates("document_kind[0]\n"), Vocabulary(("form",)))
    corpus = build([[["a"], ["b"]]])
    column = corpus.column("form")
    store: AttributeStore = encoder.new_store()
    batch = column.strings, column.codes, corpus.sentences
    with pytest.raises(ValueError, match="document offsets do not span the sentences"):
        store.find_document_kinds(0, *batch, corpus.documents[:1])
    with pytest.raises(ValueError, match="document offsets do not span the sentences"):
        store.find_document_kinds(0, *batch, corpus.documents + 1)
    labels = StringTable()
    labels.intern("O")
    bag = column.codes[:0], corpus.sentences * 0, encoder_values()
    store.read_stage(0, 0, labels, *bag, *batch, corpus.documents)
    with pytest.raises(ValueError, match="no such evidence"):
        store.read_stage(0, 5, labels, *bag, *batch, corpus.documents)
    with pytest.raises(ValueError, match="expected one bag of labels per token"):
        store.read_stage(0, 0, labels, bag[0], bag[1][:1], bag[2], *batch, corpus.documents)
    with pytest.raises(ValueError, match="label out of range"):
        store.read_stage(0, 0, labels, column.codes + 1, corpus.sentences, bag[2], *batch, corpus.documents)


def encoder_values() -> object:
    from tagloom.features.encoder import NO_VALUES

    return NO_VALUES


# -- the user's own ----------------------------------------------------------------------------------------------------


def place(sentences: Sequence[Sequence[str]]) -> list[list[str]]:
    """The number of the sentence, and how many there are."""
    return [[f"{s + 1} of {len(sentences)}" for _ in words] for s, words in enumerate(sentences)]


def of_document(function: object, documents: Documents) -> list[list[tuple[str, float]]]:
    return values("f", build(documents), Vocabulary(("form",), document_attributes={"f": function}))  # type: ignore[dict-item]


def test_a_function_of_the_document() -> None:
    found = of_document(place, [[["a", "b"], ["c"]], [["d"]]])
    assert found == [[("1 of 2", 1.0)], [("1 of 2", 1.0)], [("2 of 2", 1.0)], [("1 of 1", 1.0)]]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda sentences: 7, "attribute 'f' returned 7: expected values for every sentence"),
        (lambda sentences: [], "attribute 'f': expected values for the 2 sentences of a document, got 0"),
        (lambda sentences: [["x"], []], "attribute 'f': expected 2 values for the 2 tokens of a sentence, got 1"),
        (lambda sentences: [5, 5], "attribute 'f' returned 5: expected a value for every token"),
        (lambda sentences: [[1, 2], [3]], "attribute 'f' returned 1: expected a string"),
    ],
)
def test_what_a_function_of_the_document_must_not_return(function: object, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        of_document(function, [[["a", "b"], ["c"]]])
