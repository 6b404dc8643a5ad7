"""Columns under the names that a model knows: by position only where the data has no names."""

from __future__ import annotations

import io
from typing import Any

import pytest

from tagloom.corpus import read, to_corpus
from tagloom.corpus.naming import match_names

LAYOUTS = [("form", "pos"), ("form", "pos", "ner")]


@pytest.mark.parametrize(
    ("data", "needed", "names"),
    [
        # Data without names: by position.
        ([[("a", "X")]], "form pos", "form pos"),
        ([[("a", "X", "O")]], "form pos ner", "form pos ner"),
        (io.StringIO("a X O\nb X O\n\n"), "form pos ner", "form pos ner"),
        ([[("a", "X", "O", "Y")]], "form ner", None),
        # Data with names: those names only.
        ({"form": [["a"]], "lemma": [["b"]]}, "form pos", None),
        ({"form": [["a"]], "lemma": [["b"]], "label": [["O"]]}, "form pos ner", None),
        ({"form": [["a"]], "label": [["O"]]}, "form ner", None),
        ([{"tokens": ["a"], "tags": ["O"], "pos": ["X"]}], "form pos ner", None),
        # Names that tagloom has changed: the names of the data.
        ({"tokens": [["a"]], "ner": [["O"]]}, "form ner", "form ner"),
        ({"tokens": [["a"]], "ner_tags": [["O"]]}, "form ner", "form ner"),
        ({"tokens": [["a"]], "ner_tags": [["O"]]}, "form pos", None),
        ({"word": [["a"]], "tag": [["O"]]}, "word tag", "word tag"),
        ({"tokens": [["a"]], "pos": [["X"]]}, "word pos", "word pos"),
        ({"form": [["a"]], "ner": [["O"]], "pos": [["X"]]}, "form pos ner", "form pos ner"),
        # A single labelling without a name of its own.
        ({"tokens": [["a"]], "tags": [["O"]]}, "form ner", "form ner"),
        ([{"text": "a", "label": [[0, 1, "X"]]}], "form ner", "form ner"),
        ([{"tokens": ["a"], "tags": ["X"], "heads": [0]}], "form upos head", "form upos head"),
    ],
)
def test_names(data: Any, needed: str, names: str | None) -> None:
    found = match_names(to_corpus(data), needed.split(), LAYOUTS)
    assert (found and found.names) == (names and names.split())


def test_columns_that_the_user_names_are_not_renamed() -> None:
    corpus = read(io.StringIO("a X\nb X\n\n"), columns="form lemma")
    assert match_names(corpus, ["form", "pos"], LAYOUTS) is None
