"""Trainings whose weights are kept as checksums: one per learner and system, on documents of the generator."""

from __future__ import annotations

import platform
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import tagloom
from tagloom.corpus import Corpus
from tagloom.datasets import newswire
from tagloom.learners import LEARNERS


def _columns(*names: str) -> Corpus:
    corpus = newswire(10, seed=5)
    columns = {name: corpus.column(name) for name in names}
    return Corpus(columns, corpus.sentences, corpus.documents, corpus.has_documents, corpus.source)


def _entities(learner: str = "averaged-perceptron", **options: Any) -> Any:
    corpus = _columns("form", "pos", "ner")
    return tagloom.train(corpus, scheme="BIOES", templates="ner-basic", learner=learner, **options)


def _listed(**options: Any) -> Any:
    templates = "form[{-1..1}]\ngazetteer[0]\nlowercased[0]\n/ edge\n"
    corpus = _columns("form", "pos", "ner")
    return tagloom.train(corpus, scheme="data", templates=templates, learner="averaged-perceptron", **options)


def _parser(**options: Any) -> Any:
    chosen = {"learner": "lookahead-perceptron", "templates": "zhang-nivre", **options}
    return tagloom.train(_columns("form", "pos", "head"), system="parser", epochs=2, **chosen)


def _phrases(**options: Any) -> Any:
    return tagloom.train(_columns("form", "pos", "ner"), system="phrases", epochs=2, cutoff=2, **options)


def _segments(**options: Any) -> Any:
    corpus = _columns("form", "pos", "ner")
    return tagloom.train(corpus, system="segments", templates="ner-basic", epochs=2, **options)


def _reranked(**options: Any) -> Any:
    return tagloom.rerank(_entities(epochs=2), _columns("form", "pos", "ner"), folds=2, cutoff=2, **options)


#: Name of the training: what makes its model.
TRAININGS: Mapping[str, Callable[[], Any]] = {
    **{f"tagger {name}": lambda name=name: _entities(learner=name, epochs=3) for name in LEARNERS},  # type: ignore[misc]
    "tagger plain tags": lambda: tagloom.train(
        _columns("form", "pos"), templates="pos", learner="averaged-perceptron", epochs=3
    ),
    "tagger label triples": lambda: _entities(learner="lookahead-perceptron", history=2, depth=2, epochs=2),
    "tagger right to left": lambda: _entities(learner="beam-perceptron", direction="right-to-left", epochs=2),
    "tagger buckets": lambda: _entities(buckets=1000, epochs=2),
    "tagger joined documents": lambda: _entities(sequences="joined", epochs=2),
    "tagger resources": lambda: _listed(resources={"gazetteer": "train", "lowercased": "train"}, epochs=2),
    "tagger dev": lambda: _entities(dev=newswire(3, seed=9), epochs=4),
    "parser lookahead": _parser,
    "parser beam, gold tags": lambda: _parser(learner="beam-perceptron", tags="gold"),
    "phrases degree 1": lambda: _phrases(degree=1),
    "phrases degree 2": _phrases,
    "phrases degree 2, primal": lambda: _phrases(form="primal"),
    "segments": lambda: _segments(learner="averaged-perceptron"),
    "rerank margin": lambda: _reranked(method="margin"),
    "rerank voted": lambda: _reranked(method="voted"),
    "rerank boosting": lambda: _reranked(method="boosting", rounds=200),
}


#: Trainings that add up in the order of the machine's linear algebra, or take its exponentials.
DEPEND_ON_MACHINE = tuple(
    f"tagger {name}"
    for name, learner in LEARNERS.items()
    if learner.has_likelihood or learner.opponent == "conditional"
)


def describe_machine() -> str:
    """What floating-point results depend on beside the code."""
    return f"{platform.machine()}, {' '.join(platform.libc_ver())}, NumPy {np.__version__}"


def checksum_weights(value: object, total: int = 0) -> int:
    """CRC-32 of all arrays below a model's parameters, in the order of their names."""
    if isinstance(value, np.ndarray):
        return zlib.crc32(np.ascontiguousarray(value).view(np.uint8).data, total)
    fields = getattr(value, "__dataclass_fields__", {})
    for name in sorted(fields):
        total = checksum_weights(getattr(value, name), total)
    return total
