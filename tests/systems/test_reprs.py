"""What models, explanations and experiments show of themselves: one line, all of it as text, tables in notebooks."""

from __future__ import annotations

from typing import Any

import pytest

import tagloom
from tagloom.systems.options import SearchOptions
from tagloom.systems.registry import SYSTEMS
from tagloom.systems.tables import Table
from tagloom.systems.tagger.options import TaggerOptions
from tests.treebank import treebank

PAIRS = [(["the", "dog"], ["DT", "NN"]), (["a", "<b>"], ["DT", "NN"])] * 3
SPANS = [(["in", "Bonn", "today"], [(1, 2, "LOC")])]


def shown() -> dict[str, Any]:
    tagger = tagloom.train(PAIRS, epochs=2)
    parser = tagloom.train(treebank(6), system="parser", epochs=1, tag_folds=2, tagger={"epochs": 1})
    chunker = tagloom.train(SPANS, system="phrases", cutoff=1)
    return {
        "tagger explanation": tagger.explain(["a", "<b>"]),
        "parser explanation": parser.explain(["the", "dog"]),
        "phrase explanation": chunker.explain(["in", "Bonn"]),
        "tagger description": tagger.describe(),
        "parser description": parser.describe(),
        "phrase description": chunker.describe(),
        "comparison": tagloom.compare_learners(PAIRS, PAIRS, "perceptron,lbfgs", jobs=1),
        "tuning": tagloom.tune(PAIRS, PAIRS, {"epochs": [1, 2]}, jobs=1),
    }


@pytest.fixture(scope="module")
def values() -> dict[str, Any]:
    return shown()


def test_one_line_that_is_short(values: dict[str, Any]) -> None:
    for name, value in values.items():
        line = repr(value)
        assert "\n" not in line, name
        assert len(line) < 300, name
        assert " at 0x" not in line, name
    assert repr(values["tagger explanation"]) == "<TaggerExplanation a/DT <b>/NN>"
    assert repr(values["tagger explanation"][0]).startswith("<TokenExplanation DT over NN by ")
    assert repr(values["parser explanation"]).startswith("<ParserExplanation the dog: ")
    assert repr(values["phrase explanation"]).startswith("<PhraseExplanation in Bonn: 1 of ")
    assert repr(values["comparison"]).startswith("<Comparison of 2 learners; best ")
    assert repr(values["tuning"]).startswith("<Tuning of 2 trials; best epochs=")
    assert repr(values["tagger description"]).startswith("<Description ")


def test_tables_as_text_and_in_notebooks(values: dict[str, Any]) -> None:
    for name, value in values.items():
        text, table = str(value), value._repr_html_()
        assert "\n" in text, name
        assert table.count("<table>") == table.count("</table>") > 0, name
    assert "&lt;b&gt;" in values["tagger explanation"]._repr_html_()
    assert str(values["comparison"]).splitlines()[0].split()[:2] == ["learner", "accuracy"]
    assert len(str(values["tuning"]).splitlines()) == 3


def test_specs_options_and_rows() -> None:
    model = tagloom.train(PAIRS, epochs=2)
    assert repr(model.spec) == f"<TaggerSpec {model.spec.signature}>"
    assert repr(TaggerOptions(epochs=3)) == "TaggerOptions(epochs=3)"
    assert repr(TaggerOptions()) == "TaggerOptions()"
    assert repr(SearchOptions()) == "SearchOptions()"
    assert repr(SYSTEMS["parser"]) == "<System parser: dependency trees, from the columns head and deprel>"
    assert repr(Table(("a", "b"), [("1", "2")])) == "<Table: 1 rows of a, b>"


def test_jackknifed() -> None:
    found = tagloom.jackknife(PAIRS, folds=2, epochs=1, jobs=1)
    assert repr(found) == f"<Jackknifed label of 2 folds by sentences: {found.score!r}>"
