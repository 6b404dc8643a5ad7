"""MaxEnt taggers as models: decoding, probabilities, n best, files, warm starts, and what does not fit them."""

from __future__ import annotations

import functools
import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tagloom
from tagloom.errors import ConfigError
from tagloom.systems import Model
from tagloom.systems.parser.options import ParserOptions
from tests.systems.tagger.test_history import error_of
from tests.systems.toy import CRFSUITE, TAGGED, all_rows, news, news_split, weights

TEMPLATES = "form[{-1..1}]\npos[0]\npos[-1] pos[0] / edge\n/ edge\n"
NAMES = ("maxent", "maxent-gis", "maxent-sgd")
ORDERS = [("left-to-right", 1), ("left-to-right", 2), ("right-to-left", 1), ("right-to-left", 2)]
orders = pytest.mark.parametrize(("direction", "history"), ORDERS)
names = pytest.mark.parametrize("learner", NAMES)
WORDS = ["the", "dog", "sleeps"]


@functools.cache
def model(direction: str = "left-to-right", history: int = 2, learner: str = "maxent") -> Model:
    """An entity tagger with edge features that decides on BIOES and writes IOB2."""
    order = {"direction": direction, "history": history}
    return tagloom.train(news(), learner=learner, templates=TEMPLATES, scheme="BIOES", epochs=8, **order)


@functools.cache
def tagger(history: int = 2, **options: Any) -> Model:
    return tagloom.train(TAGGED, learner="maxent", history=history, **options)


# -- probabilities ---------------------------------------------------------------------------------------------------


@orders
def test_candidates_have_the_probabilities_of_their_labels(direction: str, history: int):
    own = model(direction, history)
    for rows in all_rows(news())[:10]:
        found = own.nbest(rows, 4)
        assert found[0].labels == own.tag(rows)
        for each in found:
            assert each.probability == pytest.approx(own.probability(rows, each.labels), rel=1e-4)
            assert each.probability == pytest.approx(math.exp(each.score))


@pytest.mark.parametrize("history", [1, 2])
@pytest.mark.parametrize("tag_dictionary", [0, 1])
def test_probabilities_of_all_labellings_sum_to_one(history: int, tag_dictionary: int):
    own = tagger(history, tag_dictionary=tag_dictionary)
    labellings = list(itertools.product(own.labels, repeat=3))
    by_labels = {labels: own.probability(WORDS, labels) for labels in labellings}
    assert math.fsum(by_labels.values()) == pytest.approx(1, abs=1e-5)
    found = own.nbest(WORDS, 1000)
    assert len(found) == sum(p > 0 for p in by_labels.values())
    marginals = np.zeros((3, len(own.labels)))
    for labels, probability in by_labels.items():
        marginals[range(3), [own.labels.index(label) for label in labels]] += probability
    assert own.marginals(WORDS) == pytest.approx(marginals, abs=1e-5)


def test_constraints_are_conditions_of_every_decision():
    own = tagger()
    constraints = [None, ["NN", "NNS"], "VBZ"]
    found = own.nbest(WORDS, 1000, constraints)
    assert len(found) == 2 * len(own.labels)
    assert math.fsum(each.probability for each in found) == pytest.approx(1, abs=1e-5)
    assert own.marginals(WORDS, constraints)[2, own.labels.index("VBZ")] == pytest.approx(1)
    assert own.tag(WORDS, constraints) == found[0].labels
    assert own.nbest([], 3)[0].labels == []
    assert own.probability([], []) == 1.0


def test_marginals_and_confidences_are_probabilities():
    own, rows = model(), all_rows(news())[0]
    labels, confidences = own.confidences(news().slice(0, 5))
    marginals = own.marginals(rows)
    assert confidences[: len(rows)].max() <= 1
    assert marginals.sum(axis=1) == pytest.approx(1, abs=1e-5)
    assert labels.codes.shape == confidences.shape


# -- learning and files ----------------------------------------------------------------------------------------------


@names
@orders
def test_the_score_of_development_is_that_of_the_model(learner: str, direction: str, history: int):
    train, dev = news_split()
    options: dict[str, Any] = {"direction": direction, "history": history, "epochs": 3, "templates": TEMPLATES}
    trained = tagloom.train(train, dev=dev, learner=learner, threads=2, **options)
    assert max(record.dev_score for record in trained.spec.history) == trained.evaluate(dev).value
    alone = tagloom.train(train, dev=dev, learner=learner, threads=1, **options)
    assert (weights(alone), alone.spec) == (weights(trained), trained.spec)


@names
def test_a_file_gives_the_same_model(learner: str, tmp_path: Path):
    own = model(learner=learner)
    own.save(tmp_path / "m")
    other = tagloom.load(tmp_path / "m")
    assert other.spec.search == own.spec.search
    assert other.spec.search.normalised
    rows = all_rows(news())[:10]
    assert other.tag_many(rows) == own.tag_many(rows)
    assert other.nbest(rows[0], 3) == own.nbest(rows[0], 3)
    assert other.evaluate(news(), beam=3).signature == own.evaluate(news(), beam=3).signature
    assert "search:beam=3" in str(own.evaluate(news(), beam=3).signature)
    assert own.tag(rows[0], beam=1) == own.tag(rows[0], beam=1, decoder="beam")


def test_defaults_are_those_of_the_paper():
    spec = tagloom.train(TAGGED, learner="maxent-gis", epochs=1).spec
    assert (spec.search.beam, spec.search.history, spec.search.direction) == (20, 2, "left-to-right")
    assert tagloom.LEARNERS["maxent-gis"].epochs == 100


@pytest.mark.parametrize("learner", ["maxent", "maxent-gis"])
def test_a_label_cutoff_makes_the_model_smaller(learner: str):
    options = {"learner": learner, "epochs": 4, "templates": "form[0]\npos[0]\n"}
    small, large = (tagloom.train(news(), label_cutoff=cutoff, **options) for cutoff in (5, 1))
    assert 0 < np.count_nonzero(small.parameters.weights) < np.count_nonzero(large.parameters.weights)
    assert small.spec.settings["label_cutoff"] == 5


@names
def test_a_training_goes_on_from_a_model(learner: str):
    first = tagloom.train(TAGGED[:2], learner=learner, history=1)
    more = first.partial_fit(TAGGED[2:])
    assert (more.spec.search, more.spec.learner) == (first.spec.search, learner)
    assert tagloom.train(TAGGED, start=tagger(1), learner="lookahead-perceptron").spec.search.history == 1
    assert tagloom.train(TAGGED, start=tagger(), learner="lookahead-perceptron").spec.search.history == 2
    plain = tagloom.train(TAGGED, learner="lookahead-perceptron", epochs=2)
    assert tagloom.train(TAGGED, start=plain, learner=learner, epochs=2).spec.search.history == 1


def test_explanations_are_of_the_decisions():
    for explanation, label in zip(tagger().explain(WORDS), tagger().tag(WORDS), strict=True):
        assert explanation.label == label
        assert explanation.top(3)


# -- what does not fit -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("decoder", ["viterbi", "posterior", "lookahead"])
@pytest.mark.parametrize("history", [1, 2])
def test_only_the_beam_decodes(decoder: str, history: int):
    assert error_of(tagger(history).tag, WORDS, decoder=decoder) == (
        f"decoder {decoder!r}: this model has probabilities of decisions; only beam fits it"
    )
    assert error_of(tagger(history).tag, WORDS, depth=1).startswith("decoder 'lookahead': this model has")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"learner": "maxent", "depth": 1}, "learner 'maxent' has no 'depth'; it takes: beam, c2, direction, history"),
        ({"learner": "maxent-gis", "c2": 1}, "learner 'maxent-gis' has no 'c2'; it takes: beam, direction, history"),
        ({"learner": "maxent-sgd", "node_labels": "all"}, "learner 'maxent-sgd' has no 'node_labels'; it takes: "),
        ({"learner": "maxent-sgd", "label_cutoff": 5}, "learner 'maxent-sgd' has no 'label_cutoff'; it takes: "),
        ({"learner": "maxent", "history": 3}, "history: expected a whole number from 1 to 2, got 3"),
        ({"learner": "maxent", "label_cutoff": 0}, "label_cutoff: expected a whole number from 1 to"),
        (
            {"learner": "maxent", "label_cutoff": 2, "node_labels": "all"},
            "label_cutoff: needs node_labels 'seen', got 2 with 'all'",
        ),
        ({"learner": "maxent", "averaging": "lazy"}, "step 'lbfgs' does not go with averaging 'lazy'"),
        ({"learner": "maxent", "sequences": "documents"}, "learner 'maxent' learns from sentences: sequences must be"),
    ],
)
def test_bad_settings_are_one_line(options: dict[str, Any], message: str):
    assert error_of(tagloom.train, TAGGED, **options).startswith(message)


def test_negative_values_and_parsers_are_refused(tmp_path: Path):
    (tmp_path / "x.crfsuite").write_text(CRFSUITE.replace("0.5", "-0.5"))
    with pytest.raises(ConfigError, match="expected feature values of 0 or more, got negative ones"):
        tagloom.train(tmp_path / "x.crfsuite", learner="maxent-gis", format="crfsuite")
    assert tagloom.train(tmp_path / "x.crfsuite", learner="maxent", format="crfsuite").tag([["w=dog"]]) == ["N"]
    with pytest.raises(ConfigError, match="does not parse"):
        ParserOptions(learner="maxent")
