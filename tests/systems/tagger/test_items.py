"""Taggers of feature dicts: trained, used and scored like any other; looking features up directly changes nothing."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tagloom
from tagloom.corpus import from_feature_dicts, to_corpus
from tagloom.errors import ConfigError, DataError
from tagloom.systems.tagger.model import Tagger

DICTS: list[Any] = [
    ([{"w": "the", "cap": False}, {"w": "dog", "suffix": ["g", "og"], "n": 2.5}], ["DT", "NN"]),
    ([{"w": "a", "cap": True}, {"w": "cat", "suffix": {"1": "t", "2": "at"}}], ["DT", "NN"]),
    ([{"w": "dogs"}, {"w": "bark", "n": -1}], ["NN", "VB"]),
]
LISTS: list[Any] = [([list(item) for item in items], labels) for items, labels in DICTS]
LEARNERS = ("averaged-perceptron", "lbfgs", "lookahead-perceptron")


@functools.cache
def make_model(learner: str = "lbfgs", templates: str | None = None) -> Tagger:
    model: Tagger = tagloom.train(DICTS, learner=learner, templates=templates, epochs=5)
    return model


@pytest.mark.parametrize("data", [DICTS, LISTS, iter(DICTS), [(tuple(x), tuple(y)) for x, y in DICTS]])
def test_pairs_of_items_and_labels_are_a_corpus(data: Any) -> None:
    corpus = to_corpus(data)
    assert corpus.names == ["label", "attributes"]
    assert corpus.sentence(0, "label") == ["DT", "NN"]
    assert corpus.sentences.tolist() == [0, 2, 4, 6]


def test_sentences_of_dicts_are_a_corpus_and_lists_are_on_request() -> None:
    assert to_corpus([items for items, _ in DICTS]).names == ["attributes"]
    assert to_corpus([[["He", "PRP"], ["left", "VBD"]], [["Yes", "UH"]]]).names == ["form", "label"]
    assert to_corpus([[["He", "PRP"], ["left", "VBD"]], [["Yes", "UH"]]], attributes=True).names == ["attributes"]


names = st.sampled_from(["w", "the", "n", "suffix", "cap"]) | st.text(max_size=3)
values = names | st.floats(-9, 9) | st.booleans() | st.lists(names, max_size=3)
items = st.dictionaries(names, values, max_size=5) | st.lists(names | st.just("w:the"), max_size=5)


@given(st.lists(st.lists(items, max_size=5), max_size=4), st.sampled_from(LEARNERS))
def test_direct_lookup_gives_what_a_corpus_gives(sequences: list[Any], learner: str) -> None:
    model = make_model(learner)
    corpus = from_feature_dicts(sequences)
    labels = list(model.annotate(corpus).iter_sentences("label"))
    assert model.tag_many(sequences) == labels
    assert [model.tag(sequence) for sequence in sequences] == labels
    assert list(model.annotate(sequences).iter_sentences("label")) == labels
    if learner == "lbfgs" and corpus.token_count:
        confidences = model.confidences(corpus, decoder="viterbi")[1]
        found = [model.marginals(sequence).max(axis=1) for sequence in sequences if sequence]
        assert np.concatenate(found).min() >= confidences.min() - 1e-6
        best = [model.nbest(sequence, 1)[0].labels for sequence in sequences]
        assert list(map(list, best)) == labels


@given(st.lists(items, max_size=4))
def test_neighbours_and_normal_forms_take_the_general_path(sequence: list[Any]) -> None:
    wide = make_model("averaged-perceptron", "attributes[-1]\nattributes[0]\n/ edge")
    assert wide.tag(sequence) == wide.annotate([sequence]).sentence(0, "label")


def test_evaluate_explain_and_save(tmp_path: Path) -> None:
    model = make_model()
    assert model.evaluate(DICTS).accuracy == 100
    assert model.evaluate(from_feature_dicts(*zip(*DICTS))).accuracy == 100
    assert [token.label for token in model.explain(DICTS[0][0])] == ["DT", "NN"]
    model.save(tmp_path / "model")
    loaded = tagloom.load(tmp_path / "model")
    assert loaded.tag(DICTS[1][0]) == ["DT", "NN"]
    assert loaded.partial_fit(LISTS).tag(LISTS[0][0]) == ["DT", "NN"]


def test_numbers_count() -> None:
    model = make_model()
    weights = [model.marginals([{"n": value}])[0].tolist() for value in (0.0, 1.0, 2.0)]
    assert weights[0] != weights[1] != weights[2]


def test_what_is_no_item_is_refused_in_one_line() -> None:
    model = make_model()
    for call in (model, lambda text: list(model.pipe([text]))):
        with pytest.raises(ConfigError, match="reads feature dicts"):
            call("the dog")
    with pytest.raises(ConfigError, match="reads feature dicts"):
        model(DICTS[0][0])
    for wrong in (["the", "dog"], "the dog", [{"a": None}], 3, [{"n": float("nan")}]):
        with pytest.raises(DataError):
            model.tag(wrong)  # type: ignore[arg-type]
    for data in ([["the", "dog"]], {"form": [["the"]]}, [{"tokens": ["the"]}]):
        with pytest.raises(DataError):
            model.annotate(data)
    with pytest.raises(DataError, match="attributes"):
        tagloom.train([(["the"], ["DT"])]).annotate(from_feature_dicts([[{"a": 1}]]))


def test_words_are_not_taken_for_attributes(tmp_path: Path) -> None:
    file = tmp_path / "words.conll"
    file.write_text("the DT\ndog NN\n\n")
    for use in (make_model().annotate, make_model().evaluate):
        with pytest.raises(DataError, match="holds one word per token, but the model reads a bag of attributes"):
            use(file)
