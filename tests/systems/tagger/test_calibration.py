"""Calibrated confidences: the temperature of a model, how it is found, and who has one."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tagloom
from tagloom.corpus import Corpus
from tagloom.datasets import newswire
from tagloom.errors import ConfigError
from tagloom.evaluate import expected_calibration_error
from tagloom.systems.tagger.calibrate import TokenLoss, minimise
from tests.systems.toy import TAGGED, news, news_split, tagger, weights

WORDS = ["the", "cats", "bark"]


@functools.cache
def parts() -> tuple[Corpus, Corpus, Corpus]:
    """Newswire to train, to calibrate and to test on; some names do not show their type."""
    made = newswire(90, seed=5)
    columns = {name: made.columns[name] for name in ("form", "pos", "ner")}
    corpus = Corpus(columns, made.sentences, made.documents, made.has_documents)
    borders = corpus.documents[[0, 50, 70, 90]].tolist()
    train, dev, test = (corpus.slice(start, stop) for start, stop in itertools.pairwise(borders))
    return train, dev, test


@functools.cache
def margin_model(learner: str) -> tagloom.Tagger:
    return tagloom.train(parts()[0], learner=learner, templates="ner-basic", scheme="data", epochs=5)


def measure(model: tagloom.Tagger, **options: bool) -> tuple[float, float]:
    """The expected calibration error on test data, and the share of wrong labels with a confidence over 0.99."""
    labels, confidences = model.confidences(parts()[2], **options)
    right = np.array(labels.texts()) == np.array(parts()[2].column("ner").texts())
    assert (~right).sum() > 50  # enough to tell
    return expected_calibration_error(confidences, right), float((confidences[~right] > 0.99).mean())


@pytest.mark.parametrize("learner", ["averaged-perceptron", "perceptron", "pa", "margin-perceptron"])
def test_calibrated_models_are_rarely_sure_of_wrong_labels(learner: str):
    model = margin_model(learner)
    error, sure = measure(model, calibrated=False)
    calibrated_error, calibrated_sure = measure(model.calibrate(parts()[1]))
    assert calibrated_error < min(0.02, error / 2)
    assert calibrated_sure < 0.05
    assert sure > 0.5 or learner == "pa"  # whose scores are far too low instead


def test_a_crf_is_calibrated_as_it_is():
    crf = tagloom.train(parts()[0], learner="lbfgs", c2=1.0)
    assert crf.calibrate(parts()[1]).spec.temperature == pytest.approx(1, abs=0.3)
    with_dev = tagloom.train(parts()[0], dev=parts()[1], learner="adf", epochs=2)
    assert with_dev.spec.temperature is None
    assert with_dev.confidence_note == "probabilities of a CRF (adf)"


def test_development_data_calibrates_and_changes_nothing_else(tmp_path: Path):
    train, dev = news_split()
    model = tagloom.train(train, dev=dev, learner="averaged-perceptron", epochs=3)
    again = tagloom.train(train, dev=dev, learner="averaged-perceptron", epochs=3, threads=3)
    assert model.spec.temperature is not None
    assert model.to_bytes() == again.to_bytes() == model.with_temperature(1.0).calibrate(dev, threads=2).to_bytes()
    plain = tagloom.train(train, learner="averaged-perceptron", epochs=model.spec.best_epoch)
    assert plain.spec.temperature is None
    assert weights(plain) == weights(model)
    assert plain.tag_corpus(dev).texts() == model.tag_corpus(dev).texts()
    model.save(tmp_path / "model")
    loaded = tagloom.load(tmp_path / "model")
    assert loaded.spec.temperature == model.spec.temperature
    assert np.array_equal(loaded.confidences(dev, threads=2)[1], model.confidences(dev)[1])
    note = f"scores of averaged-perceptron, calibrated on held-out data (temperature {model.spec.temperature:.4g})"
    assert loaded.confidence_note == note
    assert loaded.describe().facts["confidences"] == note
    assert model.partial_fit(dev).spec.temperature is None  # its weights are other ones


def test_threads_share_the_scaled_weights():
    model = tagger().with_temperature(2.0)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: model.marginals(WORDS).tobytes(), range(16)))
    assert len(set(found)) == 1
    assert model.probability_weights is model.probability_weights
    assert tagger().probability_weights is tagger().parameters.weights


@pytest.mark.parametrize("temperature", [0.5, 3.0, 40.0])
def test_probabilities_are_proportional_to_the_exponential_of_scores_over_the_temperature(temperature: float):
    model, everything = tagger().with_temperature(temperature), tagger().nbest(WORDS, 10_000)
    chances = np.array([math.exp((each.score - everything[0].score) / temperature) for each in everything])
    chances /= chances.sum()
    for each, chance in zip(everything[:20], chances.tolist()):
        assert model.probability(WORDS, each.labels) == pytest.approx(chance, rel=1e-3)
    expected = np.zeros((len(WORDS), len(model.labels)))
    for each, chance in zip(everything, chances.tolist()):
        expected[np.arange(len(WORDS)), [model.labels.index(label) for label in each.labels]] += chance
    assert model.marginals(WORDS) == pytest.approx(expected, abs=1e-5)
    by_posterior = model.tag(WORDS, decoder="posterior")  # plain tags: the most probable label of every token
    assert by_posterior == [model.labels[number] for number in expected.argmax(axis=1).tolist()]
    assert [each.probability for each in model.nbest(WORDS, 3)] == pytest.approx(chances[:3].tolist(), rel=1e-3)
    assert all(each.probability is None for each in tagger().nbest(WORDS, 3))  # neither a likelihood nor calibrated


def test_the_n_best_of_a_calibrated_crf_have_its_probabilities():
    model = tagloom.train(TAGGED, learner="lbfgs", epochs=5).with_temperature(2.5)
    for each in model.nbest(WORDS, 5):
        assert each.probability == pytest.approx(model.probability(WORDS, each.labels), rel=1e-3)


def test_a_temperature_is_that_of_the_least_loss():
    model, dev = margin_model("averaged-perceptron"), parts()[1]
    temperature = model.calibrate(dev).spec.temperature
    assert temperature is not None
    loss = TokenLoss(model, dev, 1)
    assert loss(temperature) <= min(loss(temperature * factor) for factor in (0.5, 0.9, 1.1, 2))
    gold = [model.labels.index(label) for label in dev.column("ner").texts()]
    marginals = [model.with_temperature(temperature).marginals(rows) for rows in rows_of(dev)]
    right = np.concatenate(marginals)[np.arange(len(gold)), gold]
    assert loss(temperature) == pytest.approx(-np.log(right).mean(), abs=0.01)  # apart from the trust in gold


def rows_of(corpus: Corpus) -> list[list[tuple[str, str]]]:
    return [list(zip(*(corpus.sentence(i, name) for name in ("form", "pos")))) for i in range(len(corpus))]


def test_data_without_mistakes_does_not_make_a_model_certain():
    model = tagger().calibrate(TAGGED)
    assert model.spec.temperature is not None
    _, confidences = model.confidences(TAGGED)
    assert 0.7 < confidences.mean() < 0.99  # 11 tokens tell no more


def test_large_scores_and_small_ones_are_calibrated_alike():
    model, dev = margin_model("averaged-perceptron"), parts()[1]
    temperature = model.calibrate(dev).spec.temperature
    for factor in (1e-3, 1e3):
        parameters = replace(model.parameters, weights=model.parameters.weights * np.float32(factor))
        other = tagloom.Tagger(model.spec, parameters, model.resources, model.functions).calibrate(dev)
        assert other.spec.temperature == pytest.approx(temperature * factor, rel=0.02)


@pytest.mark.parametrize("sequences", ["sentences", "joined", "documents"])
def test_documents_are_calibrated_as_they_are_labelled(sequences: str):
    train, dev, _ = parts()
    learner = "nonlocal-perceptron" if sequences == "documents" else "averaged-perceptron"
    model = tagloom.train(train, dev=dev, learner=learner, sequences=sequences, epochs=2)
    assert model.spec.temperature is not None
    assert len(model.confidences(dev)[1]) == dev.token_count


def test_labels_of_another_scheme_and_unknown_labels_do_no_harm():
    train, dev = news_split()
    model = tagloom.train(train, scheme="BIOES", epochs=3)
    temperature = model.calibrate(dev).spec.temperature
    names = [name.replace("B-", "S-") for name in dev.column("ner").texts()]  # now and then no label of IOB2
    assert model.calibrate(dev).spec.temperature == temperature
    assert model.calibrate(dev.with_column("ner", names)).spec.temperature is not None
    with pytest.raises(ConfigError, match="calibration needs tokens with labels that the model knows, found none"):
        tagger().calibrate([(["a"], ["?"])])


# -- folds of the training data ----------------------------------------------------------------------------------------


def test_folds_take_the_place_of_development_data_when_asked_for():
    notes: list[str] = []
    train = functools.partial(tagloom.train, parts()[0], epochs=3, calibration_folds=3)
    model = train(on_progress=lambda progress: notes.append(progress.message))
    assert sum("calibration, fold" in note for note in notes) == 3
    assert model.to_bytes() == train(threads=2).to_bytes()
    assert weights(model) == weights(tagloom.train(parts()[0], epochs=3))
    on_dev = tagloom.train(parts()[0], epochs=3).calibrate(parts()[1]).spec.temperature
    assert model.spec.temperature == pytest.approx(on_dev, rel=0.35)


def test_folds_that_make_no_sense_are_refused_before_training():
    with pytest.raises(ConfigError, match="calibration_folds: expected 2 or more, or 0 for none, got 1"):
        tagloom.train(TAGGED, calibration_folds=1)
    with pytest.raises(ConfigError, match="too few for 5 folds"):
        tagloom.train(TAGGED, calibration_folds=5)


def test_an_interrupted_fold_leaves_the_model_as_it_is():
    phases: list[str] = []

    def report(progress: tagloom.Progress) -> None:
        phases.append(progress.phase)
        if progress.message.startswith("calibration, fold 1"):
            raise KeyboardInterrupt

    model = tagloom.train(parts()[0], epochs=2, calibration_folds=3, on_progress=report)
    assert phases[-1] == "interrupted"
    assert model.spec.temperature is None
    assert weights(model) == weights(tagloom.train(parts()[0], epochs=2))


# -- refusals ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "call"),
    [
        ("marginals", lambda model: model.marginals(WORDS)),
        ("confidences", lambda model: model.confidences(TAGGED)),
        ("probabilities", lambda model: model.probability(WORDS, model.tag(WORDS))),
    ],
)
def test_scores_of_margin_learners_are_not_sold_as_probabilities(what: str, call: Callable[[tagloom.Tagger], object]):
    with pytest.raises(ConfigError) as refused:
        call(tagger())
    assert str(refused.value) == (
        f"{what}: the scores of averaged-perceptron are not probabilities; for calibrated ones, train with development "
        "data or call model.calibrate(data); calibrated=False reads the scores as log probabilities"
    )
    call(tagger().with_temperature(1.0))
    assert tagger().confidence_note == "scores of averaged-perceptron, not calibrated"


def test_uncalibrated_probabilities_are_there_when_asked_for():
    raw, one = tagger(), tagger().with_temperature(1.0)
    assert np.array_equal(raw.marginals(WORDS, calibrated=False), one.marginals(WORDS))
    assert np.array_equal(one.with_temperature(9.0).marginals(WORDS, calibrated=False), one.marginals(WORDS))
    assert raw.probability(WORDS, raw.tag(WORDS), calibrated=False) == one.probability(WORDS, raw.tag(WORDS))


def test_models_without_marginals_cannot_be_calibrated():
    other = tagloom.train(news(), dev=news(), learner="lookahead-perceptron", history=2, epochs=1)
    assert (other.spec.temperature, other.confidence_note) == (None, "")
    with pytest.raises(
        ConfigError, match="calibrate: this model tags left-to-right with two labels of history and has"
    ):
        other.calibrate(news())
    maxent = tagloom.train(TAGGED, learner="maxent", epochs=2)
    assert maxent.confidence_note == "probabilities of a MaxEnt tagger (maxent)"
    with pytest.raises(ConfigError, match="calibrate: maxent gives probabilities of decisions"):
        maxent.calibrate(TAGGED)


# -- the search for a minimum ------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.floats(-3, 3), st.floats(-2, 2), st.floats(0.1, 3), st.floats(0.1, 3))
def test_minimum_of_a_valley(place: float, start: float, left: float, right: float):
    seen: list[float] = []

    def valley(x: float) -> float:
        """Steep on one side, flat on the other, lowest at ``place``."""
        seen.append(x)
        return (math.exp(-left * (x - place)) - 1) / left + (math.exp(right * (x - place)) - 1) / right

    assert minimise(valley, start) == pytest.approx(place, abs=0.02)
    assert len(seen) < 25


def test_a_constant_and_a_slope_have_an_end():
    assert abs(minimise(lambda x: 1.0, 2.0) - 2.0) < 1
    assert -20 < minimise(lambda x: x, 0.0) < -2
    assert 2 < minimise(lambda x: -x, 0.0) < 20
