"""Corpora from Python lists and from dicts in the style of Hugging Face datasets."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tagloom.corpus import from_hf, from_sentences
from tagloom.errors import ConfigError, DataError

SENTENCES = [["He", "left"], [], ["Yes"]]


def test_words() -> None:
    corpus = from_sentences(SENTENCES)
    assert corpus.names == ["form"]
    assert list(corpus.iter_sentences("form")) == SENTENCES


def test_words_with_parallel_tags() -> None:
    corpus = from_sentences(SENTENCES, [["P", "V"], [], ["U"]])
    assert corpus.names == ["form", "label"]
    assert list(corpus.iter_sentences("label")) == [["P", "V"], [], ["U"]]


def test_tuples() -> None:
    corpus = from_sentences([[("He", "P", "O"), ("left", "V", "O")]], columns="form upos ner")
    assert corpus.sentence(0, "upos") == ["P", "V"]
    assert from_sentences([[("He", "P")]]).names == ["form", "label"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["He left"],), "sentence 1 is a string, expected a list of tokens; split it first"),
        ((SENTENCES, [["P"], [], ["U"]]), "sentence 1 has 2 tokens, but 1 tags"),
        ((SENTENCES, []), "3 sentences, but 0 lists of tags"),
        (([[("a", "b"), ("c",)]],), r"token 2 is \('c',\), expected 2 fields like the first token"),
        (([[("a", "b")]], None, "x y z"), r"3 columns named \(x y z\), found 2"),
    ],
)
def test_refusals(arguments: Any, message: str) -> None:
    with pytest.raises(DataError, match=f"^<memory>: {message}$"):
        from_sentences(*arguments)


def test_values_must_be_text() -> None:
    with pytest.raises(DataError):
        from_sentences([["a", 3]])  # type: ignore[list-item]
    with pytest.raises(DataError):
        from_sentences([["\ud800"]])


NAMES = ["O", "B-LOC"]


@pytest.mark.parametrize(
    "names", [NAMES, SimpleNamespace(names=NAMES), SimpleNamespace(feature=SimpleNamespace(names=NAMES))]
)
@pytest.mark.parametrize(
    "data",
    [
        {"tokens": [["in", "Bonn"], ["Yes"]], "ner_tags": [[0, 1], [0]]},
        [{"tokens": ["in", "Bonn"], "ner_tags": [0, 1]}, {"tokens": ["Yes"], "ner_tags": np.array([0])}],
        {"tokens": [["in", "Bonn"], ["Yes"]], "ner_tags": [["O", "B-LOC"], ["O"]]},
    ],
)
def test_hugging_face(data: Any, names: Any) -> None:
    corpus = from_hf(data, names)
    assert list(corpus.iter_sentences("form")) == [["in", "Bonn"], ["Yes"]]
    assert list(corpus.iter_sentences("label")) == [["O", "B-LOC"], ["O"]]


def test_hugging_face_other_fields() -> None:
    data = {"words": [["a"]], "upos": [[1]]}
    assert from_hf(data, NAMES, tokens="words", tags="upos").sentence(0, "label") == ["B-LOC"]
    assert from_hf(data, tokens="words", tags=None).names == ["form"]


def test_hugging_face_refusals() -> None:
    data = {"tokens": [["a"]], "ner_tags": [[2]]}
    with pytest.raises(ConfigError, match="integer tags need names"):
        from_hf(data)
    with pytest.raises(DataError, match="tag 2 has no name, expected 0 to 1"):
        from_hf(data, NAMES)
    with pytest.raises(ConfigError, match="unknown field 'tags'"):
        from_hf(data, NAMES, tags="tags")
    with pytest.raises(ConfigError, match="unknown field 'tags'"):
        from_hf([{"tokens": ["a"]}], NAMES, tags="tags")
