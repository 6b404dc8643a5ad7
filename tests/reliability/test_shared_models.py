"""Sixteen threads share one model of every system: they tag, save and explain at once; each gets what one gets alone.

``make tsan`` runs this file under ThreadSanitizer, which reports every unordered access to the same memory.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

import tagloom
from tagloom.systems.base import Model
from tests.systems.phrases.data import chunker
from tests.systems.tokenizer.toy import bank
from tests.systems.toy import TAGGED, crfsuite_corpus, news

THREADS = 16
QUICK: dict[str, Any] = {
    "folds": 2,
    "options": {"tokens": {"epochs": 1}, "upos": {"epochs": 1, "depth": 1}, "trees": {"epochs": 1}},
    "parts": "tokens,upos,trees",
}
NEW_WORDS = [[f"new{number}" for number in range(start, start + 5)] for start in range(0, 20, 5)]
TEXT = "The dog doesn't bark. A cat sees dogs! Dogs bark here."

#: How to build a model, by its kind.
MODELS: dict[str, Callable[[], Model]] = {
    "tagger": lambda: tagloom.train(TAGGED, learner="averaged-perceptron", templates="words"),
    "crf": lambda: tagloom.train(TAGGED, learner="sgd", templates="words", epochs=2, tokenizer="unicode"),
    "history": lambda: tagloom.train(TAGGED, learner="lookahead-perceptron", depth=1, epochs=2),
    "documents": lambda: tagloom.train(news().slice(0, 60), learner="nonlocal-perceptron", epochs=1),
    "items": lambda: tagloom.train(crfsuite_corpus(), learner="averaged-perceptron", epochs=2),
    "parser": lambda: tagloom.train(bank(), system="parser", epochs=1, tag_folds=2, tagger={"epochs": 1, "depth": 0}),
    "dual phrases": lambda: chunker(2, "dual"),
    "primal phrases": lambda: chunker(2, "primal"),
    "tokenizer": lambda: tagloom.train(bank(), system="tokenizer", epochs=1, cutoff=1),
    "pipeline": lambda: tagloom.train(bank(), system="pipeline", **QUICK),
    "ensemble": lambda: tagloom.train(TAGGED, system="ensemble", members=2, epochs=1, templates="words"),
}


def list_uses(model: Model) -> list[Callable[[], object]]:
    """List what threads do with a model at the same time; every use returns something that can be compared."""
    sentences = draw_sentences(model)
    uses: list[Callable[[], object]] = [
        model.to_bytes,
        lambda: model.explain(sentences[0]).to_dict(),
        lambda: [annotated(model, [sentence], 1) for sentence in sentences],
        lambda: annotated(model, sentences, 2),
    ]
    for one, many in (("tag", "tag_many"), ("parse", "parse_many"), ("spans", "spans_many")):
        if hasattr(model, many):
            uses.append(lambda name=one: [getattr(model, name)(sentence) for sentence in sentences])
            uses.append(lambda name=many: getattr(model, name)(sentences, threads=2))
    if model.columns == ("form",):
        uses.append(lambda: [model(TEXT, threads=2).to_dict() for _ in range(3)])
    if hasattr(model, "marginals"):
        uses.append(lambda: [model.marginals(sentence, calibrated=False).tolist() for sentence in sentences])
        uses.append(lambda: model.nbest(sentences[0], 3))
    return [lambda use=use: attempt(use) for use in uses]


def attempt(use: Callable[[], object]) -> object:
    """Return what a use gives; the refusal of what a model cannot do is a result like others."""
    try:
        return use()
    except tagloom.ConfigError as error:
        return str(error)


def draw_sentences(model: Model) -> list[Any]:
    """Sentences of words that the model knows and of words that it does not, in the columns that it reads."""
    if model.reads.bags:
        return [[{"w": "dog", "length": 0.5}, {"w": f"{number}"}] for number in range(8)]
    words = [words for words, _ in TAGGED] + NEW_WORDS
    if len(model.columns) == 1:
        return words
    return [[(word, *["NN"] * (len(model.columns) - 1)) for word in sentence] for sentence in words]


def annotated(model: Model, sentences: list[Any], threads: int) -> list[Any]:
    corpus = model.annotate(sentences, threads=threads)
    return [corpus.column(layer.column).texts() for layer in model.layers]


@pytest.mark.parametrize("kind", MODELS)
def test_sixteen_threads_share_one_model(kind: str, tmp_path: Path) -> None:
    model = MODELS[kind]()
    expected = [use() for use in list_uses(model)]
    fresh = tagloom.load(save(model, tmp_path / "model"))
    uses, start = list_uses(fresh), Barrier(THREADS)

    def work(number: int) -> None:
        start.wait()  # so that the first use, which builds what is built lazily, happens in all threads at once
        for step in range(len(uses)):
            which = (number + step) % len(uses)
            assert uses[which]() == expected[which]
        save(fresh, tmp_path / f"copy{number % 4}")

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(work, range(THREADS)))
    assert {path.read_bytes() for path in tmp_path.iterdir()} == {expected[0]}


def save(model: Model, path: Path) -> Path:
    model.save(path)
    return path
