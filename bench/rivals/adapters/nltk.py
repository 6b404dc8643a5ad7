"""NLTK: its CRF tagger with the features of the task; its perceptron and its trigram tagger with their own."""

from __future__ import annotations

import json
import pickle
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.rivals.adapters.adapter import Adapter, Rows, Tagger
from bench.rivals.adapters.crfsuite import TASKS
from bench.rivals.tasks import Files, Task, read_sentences, stream_sentences


@dataclass(frozen=True)
class WordTagger(Tagger):
    """A tagger of NLTK that takes words."""

    tagger: Any

    def tag(self, sentence: Rows) -> list[str]:
        return [tag for _, tag in self.tagger.tag([row[0] for row in sentence])]


class Perceptron(Adapter):
    """``PerceptronTagger``; five passes, which is its default."""

    def train(self, task: Task, files: Files, model: Path) -> dict[str, Any]:
        from nltk.tag.perceptron import PerceptronTagger

        random.seed(1)  # the tagger shuffles with the global generator
        tagger = PerceptronTagger(load=False)
        tagger.train(read_sentences(files.train))
        model.write_text(json.dumps(tagger.encode_json_obj()), "utf-8")
        return {"passes": 5}

    def open(self, task: Task, model: Path) -> WordTagger:
        from nltk.tag.perceptron import PerceptronTagger

        tagger = PerceptronTagger.decode_json_obj(json.loads(model.read_text("utf-8")))
        return WordTagger(tagger)


class Trigrams(Adapter):
    """``TnT``, saved by pickle."""

    def train(self, task: Task, files: Files, model: Path) -> dict[str, Any]:
        from nltk.tag.tnt import TnT

        tagger = TnT()
        tagger.train(read_sentences(files.train))
        model.write_bytes(pickle.dumps(tagger))
        return {}

    def open(self, task: Task, model: Path) -> WordTagger:
        return WordTagger(pickle.loads(model.read_bytes()))


class FeatureFunction:
    """The features of a token, as ``CRFTagger`` asks for them; those of a sentence are extracted at its first token."""

    def __init__(self, extract: Callable[[Rows], list[list[str]]]) -> None:
        self.extract = extract
        self.found: list[list[str]] = []

    def __call__(self, tokens: Rows, index: int) -> list[str]:
        if index == 0:
            self.found = self.extract(tokens)
        return self.found[index]


@dataclass(frozen=True)
class CrfTagger(Tagger):
    """``CRFTagger``, whose tokens are rows."""

    tagger: Any

    def tag(self, sentence: Rows) -> list[str]:
        return [tag for _, tag in self.tagger.tag(sentence)]


class Crf(Adapter):
    """``CRFTagger``, which is python-crfsuite with its defaults."""

    def train(self, task: Task, files: Files, model: Path) -> dict[str, Any]:
        pairs = ([(task.hide_label(row), row[-1]) for row in each] for each in stream_sentences(files.train))
        self._build(task, model).train(pairs, str(model))
        return {}

    def open(self, task: Task, model: Path) -> CrfTagger:
        tagger = self._build(task, model)
        tagger.set_model_file(str(model))
        return CrfTagger(tagger)

    def _build(self, task: Task, model: Path) -> Any:
        import nltk.data
        from nltk.tag.crf import CRFTagger

        nltk.data.path.append(str(model.parent))  # it opens no models elsewhere
        return CRFTagger(feature_func=FeatureFunction(task.features.extract_strings))


ADAPTERS = [
    Crf("NLTK, CRF", TASKS[:2], "python-crfsuite, defaults", "nltk", features=True),
    Perceptron("NLTK, perceptron", ("pos",), "5 passes, its default", "nltk"),
    Trigrams("NLTK, TnT", ("pos",), "defaults", "nltk"),
]
