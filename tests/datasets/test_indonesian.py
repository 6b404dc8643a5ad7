"""The bundled sample: its counts, its licence, and that it is what the source holds."""

from __future__ import annotations

import importlib.resources
import lzma
from collections import Counter
from pathlib import Path

import pytest

from tagloom.datasets import Split, indonesian_pos

DATA = importlib.resources.files("tagloom.datasets") / "data"


@pytest.fixture(scope="module")
def split() -> Split:
    return indonesian_pos()


def sentences(split: Split) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    parts = (split.train, split.dev, split.test)
    return [
        (tuple(forms), tuple(labels))
        for part in parts
        for forms, labels in zip(part.iter_sentences("form"), part.iter_sentences("label"))
    ]


def test_counts(split: Split) -> None:
    parts = (split.train, split.dev, split.test)
    assert [len(part) for part in parts] == [2000, 250, 250]
    assert [part.token_count for part in parts] == [32_901, 5_021, 5_185]
    assert all(part.names == ["form", "label"] for part in parts)


def test_content_never_changes(split: Split) -> None:
    assert [part.checksum() for part in (split.train, split.dev, split.test)] == [
        "f16c60fb6cc3",
        "411a6b6d4eda",
        "716d07034efd",
    ]


def test_no_sentence_twice_and_no_erroneous_tag(split: Split) -> None:
    forms = [words for words, _ in sentences(split)]
    tags = Counter(tag for _, labels in sentences(split) for tag in labels)
    assert len(set(forms)) == len(forms)
    assert "SS" not in tags
    assert (len(tags), tags["NN"], tags["UH"]) == (17, 9_453, 9)


def test_the_licence_travels_with_the_data() -> None:
    notice = (DATA / "LICENSE.nlp-id").read_text(encoding="utf-8")
    assert "MIT License" in notice
    assert "Copyright (c) 2019 Frandy Eddy" in notice
    assert "The above copyright notice and this permission notice shall be included in all" in notice


def test_each_sentence_is_one_of_the_source_in_its_order(data_dir: Path, split: Split) -> None:
    path = data_dir / "idn-pos" / "dataset_postag.txt.xz"
    if not path.exists():
        pytest.skip(f"no {path}: set TAGLOOM_DATA to the folder of corpora")
    text = lzma.decompress(path.read_bytes()).decode()
    rows = [[line.split("\t") for line in block.splitlines()] for block in text.strip("\n").split("\n\n")]
    source = iter([tuple(zip(*sentence)) for sentence in rows])
    assert all(sentence in source for sentence in sentences(split))
