"""The scikit-learn estimators: probabilities, spans, scores and metrics."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.model_selection import (
    GridSearchCV,
)

import tagloom
from tagloom.compat.sklearn import (
    METRICS,
    SCORERS,
    ChainClassifier,
    ParameterError,
    PhraseClassifier,
    flat_f1,
    sequence_accuracy,
    span_f1,
    span_precision,
    span_recall,
    token_accuracy,
)
from tagloom.corpus import from_feature_dicts
from tests.compat.sklearn_sequences import CRF, D_TEST, D_TRAIN, FAST, X_NEWS, X_TEST, X_TRAIN, Y_NEWS, Y_TEST, Y_TRAIN


@pytest.fixture(scope="module")
def tagger() -> ChainClassifier:
    return ChainClassifier(**FAST).fit(X_TRAIN, Y_TRAIN)


@pytest.fixture(scope="module")
def crf() -> ChainClassifier:
    return ChainClassifier(**CRF).fit(D_TRAIN, Y_TRAIN)


@pytest.fixture(scope="module")
def chunker() -> ChainClassifier:
    return ChainClassifier(**CRF, scoring="span_f1").fit(X_NEWS, Y_NEWS)


def test_probabilities_are_the_marginals_of_the_model(crf: ChainClassifier) -> None:
    found = crf.predict_proba(D_TEST)
    assert found.shape == (len(D_TEST),)
    order = [crf.model_.labels.index(label) for label in crf.classes_]
    for own, sequence in zip(found, D_TEST):
        assert own.shape == (len(sequence), len(crf.classes_))
        np.testing.assert_allclose(own.sum(axis=1), 1, atol=1e-5)
    attributes = [list(map(read_bag, sequence)) for sequence in D_TEST[:3]]
    for own, sequence in zip(found, attributes):
        np.testing.assert_allclose(own, crf.model_.marginals(sequence)[:, order], atol=1e-6)
    marginals = crf.predict_marginals(D_TEST)
    assert marginals[0][0] == dict(zip(crf.classes_.tolist(), found[0][0].tolist()))
    assert crf.predict_marginals_single(D_TEST[0]) == marginals[0]


def read_bag(item: dict[str, Any]) -> dict[str, float]:
    column = from_feature_dicts([[item]]).column("attributes")
    values = np.bincount(column.codes, column.values)  # an attribute may occur twice
    return dict(zip(column.strings.strings(), values.tolist()))


def test_probabilities_of_spans_are_those_of_the_labels_of_y(chunker: ChainClassifier) -> None:
    assert {label[0] for label in chunker.model_.labels} > {"O", "B", "I"}  # decided in BIOES
    assert {label[0] for label in chunker.classes_} == {"O", "B", "I"}
    found = chunker.predict_proba(X_NEWS)
    for own in found:
        np.testing.assert_allclose(own.sum(axis=1), 1, atol=1e-5)
    sequence, classes = X_NEWS[0], chunker.classes_.tolist()
    decided = chunker.model_.marginals(sequence)
    for place, label in enumerate(classes):
        prefixes = {"B": "BS", "I": "IE", "O": "O"}[label[0]]
        parts = [n for n, each in enumerate(chunker.model_.labels) if each[0] in prefixes and each[1:] == label[1:]]
        np.testing.assert_allclose(found[0][:, place], decided[:, parts].sum(axis=1), atol=1e-6)


def test_models_without_probabilities_say_how_to_get_them(tagger: ChainClassifier) -> None:
    with pytest.raises(
        ParameterError, match="predict_proba: the scores of averaged-perceptron are not probabilities; choose"
    ):
        tagger.predict_proba(X_TEST)
    calibrated = ChainClassifier(**FAST).fit(X_TRAIN, Y_TRAIN, X_dev=X_TEST, y_dev=Y_TEST)
    np.testing.assert_allclose(calibrated.predict_proba(X_TEST)[0].sum(axis=1), 1, atol=1e-5)
    folded = ChainClassifier(**FAST, calibration_folds=2).fit(X_TRAIN, Y_TRAIN)
    assert folded.predict_proba(X_TEST)[0].shape == calibrated.predict_proba(X_TEST)[0].shape
    touching = ChainClassifier(**CRF).fit([["a", "b", "c"]], [["I-X", "B-X", "O"]])
    with pytest.raises(ParameterError, match="labels in IOB1 have no probabilities of their own; write y in IOB2"):
        touching.predict_proba([["a"]])


def test_spans(chunker: ChainClassifier, tagger: ChainClassifier) -> None:
    found = chunker.predict_spans(X_NEWS)
    assert found[0] == chunker.model_.spans(X_NEWS[0])
    with pytest.raises(ParameterError, match="predict_spans: the labels of this model are plain tags; use predict"):
        tagger.predict_spans(X_TEST)


def test_phrases() -> None:
    classifier = PhraseClassifier(epochs=2, cutoff=1, scoring="span_f1").fit(X_NEWS, Y_NEWS)
    model = tagloom.train(list(zip(X_NEWS, Y_NEWS)), system="phrases", epochs=2, cutoff=1)
    assert classifier.predict(X_NEWS).tolist() == model.tag_many(X_NEWS)
    assert classifier.predict_spans(X_NEWS).tolist() == model.spans_many(X_NEWS)
    assert classifier.score(X_NEWS, Y_NEWS) == span_f1(Y_NEWS, classifier.predict(X_NEWS)) > 0.9
    assert pickle.loads(pickle.dumps(classifier)).predict(X_NEWS).tolist() == classifier.predict(X_NEWS).tolist()
    assert not hasattr(classifier, "partial_fit")
    assert not hasattr(classifier, "predict_proba")
    search = GridSearchCV(PhraseClassifier(cutoff=1, epochs=1, scoring="span_f1"), {"degree": [1, 2]}, cv=2)
    assert search.fit(X_NEWS, Y_NEWS).best_params_["degree"] in (1, 2)


def test_scores_agree_with_those_of_tagloom(tagger: ChainClassifier, chunker: ChainClassifier) -> None:
    pairs = list(zip(X_TEST, Y_TEST))
    assert tagger.score(X_TEST, Y_TEST) == pytest.approx(tagger.model_.evaluate(pairs).accuracy / 100)
    assert chunker.score(X_NEWS, Y_NEWS) == pytest.approx(
        chunker.model_.evaluate(list(zip(X_NEWS, Y_NEWS))).value / 100
    )
    found = chunker.predict(X_NEWS)
    for name, metric in METRICS.items():
        assert chunker.set_params(scoring=name).score(X_NEWS, Y_NEWS) == metric(Y_NEWS, found)
        assert SCORERS[name](chunker, X_NEWS, Y_NEWS) == metric(Y_NEWS, found)
    assert chunker.set_params(scoring=lambda gold, found: len(gold)).score(X_NEWS, Y_NEWS) == len(X_NEWS)
    with pytest.raises(ParameterError, match="unknown scoring 'span_f'; did you mean 'span_f1'"):
        chunker.set_params(scoring="span_f").score(X_NEWS, Y_NEWS)
    chunker.set_params(scoring="span_f1")


def test_metrics() -> None:
    gold = [["B-PER", "I-PER", "O"], ["B-LOC", "O"]]
    found = [["B-PER", "I-PER", "O"], ["O", "B-LOC"]]
    assert token_accuracy(gold, found) == 3 / 5
    assert sequence_accuracy(gold, found) == 1 / 2
    assert span_precision(gold, found) == span_recall(gold, found) == span_f1(gold, found) == 1 / 2
    assert span_precision([["B-X", "O"]], [["B-X", "B-X"]]) == 1 / 2
    assert span_recall([["B-X", "B-X"]], [["B-X", "O"]]) == 1 / 2
    assert span_f1([["O", "O"]], [["O", "O"]]) == 0
    assert span_f1([["O"]], [["I-X"]]) == span_f1([["O"]], [["I-X"]], rule="strict") == 0
    assert flat_f1(gold, found, labels=["B-PER", "I-PER"]) == 1
    assert flat_f1(gold, found, average=None).shape == (4,)
    assert token_accuracy(["a", "b"], np.array(["a", "a"])) == 1 / 2
    assert token_accuracy([], []) == sequence_accuracy([], []) == 0


@pytest.mark.parametrize(
    ("metric", "gold", "found", "message"),
    [
        (span_f1, [["NN"]], [["DT"]], "the labels are plain tags such as 'NN', no spans; score token_accuracy"),
        (token_accuracy, [["a"]], [["a"], ["b"]], "y_true has 1 sequences, y_pred 2"),
        (token_accuracy, [["a"]], [["a", "b"]], "sequence 1: 1 labels in y_true, but 2 in y_pred"),
        (token_accuracy, "a", ["a"], "y_true: expected lists of labels, got 'a'"),
        (token_accuracy, [["a"]], [["a"], "b"], "y_pred: sequence 2: expected a list of labels, got 'b'"),
    ],
)
def test_metrics_refuse_other_data(metric: Any, gold: Any, found: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        metric(gold, found)


def test_metrics_refuse_other_rules() -> None:
    with pytest.raises(ParameterError, match="rule: expected 'conlleval' or 'strict', got 'exact'"):
        span_f1([["B-X"]], [["B-X"]], rule="exact")
