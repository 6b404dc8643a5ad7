"""model.nbest: labels, scores, probabilities, constraints, schemes, and what it refuses."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

import tagloom
from tagloom.errors import ConfigError
from tests.systems.toy import TAGGED, entity_model, news, rows, tagger

WORDS = ["the", "dog", "sleeps"]


def test_the_first_is_what_tag_gives_and_scores_fall():
    for words, _ in TAGGED:
        found = tagger().nbest(words, 20)
        assert found[0].labels == tagger().tag(words)
        assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
        assert len({tuple(each.labels) for each in found}) == 20
        assert all(each.probability is None for each in found)


def test_all_sequences_of_a_sentence():
    found = tagger().nbest(WORDS, 100_000)
    expected = set(itertools.product(tagger().labels, repeat=3))
    assert {tuple(each.labels) for each in found} == expected
    assert len(found) == len(expected)
    assert [each.labels for each in tagger().nbest([], 3)] == [[]]


@pytest.mark.parametrize("learner", ["lbfgs", "sgd"])
def test_probabilities_of_all_sequences_sum_to_one(learner: str):
    model = tagloom.train(TAGGED, learner=learner)
    found = model.nbest(WORDS, 100_000)
    assert math.fsum(each.probability for each in found) == pytest.approx(1, abs=1e-4)
    for each in found[:20]:
        assert each.probability == pytest.approx(model.probability(WORDS, each.labels), rel=1e-3)


def test_probabilities_under_constraints_are_those_of_what_is_left():
    model = tagloom.train(TAGGED, learner="lbfgs")
    found = model.nbest(WORDS, 1000, [None, ["NN", "DT"], "VBZ"])
    assert math.fsum(each.probability for each in found) == pytest.approx(1, abs=1e-4)
    assert len(found) == 2 * len(model.labels)


def test_constraints_hold_in_every_sequence():
    found = tagger().nbest(WORDS, 1000, [None, ["NN", "NNS"], "DT"])
    assert len(found) == 2 * len(tagger().labels)
    assert {each.labels[1] for each in found} == {"NN", "NNS"}
    assert {each.labels[2] for each in found} == {"DT"}
    with pytest.raises(ConfigError, match="constraints"):
        tagger().nbest(WORDS, 3, [None])
    with pytest.raises(tagloom.TagloomError, match="label"):
        tagger().nbest(WORDS, 3, [None, "nonsense", None])


def test_labels_are_written_in_the_scheme_of_the_data():
    model = entity_model()  # decides on BIOES, writes IOB2
    for index in range(0, 40, 5):
        found = model.nbest(rows(news(), index), 30)
        assert found[0].labels == model.tag(rows(news(), index))
        prefixes = {label[0] for each in found for label in each.labels}
        assert prefixes <= {"O", "B", "I"}
        assert len({tuple(each.labels) for each in found}) == len(found)
    iob1 = [(["EU", "Bonn", "now"], ["I-ORG", "I-LOC", "O"]), (["New", "York", "Rome"], ["I-LOC", "I-LOC", "B-LOC"])]
    model = tagloom.train(iob1, scheme="BIOES", epochs=5)
    assert (model.spec.scheme, model.spec.written_scheme) == ("BIOES", "IOB1")
    found = model.nbest(["New", "York", "Rome"], 2000)
    assert found[0].labels == ["I-LOC", "I-LOC", "B-LOC"]
    texts = [tuple(each.labels) for each in found]
    assert ("I-LOC", "B-LOC", "B-LOC") in texts
    assert not any(labels[0].startswith("B") for labels in texts)  # IOB1 needs a B- only between equal neighbours
    assert len(set(texts)) == len(texts)


def test_sentences_of_a_corpus_with_any_number_of_threads():
    corpus = news().slice(0, 12)
    one, other = (entity_model().nbest_corpus(corpus, 5, threads) for threads in (1, 2))
    assert one == other
    assert [each[0].labels for each in one] == [entity_model().tag(rows(corpus, i)) for i in range(12)]
    assert one[3] == entity_model().nbest(rows(corpus, 3), 5)


@pytest.mark.parametrize("n", [0, -1, 100_001, "x", 1.5, None])
def test_other_numbers_are_refused_in_one_line(n: object):
    for call in (lambda: tagger().nbest(WORDS, n), lambda: entity_model().nbest_corpus(news().slice(0, 1), n)):
        with pytest.raises(ConfigError, match=r"n: expected a whole number( from 1 to 100000)?, got") as error:
            call()
        assert "\n" not in str(error.value)


def test_models_without_weights_rank_by_the_numbers_of_labels():
    model = tagloom.train(TAGGED, learner="perceptron", epochs=1)
    zero = tagloom.Tagger(model.spec, replace(model.parameters, weights=model.parameters.weights * 0))
    labels = zero.labels
    expected = sorted(itertools.product(range(len(labels)), repeat=3), key=lambda codes: codes[::-1])[:30]
    found = zero.nbest(WORDS, 30)
    assert [each.labels for each in found] == [[labels[code] for code in codes] for codes in expected]
    assert {each.score for each in found} == {0.0}


def test_weights_that_are_no_numbers_do_not_crash():
    parameters = tagger().parameters
    for value in (np.nan, np.inf, -np.inf):
        changed = replace(parameters, weights=parameters.weights + np.float32(value))
        wild = tagloom.Tagger(tagger().spec, changed)
        assert all(math.isfinite(each.score) for each in wild.nbest(WORDS, 10))
