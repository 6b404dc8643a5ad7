"""A model of python-crfsuite on CoNLL-2000: read by tagloom, it gives the same labels, marginals and probabilities."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tagloom
from tagloom.corpus import Corpus

SENTENCES = 1500  # of the training data


def extract(corpus: Corpus, number: int) -> list[Any]:
    """Items of one sentence: dicts with words, tags and a number, in the window of a chunker."""
    words, tags = (corpus.sentence(number, name) for name in ("form", "pos"))
    padded, around = ["", *words, ""], ["", *tags, ""]
    return [
        {
            "w": {str(d - 1): padded[t + d] for d in range(3)},
            "p": {str(d - 1): around[t + d] for d in range(3)},
            "pair": [f"{around[t]}|{tags[t]}", f"{tags[t]}|{around[t + 2]}"],
            "title": words[t].istitle(),
            "length": len(words[t]) / 10,
        }
        for t in range(len(words))
    ]


@pytest.mark.parametrize("algorithm", ["lbfgs", "ap"])
def test_a_model_of_python_crfsuite(data_dir: Path, tmp_path: Path, algorithm: str) -> None:
    crfsuite = pytest.importorskip("pycrfsuite")
    train, test = (
        tagloom.read(data_dir / "conll2000" / name, columns="form pos label") for name in ("train.txt.xz", "test.txt")
    )
    trainer = crfsuite.Trainer(algorithm, {"max_iterations": 10}, verbose=False)
    for number in range(SENTENCES):
        trainer.append(extract(train, number), train.sentence(number, "label"))
    trainer.train(str(tmp_path / "model.crfsuite"))
    theirs, ours = crfsuite.Tagger(), tagloom.load(tmp_path / "model.crfsuite")
    theirs.open(str(tmp_path / "model.crfsuite"))
    sequences = [extract(test, number) for number in range(len(test))]
    expected = [theirs.tag(sequence) for sequence in sequences]
    assert ours.tag_many(sequences) == expected
    assert [ours.tag(sequence) for sequence in sequences] == expected
    for sequence, labels in list(zip(sequences, expected))[::10]:
        theirs.set(sequence)
        marginals = [[theirs.marginal(label, t) for label in theirs.labels()] for t in range(len(sequence))]
        np.testing.assert_allclose(ours.marginals(sequence), marginals, rtol=0, atol=1e-6)
        assert ours.probability(sequence, labels) == pytest.approx(theirs.probability(labels), abs=1e-6)
