"""Objects whose public methods are fuzzed: a model of every system, and what models, corpora and scores give."""

from __future__ import annotations

import importlib
from typing import Any

import tagloom
from tagloom.corpus import Corpus
from tagloom.datasets import newswire
from tagloom.systems.registry import SYSTEMS

#: What each system learns from, and options that make it quick.
_TRAININGS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "tagger": (("form", "pos", "ner"), {"epochs": 1}),
    "parser": (("form", "pos", "head"), {"epochs": 1, "tag_folds": 2, "tagger": {"epochs": 1, "depth": 1}}),
    "phrases": (("form", "pos", "ner"), {"epochs": 1, "cutoff": 1}),
    "segments": (("form", "pos", "ner"), {"epochs": 1, "rate": 0.1}),
    "tokenizer": (("form",), {"epochs": 1}),
    "ensemble": (("form", "pos", "ner"), {"epochs": 1, "members": 2}),
    "pipeline": (
        ("form", "upos", "head"),
        {"folds": 2, "options": {"tokens": {"epochs": 1}, "upos": {"epochs": 1, "depth": 1}, "trees": {"epochs": 1}}},
    ),
}


def build_subjects() -> dict[str, Any]:
    """Build the objects, by name."""
    corpus = newswire(3, seed=2)
    models = {name: _train(name, corpus) for name in SYSTEMS if name in _TRAININGS}
    words = tagloom.train(corpus.slice(0, 20), label="pos", learner="sgd", epochs=1)
    items = tagloom.train([([{"w": "a"}, {"w": "b"}], ["X", "Y"])] * 3, learner="lbfgs")
    annotation = words("The cat left. It rained.")
    score = words.evaluate(corpus)
    return {
        **models, "words": words, "items": items, "corpus": corpus, "column": corpus.column("pos"), "score": score,
        "annotation": annotation, "token": annotation.tokens[0], "tree": models["parser"]("The cat left."),
        "explanation": words.explain(["The", "cat"]), "description": words.describe(),
        "templates": tagloom.load_templates("ner"), "learner": tagloom.LEARNERS["dca"],
        "comparison": tagloom.compare(score, score, samples=10), **_build_foreign(),
    }  # fmt: skip


def _train(name: str, corpus: Corpus) -> Any:
    columns, options = _TRAININGS[name]
    renamed = corpus.rename(["upos" if each == "pos" and "upos" in columns else each for each in corpus.names])
    chosen = {each: renamed.column(each) for each in columns}
    return tagloom.train(Corpus(chosen, corpus.sentences, corpus.documents, True), system=name, **options)


def _build_foreign() -> dict[str, Any]:
    """Objects in the shape of other packages."""
    found: dict[str, Any] = {}
    crfsuite = importlib.import_module("tagloom.compat.crfsuite")
    sequences, labels = [[{"w": "a"}, {"w": "b"}]] * 3, [["X", "Y"]] * 3
    found["crfsuite CRF"] = crfsuite.CRF(max_iterations=2).fit(sequences, labels)
    found["crfsuite Trainer"] = crfsuite.Trainer(verbose=False)
    found["crfsuite Tagger"] = crfsuite.Tagger()
    return found
