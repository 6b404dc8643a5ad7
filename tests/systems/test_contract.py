"""Every row of the registry keeps the contract, and so does a system that a user registers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import tagloom
from tagloom.corpus import Corpus
from tagloom.datasets import newswire
from tagloom.systems.registry import SYSTEMS
from tagloom.testing import check_system
from tests.systems.majority import MAJORITY

#: What a system learns from, and options that make it quick.
CASES = {
    "tagger": (("form", "pos", "ner"), {"epochs": 2}),
    "parser": (("form", "pos", "head"), {"epochs": 2, "tag_folds": 2, "tagger": {"epochs": 1, "depth": 1}}),
    "phrases": (("form", "pos", "ner"), {"epochs": 2, "cutoff": 1}),
    "segments": (("form", "pos", "ner"), {"epochs": 2}),
    "tokenizer": (("form",), {"epochs": 2}),
    "pipeline": (
        ("form", "pos", "head"),
        {
            "folds": 2,
            "options": {
                "tokens": {"epochs": 2},
                "upos": {"epochs": 1, "depth": 1},
                "trees": {"epochs": 2},
            },
        },
    ),
    "ensemble": (("form", "pos", "ner"), {"epochs": 1, "members": 2}),
    "majority": (("form", "pos"), {}),
}


def corpus(*names: str) -> Corpus:
    made = newswire(3, seed=2)
    columns = {name: made.column(name) for name in names}
    return Corpus(columns, made.sentences, made.documents, made.has_documents, made.source)


@pytest.fixture
def majority() -> Iterator[None]:
    tagloom.register_system(MAJORITY)
    yield
    del SYSTEMS[MAJORITY.name]


def test_every_row_is_checked(majority: None) -> None:
    assert set(CASES) == set(SYSTEMS)


@pytest.mark.parametrize("name", CASES)
def test_the_system_keeps_the_contract(name: str, majority: None) -> None:
    columns, options = CASES[name]
    data = corpus(*columns)
    if name == "pipeline":  # its parts are found by the names of CoNLL-U
        data = data.rename(["upos" if column == "pos" else column for column in data.names])
    check_system(name, data, options)


def test_a_system_has_one_row(majority: None) -> None:
    with pytest.raises(tagloom.ConfigError, match="registered already"):
        tagloom.register_system(MAJORITY)
    with pytest.raises(tagloom.ConfigError, match="unknown system 'majorty'; did you mean 'majority'"):
        tagloom.train([(["a"], ["X"])], system="majorty")
