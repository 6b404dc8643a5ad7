"""python-crfsuite: averaged perceptron, ten iterations."""

from __future__ import annotations

import time
from pathlib import Path

import pycrfsuite

from bench.rivals.chunking import extract_features, read_sentences

ITERATIONS = 10


def train(train_file: Path, model_file: Path) -> dict[str, float]:
    """Train and save a model; returns the seconds of one pass."""
    trainer = pycrfsuite.Trainer(verbose=False)
    for sentence in read_sentences(train_file):
        words, tags, labels = (list(column) for column in zip(*sentence, strict=True))
        trainer.append(extract_features(words, tags), labels)
    trainer.select("averaged-perceptron")
    trainer.set_params({"max_iterations": ITERATIONS})
    started = time.perf_counter()
    trainer.train(str(model_file))
    return {"epoch": (time.perf_counter() - started) / ITERATIONS}


class Tagger:
    """A trained model."""

    def __init__(self, model_file: Path) -> None:
        self.tagger = pycrfsuite.Tagger()
        self.tagger.open(str(model_file))

    def tag(self, sentences: list[list[tuple[str, str]]]) -> list[list[str]]:
        """Return the labels of sentences of (word, tag) pairs."""
        out = []
        for sentence in sentences:
            words, tags = (list(column) for column in zip(*sentence, strict=True))
            out.append(self.tagger.tag(extract_features(words, tags)))
        return out
