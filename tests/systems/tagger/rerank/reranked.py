"""Small reranked models for the tests of this folder."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

import tagloom
from tagloom.corpus import Corpus
from tagloom.features import Document, WordList
from tests.systems.toy import news_split

FAST: dict[str, Any] = {"label": "ner", "templates": "form[0]\nshape[0]\n/ edge\n", "epochs": 3}
LOWERCASED = ["the", "a", "of", "said", "in", "on", "report"]
QUICK: dict[str, Any] = {"folds": 2, "cutoff": 1, "candidates": 6, "jobs": 1}
BASES: dict[str, dict[str, Any]] = {
    "perceptron": {},
    "bioes": {"scheme": "BIOES"},
    "crf": {"learner": "dca"},
    "maxent": {"learner": "maxent", "epochs": 10},
    "lookahead": {"learner": "lookahead-perceptron", "history": 2},
    "hashed": {"buckets": 4096},
    "dictionary": {"tag_dictionary": 3},
    "pos": {"label": "pos"},
    "documents": {"learner": "nonlocal-perceptron", "n": 4, "C": 100, "epochs": 8},
    "joined": {"sequences": "joined"},
}
OF_SENTENCES = [name for name in BASES if name not in ("documents", "joined")]


def short(method: str) -> dict[str, int]:
    """A training of few rounds or passes."""
    return {"rounds": 80} if method == "boosting" else {"passes": 2}


@functools.cache
def base(name: str = "perceptron") -> tagloom.Tagger:
    return tagloom.train(news_split()[0], **{**FAST, **BASES[name]})


@functools.cache
def reranked(name: str = "perceptron", method: str = "voted", **options: Any) -> tagloom.Tagger:
    train, dev = news_split()
    given_options = {**QUICK, **short(method), "resources": {"lowercased": WordList.of(LOWERCASED)}, **options}
    return tagloom.rerank(base(name), train, dev=dev, method=method, **given_options)


def words_of(corpus: Corpus) -> list[list[str]]:
    return [corpus.sentence(i, "form") for i in range(len(corpus))]


def sentences_of(column: list[str], corpus: Corpus) -> list[list[str]]:
    return [column[a:b] for a, b in itertools.pairwise(corpus.sentences.tolist())]


def tagged(model: tagloom.Tagger, corpus: Corpus | None = None, **options: Any) -> list[str]:
    return model.tag_corpus(news_split()[1] if corpus is None else corpus, **options).texts()


def agreeing(count: int, seed: int) -> list[tuple[list[str], list[str]]]:
    """The first word has the class of the last, which is far from it."""
    rng = np.random.default_rng(seed)
    kinds = [("A", "k"), ("B", "l")]
    found = []
    for _ in range(count):
        label, last = kinds[int(rng.integers(2))]
        middle = int(rng.integers(2, 5))
        found.append((["p", *["m"] * middle, last], [label, *["N"] * middle, label]))
    return found


def ends(document: Document, labels: Sequence[str]) -> list[str]:
    return [f"{labels[0]} {labels[-1]}"] if labels else []


@functools.cache
def agreeing_tagger() -> tagloom.Tagger:
    return tagloom.train(agreeing(40, 1), templates="form[0]\n", epochs=3)


@functools.cache
def agreeing_model(method: str = "voted") -> tagloom.Tagger:
    options: dict[str, Any] = {"templates": None, "functions": {"ends": ends}, "folds": 2, "jobs": 1, **short(method)}
    options |= {"passes": 10, "C": 10.0} if method == "margin" else {}
    return tagloom.rerank(agreeing_tagger(), agreeing(40, 1), method=method, **options)
