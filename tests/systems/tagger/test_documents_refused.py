"""What learners of documents refuse: one clear line each, before long work."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tagloom
from tagloom.corpus import Corpus
from tagloom.errors import ConfigError, TagloomError
from tagloom.features import Document
from tests.systems.toy import TAGGED, news_split, tagger

OPTIONS: dict[str, Any] = {"templates": "form[0]\n/ edge\n", "epochs": 2}


def refused(message: str, call: Callable[[], object]) -> None:
    with pytest.raises(TagloomError, match=message) as error:
        call()
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300


def refused_training(message: str, data: object = None, **options: Any) -> None:
    told = []
    data = news_split()[0] if data is None else data
    refused(message, lambda: tagloom.train(data, on_progress=told.append, **OPTIONS | options))
    assert not [progress for progress in told if progress.phase == "epoch"]


@pytest.mark.parametrize("n", [0, -3, 2.5, math.nan, "many", True, 100_001])
def test_candidates_to_learn_from(n: object):
    refused_training("n: expected a whole number from 1 to 100,000, got", learner="nonlocal-perceptron", n=n)


@pytest.mark.parametrize("name", ["C", "C_local", "tolerance"])
@pytest.mark.parametrize("value", [-1, -1e-9, math.nan, math.inf, "much", True])
def test_margins_and_tolerance(name: str, value: object):
    refused_training(
        f"^{name}: expected a number of 0 or more, at most", learner="nonlocal-perceptron", **{name: value}
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"document_features": "phrases"}, "unknown document feature 'phrases'.*phrase"),
        ({"document_features": ["phrase", "nonsense"]}, "unknown document feature 'nonsense'"),
        ({"document_features": [3]}, "unknown document feature '3'"),
        ({"document_features": 3}, "document_features: expected names, got 3"),
        ({"document_functions": {"f": 3}}, "document function 'f': expected a function, got 3"),
        ({"document_functions": [len]}, "document_functions: expected functions by name"),
        ({"local_update": "mild"}, "unknown local_update 'mild'.*aggressive"),
        ({"update_order": "random"}, "unknown update_order 'random'.*local-first"),
        ({"candidates": 0}, "candidates: expected a whole number from 1 to 100000, got 0"),
        ({"candidates": 100_001}, "candidates: expected a whole number from 1 to 100000"),
        ({"bpm": -1}, "bpm: expected a whole number from 0 to 1,000, got -1"),
        ({"sequences": "paragraphs"}, "unknown sequences 'paragraphs'.*documents"),
        ({"folds": 5}, "learner 'nonlocal-perceptron' has no 'folds'"),
        ({"c2": 1.0}, "learner 'nonlocal-perceptron' has no 'c2'"),
    ],
)
def test_options_of_learners_that_see_documents(options: dict[str, Any], message: str):
    refused_training(message, learner="nonlocal-perceptron", **options)


@pytest.mark.parametrize("learner", ["margin-perceptron", "averaged-perceptron", "lbfgs"])
@pytest.mark.parametrize("option", [{"document_features": "phrase"}, {"document_functions": {"f": lambda d, y: []}}])
def test_learners_that_see_no_documents(learner: str, option: dict[str, Any]):
    refused_training(f"learner '{learner}' has no 'document_f.*nonlocal-perceptron", learner=learner, **option)


@pytest.mark.parametrize("learner", ["lbfgs", "sgd", "dca"])
def test_crfs_learn_from_sentences(learner: str):
    refused_training("learns from sentences: sequences must be", learner=learner, sequences="documents")


@pytest.mark.parametrize("learner", ["reranking-1", "reranking-2"])
def test_folds_of_reranking(learner: str):
    train = news_split()[0]
    for folds in (1, 0, 2.5):
        refused_training("folds: expected a whole number from 2 to 1,000, got", learner=learner, folds=folds)
    one = Corpus(train.columns, train.sentences, np.array([0, len(train)]), True)
    refused_training(f"learner '{learner}': expected at least two documents .* got 1", one, learner=learner)
    few = train.slice(0, int(train.documents[2]))  # two documents are two folds
    assert tagloom.train(few, learner=learner, folds=5, **OPTIONS).tag(["Bonn"])


@pytest.mark.parametrize("learner", ["reranking-1", "reranking-2"])
def test_reranking_begins_from_nothing(learner: str):
    told = []
    refused(
        f"start: learner '{learner}' trains first models of its own",
        lambda: tagloom.train("missing", start=tagger(), learner=learner, on_progress=told.append),
    )
    assert not told
    train = news_split()[0]
    model = tagloom.train(train, learner=learner, **OPTIONS)
    refused("start: ", lambda: model.partial_fit(train))
    assert model.partial_fit(train, learner="nonlocal-perceptron").nonlocal_weights()


def test_candidates_where_nothing_chooses_among_them():
    dev = news_split()[1]
    plain = tagloom.train(news_split()[0], **OPTIONS)
    refused("candidates: this model has no features of documents", lambda: plain.tag_corpus(dev, candidates=10))
    refused("candidates: this model has no features", lambda: plain.tag_document([["a"]], candidates=10))
    refused("decoder 'rescored': this model has no features of documents", lambda: plain.tag(["a"], decoder="rescored"))
    model = tagloom.train(news_split()[0], learner="nonlocal-perceptron", **OPTIONS)
    refused("candidates: decoder 'viterbi'", lambda: model.tag_corpus(dev, decoder="viterbi", candidates=10))
    for number in (0, -1, 100_001, "x", 1.5):
        refused(
            "candidates: expected a whole number from 1 to 100000, got",
            lambda number=number: model.tag_corpus(dev, candidates=number),
        )
        refused("candidates: expected", lambda number=number: model.tag_document([["a"]], candidates=number))


# -- functions of the user's -----------------------------------------------------------------------------------------


def raising(document: Document, labels: list[str]) -> list[str]:
    raise ValueError("the third line\nof some text")


BAD = {
    "raises": (raising, "ValueError: the third line"),
    "is text": (lambda d, y: "text", "expected an iterable of strings, got 'text'"),
    "is a number": (lambda d, y: 3, "expected an iterable of strings, got 3"),
    "is nothing": (lambda d, y: None, "expected an iterable of strings, got None"),
    "has numbers": (lambda d, y: ["a", 3], "expected strings, got 3"),
    "has bytes": (lambda d, y: [b"a"], "expected strings, got b'a'"),
    "has half a character": (lambda d, y: ["\ud800"], "expected valid Unicode"),
    "raises later": (lambda d, y: (1 / 0 for _ in "a"), "ZeroDivisionError: division by zero"),
    "takes one": (lambda d: [], "TypeError: "),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("learner", ["nonlocal-perceptron", "reranking-1"])
def test_functions_that_go_wrong_are_named_with_the_document(case: str, learner: str):
    function, message = BAD[case]
    found = rf"document function 'mine', document \d+: {message}"
    refused_training(found, learner=learner, document_functions={"mine": function})


@pytest.mark.parametrize("threads", [1, 2])
def test_the_number_is_that_of_the_document(threads: int):
    train, dev = news_split()
    third = dev.sentence(int(dev.documents[2]), "form")[0]

    def picky(document: Document, labels: list[str]) -> list[str]:
        return [3] if switched and document.words[0] == third else []  # type: ignore[list-item]

    switched = False
    model = tagloom.train(train, learner="nonlocal-perceptron", document_functions={"picky": picky}, **OPTIONS)
    assert model.tag_corpus(dev)
    switched = True
    refused("document function 'picky', document 3: expected strings, got 3", lambda: model.tag_corpus(dev, threads))
    refused("document function 'picky', document 3: ", lambda: model.nbest_corpus(dev, 3, threads))
    switched = False
    assert model.tag_corpus(dev, threads)  # nothing is left behind


def test_keyboard_interrupts_pass_through_functions():
    def interrupted(document: Document, labels: list[str]) -> list[str]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tagloom.train(TAGGED, learner="nonlocal-perceptron", document_functions={"f": interrupted})


def test_functions_missing_at_load(tmp_path: Any):
    train, dev = news_split()
    own = {"sizes": lambda document, labels: [str(len(labels) % 2)]}
    tagloom.train(train, learner="nonlocal-perceptron", document_functions=own, **OPTIONS).save(tmp_path / "model")
    model = tagloom.load(tmp_path / "model", functions={"other": len})
    refused("the model needs its function 'sizes'", lambda: model.tag_corpus(dev))
    refused("the model needs its function 'sizes'", lambda: model.nbest(["Bonn"], 3))
    refused("the model needs its function 'sizes'", lambda: model.partial_fit(train))
    assert isinstance(tagloom.load(tmp_path / "model", functions=own).tag_corpus(dev), tagloom.Column)
    assert issubclass(ConfigError, TagloomError)
