"""Probabilities of a model against the sum over all label sequences; posterior decoding."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tagloom
from tagloom.errors import ConfigError
from tests.systems.toy import TAGGED, all_rows, entity_model, news, rows, tagger

WORDS = ["the", "cats", "bark"]


@pytest.fixture(scope="module")
def crf() -> tagloom.Tagger:
    return tagloom.train(TAGGED, learner="lbfgs", epochs=5, templates="form[0]\nsuffix2[0]\n/ edge\n")


def test_probabilities_of_all_sequences_sum_to_one(crf: tagloom.Tagger):
    everything = {y: crf.probability(WORDS, y) for y in itertools.product(crf.labels, repeat=len(WORDS))}
    assert math.fsum(everything.values()) == pytest.approx(1, abs=1e-5)
    assert max(everything, key=everything.__getitem__) == tuple(crf.tag(WORDS))
    for token, label in itertools.product(range(len(WORDS)), range(len(crf.labels))):
        share = math.fsum(p for y, p in everything.items() if y[token] == crf.labels[label])
        assert crf.marginals(WORDS)[token, label] == pytest.approx(share, abs=1e-5)


def test_constraints_condition_the_marginals(crf: tagloom.Tagger):
    marginals = crf.marginals(WORDS, [None, "NNS", ("VBP", "VBZ")])
    assert marginals[1].tolist() == [float(label == "NNS") for label in crf.labels]
    assert marginals[2][[crf.labels.index("VBP"), crf.labels.index("VBZ")]].sum() == pytest.approx(1, abs=1e-6)
    with pytest.raises(ConfigError, match="constraints"):
        crf.marginals(WORDS, [None])


def test_rounding_lifts_no_confidence_above_one(monkeypatch: pytest.MonkeyPatch):
    learned = tagloom.train(
        news(), label="pos", learner="averaged-perceptron", epochs=5, templates="form[{-1..1}]\nsuffix2[0]\n/ edge\n"
    )
    rounded: list[float] = []
    sum_up = tagloom.Tagger._sum_up

    def record(self: tagloom.Tagger, *arguments: Any) -> Any:
        found = sum_up(self, *arguments)
        rounded.append(float(found[0].max()))
        return found

    monkeypatch.setattr(tagloom.Tagger, "_sum_up", record)
    for temperature in (1.0, 0.5, 0.3, 0.1):
        model = tagloom.Tagger(replace(learned.spec, temperature=temperature), learned.parameters, learned.resources)
        _, confidences = model.confidences(news())
        assert 0.9 < confidences.max() <= 1
    assert 1 < max(rounded) < 1 + 1e-4


def test_labels_are_taken_as_the_model_writes_them():
    model = entity_model()  # decides on BIOES, writes IOB2
    for index in range(3):
        sentence = rows(news(), index)
        assert 0 < model.probability(sentence, model.tag(sentence), calibrated=False) <= 1
    assert model.probability([("and", "CC"), ("he", "PRP")], ["O", "O"], calibrated=False) > 0
    with pytest.raises(ConfigError, match="unknown label 'X'"):
        tagger().probability(["a"], ["X"], calibrated=False)
    with pytest.raises(ConfigError, match="expected 1, one per token, got 2"):
        tagger().probability(["a"], ["DT", "NN"], calibrated=False)
    with pytest.raises(ConfigError, match=r"labels: expected a list of .*, got None"):
        tagger().probability(["a"], None, calibrated=False)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="unknown decoder 'best'"):
        tagger().tag(["a"], decoder="best")


def test_the_empty_sentence_is_certain(crf: tagloom.Tagger):
    assert crf.probability([], []) == 1
    assert crf.marginals([]).shape == (0, len(crf.labels))
    assert crf.tag([], decoder="posterior") == []


def test_posterior_decoding_writes_legal_labels_and_may_be_shared_by_threads():
    model, sentences = entity_model(), all_rows(news())[:40]
    one = model.tag_many(sentences, decoder="posterior")
    assert one == model.tag_many(sentences, decoder="posterior", threads=3)
    assert all(not (b.startswith("I-") and a == "O") for labels in one for a, b in itertools.pairwise(labels))
    assert model.tag(sentences[0], ["O"] * len(sentences[0]), decoder="posterior") == ["O"] * len(sentences[0])


def test_confidences_are_the_marginals_of_the_labels(crf: tagloom.Tagger):
    corpus = tagloom.from_sentences([WORDS, ["a", "dog"]])
    labels, confidences = crf.confidences(corpus)
    expected = [m[crf.labels.index(y)] for s in (WORDS, ["a", "dog"]) for m, y in zip(crf.marginals(s), crf.tag(s))]
    assert labels.texts() == crf.tag(WORDS) + crf.tag(["a", "dog"])
    assert np.array_equal(confidences, np.array(expected, np.float32))


def test_marginals_of_a_corpus_are_those_of_its_sentences(crf: tagloom.Tagger):
    sentences = [words for words, _ in TAGGED] + [[], WORDS]
    for threads in (1, 2):
        found = crf.marginals_corpus(sentences, threads)
        np.testing.assert_array_equal(found, np.concatenate([crf.marginals(words) for words in sentences]))
    with pytest.raises(ConfigError, match="marginals: the scores of pa are not probabilities"):
        tagloom.train(TAGGED, learner="pa").marginals_corpus(sentences)
    raw = tagloom.train(TAGGED, learner="pa").marginals_corpus(sentences, calibrated=False)
    np.testing.assert_allclose(raw.sum(axis=1), 1, atol=1e-5)


def test_numbers_of_labels_by_what_is_written(crf: tagloom.Tagger):
    assert crf.label_numbers == {label: [number] for number, label in enumerate(crf.labels)}
    spans = tagloom.train(
        [(["in", "New", "York", "or", "Bonn"], ["O", "B-LOC", "I-LOC", "O", "B-LOC"])], scheme="BIOES"
    )
    written = {label: [spans.labels[number] for number in numbers] for label, numbers in spans.label_numbers.items()}
    assert {label: sorted(names) for label, names in written.items()} == {
        "O": ["O"],
        "B-LOC": ["B-LOC", "S-LOC"],
        "I-LOC": ["E-LOC"],
    }


def test_an_unknown_decoder_is_refused():
    with pytest.raises(ConfigError, match="unknown decoder 'viterby'; did you mean 'viterbi'"):
        tagger().tag(["a"], decoder="viterby")


def test_the_signature_states_the_settings_of_the_learner():
    model = tagloom.train(TAGGED, learner="madf", c2=0.25, rate=0.5, epochs=1)
    assert "|learner:madf,c2=0.25,rate=0.5|" in str(model.spec.signature)
    assert "|learner:madf,c2=0.25,rate=0.5|" in str(model.partial_fit(TAGGED[:1]).spec.signature)
