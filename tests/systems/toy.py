"""Small corpora and models for the tests of this folder."""

from __future__ import annotations

import functools
import io

import tagloom
from tagloom.corpus import Corpus, read
from tagloom.datasets import newswire

#: (words, tags)
TAGGED = [
    (["the", "dog", "barks"], ["DT", "NN", "VBZ"]),
    (["a", "cat", "sleeps"], ["DT", "NN", "VBZ"]),
    (["dogs", "bark"], ["NNS", "VBP"]),
    (["the", "cats", "sleep"], ["DT", "NNS", "VBP"]),
]

CRFSUITE = "N\tw=dog\tlength:0.5\nV\tw=barks\n\nN\tw=cat:2\nV\tw=sleeps\tlast\n"


@functools.cache
def news() -> Corpus:
    """160 sentences with the columns form, pos, ner."""
    corpus = newswire(8, seed=3).slice(0, 160)
    return Corpus(
        {name: corpus.columns[name] for name in ("form", "pos", "ner")},
        corpus.sentences,
        corpus.documents,
        corpus.has_documents,
    )


def news_split() -> tuple[Corpus, Corpus]:
    """Training and development part."""
    return news().slice(0, 110), news().slice(110, 160)


@functools.cache
def tagger() -> tagloom.Tagger:
    """Plain tags over one column."""
    return tagloom.train(TAGGED, learner="averaged-perceptron", templates="words")


@functools.cache
def entity_model() -> tagloom.Tagger:
    """Entities over the columns form and pos, with edge features and real values; decides on BIOES, writes IOB2."""
    return tagloom.train(
        news(),
        templates="form[{-1..1}]\npos[0]\nsize[0]\npos[-1] pos[0] / edge\n/ edge\n",
        attributes={"size": size},
        scheme="BIOES",
        learner="averaged-perceptron",
        epochs=4,
    )


@functools.cache
def bag_model() -> tagloom.Tagger:
    """Of a CRFsuite file: tokens are bags of attributes."""
    return tagloom.train(crfsuite_corpus(), learner="averaged-perceptron", epochs=5)


def crfsuite_corpus() -> Corpus:
    return read(io.StringIO(CRFSUITE), "crfsuite")


def size(word: str) -> dict[str, float]:
    """A real-valued attribute."""
    return {"length": len(word) / 4}


def rows(corpus: Corpus, index: int) -> list[tuple[str, str]]:
    """A sentence as :func:`entity_model` reads it."""
    return list(zip(corpus.sentence(index, "form"), corpus.sentence(index, "pos")))


def all_rows(corpus: Corpus) -> list[list[tuple[str, str]]]:
    return [rows(corpus, index) for index in range(len(corpus))]


def weights(model: tagloom.Tagger) -> bytes:
    return model.parameters.weights.tobytes()
