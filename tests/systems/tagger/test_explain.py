"""Explanations: features that spoke for a label, and that their voices add up."""

from __future__ import annotations

import numpy as np
import pytest

import tagloom
from tagloom import _core
from tagloom.corpus.schemes import find_allowed_transitions
from tagloom.errors import ConfigError
from tagloom.structures.chain import NO_CONSTRAINTS
from tagloom.systems.tagger.session import Session
from tests.systems.toy import all_rows, bag_model, entity_model, news, tagger


def test_a_tiny_example_by_hand():
    # From zero weights the guess is X X; the one update adds 1 to gold's features and takes 1 from the guess's. The
    # second and last pass finds no error: the mean of the perceptron without average is that update.
    model = tagloom.train([(["a", "b"], ["X", "Y"])], templates="form[0]\n/ edge\n", learner="perceptron")
    first, second = model.explain(["a", "b"])
    assert [e.label for e in (first, second)] == ["X", "Y"]
    assert [e.rival for e in (first, second)] == ["Y", "X"]
    assert first.contributions == ()
    assert {c.feature: c.scores.tolist() for c in second.contributions} == {
        "form[0]=b": [-1.0, 1.0],
        "label[-1]=X": [-1.0, 1.0],
    }
    assert second.scores.tolist() == [-2.0, 2.0]
    assert (second.margin, first.margin) == (4.0, 0.0)
    assert second.top(1) == [("form[0]=b", 2.0)]


def explanations() -> list[list[tagloom.Explanation]]:
    return [entity_model().explain(rows) for rows in all_rows(news())[:40]]


def test_contributions_add_up_to_the_scores():
    for sentence in explanations():
        for token in sentence:
            total = sum((c.scores for c in token.contributions), np.zeros(len(token.labels), np.float32))
            assert total == pytest.approx(token.scores, abs=1e-4)
            assert all(c.scores.any() for c in token.contributions)


def test_scores_of_the_decided_labels_add_up_to_the_score_of_the_sentence():
    for sentence, score in zip(explanations(), decoded_scores(entity_model())):
        assert sum(float(e.scores[e.labels.index(e.label)]) for e in sentence) == pytest.approx(score, abs=1e-3)


def decoded_scores(model: tagloom.Tagger) -> list[float]:
    """The scores that the core gives to its own label sequences."""
    session = Session(model.encoder)
    batch = session.read(all_rows(news()))
    tables = model._nodes, model._edges
    _, scores = _core.decode_words(
        model.chain, model.parameters.weights, session.store, batch.codes, batch.sentences, *tables, NO_CONSTRAINTS, 1
    )
    return scores.tolist()


def test_the_label_is_the_one_decided_and_the_rival_another():
    for rows, sentence in zip(all_rows(news()), explanations()):
        labels = [e.label for e in sentence]
        assert all(label in entity_model().labels for label in labels)
        assert [label == "O" for label in labels] == [label == "O" for label in entity_model().tag(rows)]
        assert all(e.rival != e.label for e in sentence)
        assert all(e.labels == entity_model().labels for e in sentence)


def test_the_loudest_features_come_first():
    token = tagger().explain(["the", "dog", "barks"])[1]
    gains = [abs(gain) for _, gain in token.top(100)]
    assert gains == sorted(gains, reverse=True)
    assert token.top(3) == token.top(100)[:3]
    assert sum(gain for _, gain in token.top(100)) == pytest.approx(token.margin, abs=1e-4)


def test_features_are_named_with_their_values():
    names = {c.feature for e in tagger().explain(["the", "dog", "barks"]) for c in e.contributions}
    assert "form[0]=dog" in names
    assert any(name.startswith("label[-1]=") for name in names)
    assert any("_B-1" in name for name in names)  # before the sentence
    (token,) = bag_model().explain([["w=barks"]])
    assert [c.feature for c in token.contributions] == ["attributes[0]=w=barks"]


def test_nothing_to_explain():
    assert list(tagger().explain([])) == []
    (only,) = tagloom.train([(["a"], ["X"])]).explain(["a"])
    assert (only.label, only.rival, only.margin) == ("X", "X", 0.0)


def test_the_runner_up_could_stand_in_the_place_of_the_label():
    model = entity_model()
    pairs, start, end = find_allowed_transitions(model.labels, model.spec.decided)
    number = model.labels.index
    passed_over = 0
    for sentence in explanations():
        labels = [number(token.label) for token in sentence]
        for t, token in enumerate(sentence):
            left = start if t == 0 else pairs[labels[t - 1]]
            right = end if t + 1 == len(labels) else pairs[:, labels[t + 1]]
            others = [i for i in range(len(model.labels)) if i != labels[t]]
            legal = [i for i in others if left[i] and right[i]] or others  # a label may be the only one that fits
            assert number(token.rival) == max(legal, key=lambda i: (token.scores[i], -i))
            passed_over += number(token.rival) != max(others, key=lambda i: (token.scores[i], -i))
    assert passed_over


def test_a_label_the_model_does_not_have_is_refused():
    token = tagger().explain(["the", "dog", "barks"])[1]
    with pytest.raises(ConfigError, match="unknown label 'XX'"):
        token.margin_over("XX")
    with pytest.raises(ConfigError, match="unknown label 'XX'"):
        token.top(3, rival="XX")


def test_gold_labels_that_are_too_few_are_refused():
    with pytest.raises(ConfigError, match="gold: expected 3 labels, one per token, got 1"):
        tagger().explain(["the", "dog", "barks"]).list_decisions(gold=["DT"])
