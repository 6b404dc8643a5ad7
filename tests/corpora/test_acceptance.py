"""Acceptance on real corpora with default settings: the scores the README states."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest

import tagloom
from tagloom.corpus import Corpus


def test_chunking_on_conll2000(data_dir: Path) -> None:
    test = tagloom.read(data_dir / "conll2000" / "test.txt")
    scores = [
        tagloom.train(data_dir / "conll2000" / "train.txt.xz", templates="chunking", seed=seed).evaluate(test)
        for seed in (1, 2, 3)
    ]
    assert statistics.mean(score.overall.f1 for score in scores) >= 93.4


@pytest.fixture(scope="module")
def conll2003(data_dir: Path) -> dict[str, Corpus]:
    folder = data_dir / "conll2003-en"
    return {name: tagloom.read(folder / file) for name, file in {"train": "eng.train.xz", "test": "eng.testb"}.items()}


def test_entities_without_lists(conll2003: dict[str, Corpus]) -> None:
    model = tagloom.train(conll2003["train"], templates="ner-basic")
    assert model.evaluate(conll2003["test"]).overall.f1 >= 83.7


def test_entities_with_lists(conll2003: dict[str, Corpus], data_dir: Path) -> None:
    resources = data_dir / "resources"
    model = tagloom.train(
        conll2003["train"],
        templates="ner-extended",
        scheme="BIOES",
        resources={
            "brown": resources / "brown" / "brown-rcv1-c3200.paths.txt.xz",
            "gazetteer": resources / "gazetteers",
        },
    )
    assert model.evaluate(conll2003["test"]).overall.f1 >= 89.3


def test_segmentation_on_ctb6(data_dir: Path) -> None:
    model = tagloom.train(data_dir / "cws-ctb6" / "ctb6.train.seg.xz")
    score = model.evaluate(tagloom.read(data_dir / "cws-ctb6" / "ctb6.test.seg"))
    assert score.overall.f1 >= 94.8


def test_part_of_speech_on_ewt(data_dir: Path) -> None:
    folder = data_dir / "ud-en-ewt"
    model = tagloom.train(folder / "en_ewt-ud-train.conllu.xz", label="upos", templates="pos")
    assert model.evaluate(tagloom.read(folder / "en_ewt-ud-test.conllu.xz")).accuracy >= 94.8


def test_more_data_helps_a_chunker(data_dir: Path, tmp_path: Path) -> None:
    """A model of half of CoNLL-2000 that goes on with the other half; and how large its file is."""
    data = tagloom.read(data_dir / "conll2000" / "train.txt.xz")
    test = tagloom.read(data_dir / "conll2000" / "test.txt")
    half = len(data) // 2
    first = tagloom.train(data.slice(0, half), templates="chunking")
    both = tagloom.train(data.slice(half, len(data)), start=first)
    assert both.evaluate(test).overall.f1 >= first.evaluate(test).overall.f1 + 0.2
    both.save(tmp_path / "model")
    assert (tmp_path / "model").stat().st_size < 4_500_000


@pytest.mark.parametrize(
    ("learner", "least"), [("pa", 93.2), ("dca", 93.6), ("sgd", 93.5), ("adf", 93.6), ("madf", 93.6)]
)
def test_learners_of_he_wang_2012_on_conll2000(learner: str, least: float, data_dir: Path) -> None:
    """Ten passes; the recipe makes more (docs/papers/he-wang-2012.md)."""
    test = tagloom.read(data_dir / "conll2000" / "test.txt")
    model = tagloom.train(
        data_dir / "conll2000" / "train.txt.xz", templates="chunking", learner=learner, epochs=10, names=False
    )
    assert model.evaluate(test).overall.f1 >= least
