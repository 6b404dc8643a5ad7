"""Passes over the training data: when they end, which weights are kept, what is told of them."""

from __future__ import annotations

import itertools

import pytest

import tagloom
from tagloom.corpus import Corpus, from_sentences
from tagloom.errors import ConfigError, DataError
from tagloom.systems import Progress
from tests.systems.toy import TAGGED, news, news_split, tagger, weights


def test_training_ends_when_nothing_moves_or_after_so_many_passes():
    history = tagger().spec.history
    assert [record.epoch for record in history] == list(range(1, len(history) + 1))
    assert history[-1].updates == history[-1].token_errors == 0
    assert all(record.updates > 0 for record in history[:-1])
    assert len(tagloom.train(news(), epochs=3).spec.history) == 3


@pytest.mark.parametrize("patience", [1, 2, 4])
def test_early_stopping_keeps_the_first_best_pass(patience: int):
    train, dev = news_split()
    options = {"label": "pos", "templates": "form[0]\nsuffix2[0]\n"}
    model = tagloom.train(train, dev=dev, epochs=30, patience=patience, **options)
    scores = [record.dev_score for record in model.spec.history]
    assert model.spec.best_epoch == scores.index(max(scores)) + 1
    assert len(scores) == model.spec.best_epoch + patience < 30
    assert model.evaluate(dev).accuracy == pytest.approx(max(scores))
    assert weights(model) == weights(tagloom.train(train, epochs=model.spec.best_epoch, **options))


def test_the_dev_score_of_entities_is_f1():
    train, dev = news_split()
    model = tagloom.train(train, dev=dev, scheme="BIOES", epochs=4)
    assert model.evaluate(dev).overall.f1 == pytest.approx(max(record.dev_score for record in model.spec.history))


def test_dev_labels_unseen_in_training_count_as_errors():
    model = tagloom.train(TAGGED, dev=[(["the", "dog"], ["DT", "FW"])])
    assert {record.dev_score for record in model.spec.history} <= {0.0, 50.0}


@pytest.mark.parametrize(
    ("columns", "message"), [("form pos", "unknown column of <memory> 'ner'"), ("form ner", "unknown column .* 'pos'")]
)
def test_dev_needs_the_columns_of_the_training_data(columns: str, message: str):
    dev = from_sentences([[("Bonn", "O")]], columns=columns)
    with pytest.raises(ConfigError, match=message):
        tagloom.train(news(), dev=dev, templates="ner-basic")


def test_an_empty_dev_set_is_refused():
    with pytest.raises(DataError, match="no tokens"):
        tagloom.train(TAGGED, dev=[])


def test_progress_tells_of_encoding_and_of_every_pass():
    told: list[Progress] = []
    model = tagloom.train(
        TAGGED, dev=TAGGED, on_progress=told.append, templates="words", learner="averaged-perceptron", epochs=7
    )
    assert [p.phase for p in told] == ["encoded", *["epoch"] * len(model.spec.history)]
    assert "features x 5 labels" in told[0].message
    assert [p.record for p in told[1:]] == list(model.spec.history)
    assert all(p.epochs == 7 for p in told)
    assert all(earlier.seconds <= later.seconds for earlier, later in itertools.pairwise(told))


@pytest.mark.parametrize("with_dev", [False, True])
def test_an_interrupt_keeps_the_best_so_far(with_dev: bool):
    train, dev = news_split()
    told: list[str] = []

    def interrupt(progress: Progress) -> None:
        told.append(progress.phase)
        if progress.record is not None and progress.record.epoch == 3:
            raise KeyboardInterrupt

    options = {"dev": dev if with_dev else None, "label": "pos", "templates": "words"}
    model = tagloom.train(train, on_progress=interrupt, epochs=20, **options)
    assert told[-1] == "interrupted"
    assert len(model.spec.history) == 3
    assert weights(model) == weights(tagloom.train(train, epochs=3, **options))


def test_an_interrupt_before_the_first_pass_ends_training():
    def interrupt(progress: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tagloom.train(TAGGED, on_progress=interrupt)


def test_joined_documents_are_scored_by_their_sentences():
    """A name that ends a sentence and one that begins the next are two in gold, joined or not (IOB1 writes no B)."""
    words = ["Visit", "Acme", "Acme", "rose"] * 2
    train, dev = (
        Corpus.from_columns({"form": words, "tag": tags * 2}, lengths=[2] * 4, documents=[2, 2])
        for tags in (["O", "I-ORG", "O", "O"], ["O", "I-ORG", "I-ORG", "O"])
    )
    model = tagloom.train(train, dev=dev, templates="form[-1] form[0]\n", sequences="joined")
    assert max(record.dev_score for record in model.spec.history) == model.evaluate(dev).value > 50
