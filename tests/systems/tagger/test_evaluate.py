"""Evaluation: the score that fits the labels, known and unknown words, and the signature."""

from __future__ import annotations

import pytest

import tagloom
from tagloom.corpus import Corpus, from_sentences
from tagloom.errors import ConfigError, DataError
from tagloom.evaluate import SegmentationScore, SpanScore, TagScore, score
from tests.systems.toy import TAGGED, bag_model, crfsuite_corpus, entity_model, news, tagger


def corpus_of(*pairs: tuple[list[str], list[str]]) -> Corpus:
    return from_sentences([words for words, _ in pairs], [labels for _, labels in pairs])


def test_every_score_prints_its_signature():
    result = tagger().evaluate(corpus_of(*TAGGED))
    signature = str(result).splitlines()[-1]
    assert signature == f"{tagger().spec.signature}|rule:accuracy"
    for choice in ("tagloom:", "system:tagger", "learner:averaged-perceptron", "templates:words", "seed:1", "data:"):
        assert choice in signature
    assert result.to_dict()["signature"] == signature
    assert tagger().spec.data == corpus_of(*TAGGED).checksum()


def test_tags_are_split_into_known_and_unknown_words():
    # "dog" is known; "zebra" is not.
    corpus = corpus_of((["the", "dog"], ["DT", "NN"]), (["the", "zebra"], ["DT", "XX"]))
    result = tagger().evaluate(corpus)
    assert isinstance(result, TagScore)
    assert (result.accuracy, result.known, result.unknown) == (75.0, 100.0, 0.0)
    assert "known 100.00 of 3, unknown 0.00 of 1" in str(result)


def test_words_of_a_slice_are_known_only_if_they_are_in_it():
    whole = corpus_of((["a"], ["X"]), (["b"], ["Y"]))  # both slices share one table of strings
    model = tagloom.train(whole.slice(0, 1))
    assert model.evaluate(whole.slice(0, 1)).unknown is None
    assert model.evaluate(whole.slice(1, 2)).known is None


def test_entities_are_scored_by_f1():
    result = entity_model().evaluate(news())
    gold, predicted = news().column("ner"), entity_model().tag_corpus(news())
    plain = score(gold, predicted, news().sentences)
    assert isinstance(result, SpanScore)
    assert (result.overall, result.by_type) == (plain.overall, plain.by_type)
    assert result.rule == "conlleval"
    assert entity_model().evaluate(news(), rule="strict").rule == "strict"
    assert entity_model().evaluate(news(), threads=3).overall == result.overall


def test_segmentation_tells_words_in_and_out_of_vocabulary():
    # Words of the training data: ab, c, abc. "a" and "b" are characters there, no words.
    train = corpus_of((list("abc"), list("BES")), (list("abc"), list("BME")))
    model = tagloom.train(train, epochs=3)
    gold = corpus_of((list("abcab"), list("BESSS")))
    result = model.evaluate(gold)
    assert isinstance(result, SegmentationScore)
    counts = result.counts.by_kind()
    assert (counts["in vocabulary"].gold, counts["out of vocabulary"].gold) == (2, 2)
    assert result.oov_rate == 50.0
    assert 0.0 <= result.oov_recall <= 100.0


def test_a_perfect_segmenter_recalls_every_word():
    train = corpus_of((list("abcab"), list("BESBE")), (list("cc"), list("SS")))
    result = tagloom.train(train, epochs=20).evaluate(train)
    assert (result.overall.f1, result.iv_recall, result.oov_rate) == (100.0, 100.0, 0.0)
    assert result.oov_recall is None


def test_bags_have_no_words_to_know():
    result = bag_model().evaluate(crfsuite_corpus())
    assert (result.accuracy, result.known, result.unknown) == (100.0, None, None)


def test_labels_unseen_in_training_are_errors():
    result = tagger().evaluate(corpus_of((["the", "dog"], ["DT", "FW"])))
    assert result.accuracy == 50.0


@pytest.mark.parametrize(("columns", "missing"), [("form ner", "pos"), ("form pos", "ner")])
def test_missing_columns_are_named(columns: str, missing: str):
    found = f"missing column: {missing} .the model reads form pos ner, found {columns}."
    with pytest.raises(DataError, match=found):
        entity_model().evaluate(from_sentences([[("Bonn", "O")]], columns=columns))
    with pytest.raises(ConfigError, match="unknown scoring rule 'conleval'; did you mean 'conlleval'"):
        entity_model().evaluate(news(), rule="conleval")
