"""Patience on development data: batch learners predict nothing at first, and that must not end their training."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import pytest

import tagloom
from tagloom.corpus import Corpus, from_sentences
from tagloom.learners.batch import Descent
from tagloom.learners.online import Pass
from tagloom.systems.learning import Progress

BATCH = ["lbfgs", "owlqn", "maxent", "maxent-gis"]


def sparse_entities(documents: int, seed: int) -> Corpus:
    """Noisy text with few entities of many types: one in seven names is kept, and every type is divided into five."""
    news, rng = tagloom.datasets.newswire(documents, seed), np.random.default_rng(seed)
    sentences = []
    for words, labels in zip(news.iter_sentences("form"), news.iter_sentences("ner"), strict=True):
        row, kind = [], ""
        for word, label in zip(words, labels, strict=True):
            number = zlib.crc32(word.encode())
            if label.startswith("B-"):
                kind = f"{label[2:]}{number % 5}" if (number >> 8) % 100 < 15 else ""
            noisy = word if rng.random() > 0.1 else "".join(rng.permutation(list(word.lower())))
            row.append((noisy, "O" if label == "O" or not kind else f"{label[:2]}{kind}"))
        sentences.append(row)
    return from_sentences(sentences, columns="form label")


@pytest.fixture(scope="module")
def corpora() -> tuple[Corpus, Corpus]:
    return sparse_entities(12, 1), sparse_entities(20, 2)


@pytest.mark.parametrize("learner", BATCH)
def test_a_batch_learner_does_not_stop_before_its_objective_has_settled(corpora: tuple[Corpus, Corpus], learner: str):
    train, dev = corpora
    notes: list[Progress] = []
    model = tagloom.train(train, dev=dev, learner=learner, templates="words", scheme="data", on_progress=notes.append)
    scores = [record.dev_score for record in model.spec.history]
    assert scores[:6] == [0.0] * 6  # longer than the default patience of 5
    assert max(scores) > 5.0
    assert model.spec.best_epoch == scores.index(max(scores)) + 1
    assert model.evaluate(dev).overall.predicted > 0
    assert not [note for note in notes if note.phase == "note"]


def test_patience_counts_once_the_objective_has_settled(corpora: tuple[Corpus, Corpus]):
    train, dev = corpora
    lengths = [
        len(tagloom.train(train, dev=dev, learner="lbfgs", templates="words", patience=p).spec.history)
        for p in (1, 5, 500)
    ]
    assert 11 < lengths[0] < lengths[1] == lengths[0] + 4 < lengths[2] < 200


def test_a_stopped_batch_training_goes_on_counting(corpora: tuple[Corpus, Corpus], tmp_path: Path):
    train, dev = corpora
    whole = tagloom.train(train, dev=dev, learner="lbfgs", patience=3)

    def stop(progress: Progress) -> None:
        if progress.record is not None and progress.record.epoch == len(whole.spec.history) - 1:
            raise RuntimeError("stopped")

    with pytest.raises(RuntimeError, match="stopped"):
        tagloom.train(train, dev=dev, learner="lbfgs", patience=3, checkpoint=tmp_path / "c", on_progress=stop)
    resumed = tagloom.train(train, dev=dev, learner="lbfgs", patience=3, checkpoint=tmp_path / "c")
    assert resumed.spec == whole.spec
    assert resumed.parameters.weights.tobytes() == whole.parameters.weights.tobytes()


UNSEEN = from_sentences([[("Bonn", "B-X"), ("sleeps", "O")]] * 3, columns="form label")


@pytest.mark.parametrize("learner", ["lbfgs", "maxent-gis", "averaged-perceptron"])
def test_a_model_that_predicts_no_span_is_reported_in_one_line(corpora: tuple[Corpus, Corpus], learner: str):
    plain = from_sentences(
        [[("Bonn", "O"), ("sleeps", "O")]] * 9 + [[("Rome", "B-X"), ("wakes", "O")]], columns="form label"
    )
    notes: list[Progress] = []
    model = tagloom.train(
        plain, dev=UNSEEN, learner=learner, templates="words", scheme="data", on_progress=notes.append
    )
    assert [note.message for note in notes if note.phase == "note"] == [
        "the model predicts no span on the development data, which has 3; train on more data, weaken regularization "
        "(c1, c2), or choose another learner or template set"
    ]
    assert [note.phase for note in notes[-2:]] == [
        "note",
        "epoch",
    ]  # the command line shows a note with the next report
    assert {record.dev_score for record in model.spec.history} == {0.0}
    # The first weights of a batch learner are the emptiest; an online learner keeps the first of equal passes.
    last = len(model.spec.history)
    assert model.spec.best_epoch == (1 if learner == "averaged-perceptron" else last)


def test_development_data_without_spans_is_not_reported():
    notes: list[Progress] = []
    quiet = from_sentences([[("Bonn", "O"), ("sleeps", "O")]], columns="form label")
    train = from_sentences([[("Rome", "B-X"), ("wakes", "O")]], columns="form label")
    tagloom.train(train, dev=quiet, on_progress=notes.append)
    assert not [note for note in notes if note.phase == "note" and "predicts no span" in note.message]


def test_every_pass_of_an_online_learner_counts():
    online, early, late = (Pass(7, 1, 1, 0.0, None, settled=settled) for settled in (None, 0, 4))  # type: ignore[arg-type]
    assert (online.patience_start, early.patience_start, late.patience_start) == (0, 7, 4)
    assert [each.is_batch for each in (online, early, late)] == [False, True, True]


def test_an_objective_settles_once_it_falls_by_less_than_one_percent_in_ten_iterations():
    descent = Descent()
    for epoch, value in enumerate([1000.0 / epoch for epoch in range(1, 21)] + [50.0] * 20, 1):
        descent.add(epoch, value)
        assert descent.settled == (0 if epoch < 30 else 30)
        assert descent.has_converged == (epoch >= 30)
    again = Descent()
    again.restore(descent.to_array())
    assert (again.values, again.settled) == (descent.values, 30)
