"""CRF++ template files as they are: macros, identifiers, bigrams, shared features, errors with their line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom.corpus import Corpus
from tagloom.errors import ConfigError
from tagloom.features import Feature, FeatureEncoder, Part, Template, Vocabulary, load_templates
from tests.features.encoded import Encoded, by_token, expected
from tests.strategies import unhurried

# The template of CRF++'s own base-NP example, which most files that people have were copied from.
CHUNKING = """\
# Unigram
U00:%x[-2,0]
U01:%x[-1,0]
U02:%x[0,0]
U03:%x[1,0]
U04:%x[2,0]
U05:%x[-1,0]/%x[0,0]
U06:%x[0,0]/%x[1,0]

U10:%x[-2,1]
U11:%x[-1,1]
U12:%x[0,1]q
U13:%x[1,1]
U14:%x[2,1]
U15:%x[-2,1]/%x[-1,1]
U16:%x[-1,1]/%x[0,1]
U17:%x[0,1]/%x[1,1]
U18:%x[1,1]/%x[2,1]

U20:%x[-2,1]/%x[-1,1]/%x[0,1]
U21:%x[-1,1]/%x[0,1]/%x[1,1]
U22:%x[0,1]/%x[1,1]/%x[2,1]

# Bigram
B
"""
CORPUS = Corpus.from_columns({"form": ["He", "left", "He"], "pos": ["PRP", "VBD", "PRP"]}, [2, 1])


def described(source: str, sentence: int = 0) -> list[list[Feature]]:
    encoder = FeatureEncoder(load_templates(source), Vocabulary(("form", "pos")))
    store, batch = encoder.new_store(), encoder.batch(CORPUS)
    encoder.prepare(store, batch)
    return encoder.describe(store, batch, sentence)


def keys(source: str, token: int = 0) -> list[int]:
    return [feature.key for feature in described(source)[token]]


def test_the_chunking_template_of_crfpp(tmp_path: Path) -> None:
    path = tmp_path / "template"
    path.write_text(CHUNKING)
    templates = load_templates(path)
    assert (templates.name, len(templates.nodes), templates.edges, templates.transitions) == ("template", 19, (), True)
    assert templates.templates[5] == Template(
        (Part("form", -1, column="#0"), Part("form", 0, column="#0")), tag="U05:%x/%x"
    )
    encoded = Encoded(templates, CORPUS, Vocabulary(("form", "pos")))
    collected = encoded.collect()
    assert by_token(collected.take_rows(False)) == expected(encoded.fired(False), collected.table(False))


def test_features_in_words() -> None:
    first, second = described("U05:%x[-1,0]/%x[0,0]\nB01:%x[0,1]\nB\n")
    assert [(f.name, f.edge) for f in first] == [
        ("U05:form(#0)[-1]=_B-1 U05:form(#0)[0]=He", False),
        ("B01:form(#1)[0]=PRP", True),
    ]
    assert second[0].name == "U05:form(#0)[-1]=He U05:form(#0)[0]=left"


def test_identifiers_keep_equal_macros_apart() -> None:
    assert len(set(keys("U00:%x[0,0]\nU01:%x[0,0]\nU:%x[0,0]\nU02\nU03:\n"))) == 5


def test_text_around_the_macros_keeps_lines_apart() -> None:
    assert len(set(keys("U:%x[0,0]\nU:a%x[0,0]\nU:%x[0,0]a\nU:%x[0,0]/%x[0,0]\nU:%x[0,0]|%x[0,0]\n"))) == 5


def test_lines_without_identifiers_share_features_at_any_position() -> None:
    source = "U:%x[-1,0]\nU:%x[0,0]\n"
    (_, he), (he_before, left) = (keys(source, token) for token in range(2))
    assert he == he_before != left


@given(
    lines=st.lists(
        st.from_regex(r"[UB][0-9a-z]{0,2}(:[a-z/|]{0,2}(%x\[-?[0-9],[01]\][/|]?){0,3})?", fullmatch=True), min_size=1
    )
)
@unhurried
def test_the_text_of_a_set_loads_as_the_same_set(lines: list[str]) -> None:
    templates = load_templates("\n".join([*lines, "U:%x[0,0]"]))
    assert load_templates(str(templates)) == templates


@pytest.mark.parametrize("source", ["B\n", "# edges only\nB\n", "U00\n", "U00:\nB01:\n"])
def test_files_without_macros_are_crfpp_too(source: str) -> None:
    templates = load_templates(source)
    assert (templates.transitions, len(templates.templates)) == ("B" in source, source.count("U"))


@pytest.mark.parametrize("source", ["UPOS[0]\n", "Brown[0]\nUPOS[1]\n", "U[0]\n/ edge\n"])
def test_columns_that_begin_with_u_or_b_are_no_crfpp(source: str) -> None:
    assert load_templates(source).templates[0].tag == ""


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            "U00:%x[0,0]\nX01:%x[0,0]\n",
            "templates:2: expected a CRF++ line such as U00:%x[0,0] or B, found 'X01:%x[0,0]'",
        ),
        ("U00:%x[0,0]\nform[0]\n", "templates:2: expected a CRF++ line such as U00:%x[0,0] or B, found 'form[0]'"),
        ("U 0:%x[0,0]\n", "templates:1: expected a CRF++ line such as U00:%x[0,0] or B, found 'U 0:%x[0,0]'"),
        ("\n#\nU00:%x[0]\n", "templates:3: expected macros of the form %x[row,column], found '%x[0]'"),
        ("U00:%x[0,-1]\n", "templates:1: expected macros of the form %x[row,column], found '%x[0,-1]'"),
        ("U00:%x[0,0]/%y[0,0]\n", "templates:1: expected macros of the form %x[row,column], found '%x[0,0]/%y[0,0]'"),
        ("U00:%x[0,0]\nU01:%x[-65,0]\n", "templates:2: expected a row from -64 to 64, found -65"),
    ],
)
def test_errors_name_the_line(source: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_templates(source)
    assert str(caught.value) == message


def test_a_column_that_the_corpus_does_not_have() -> None:
    with pytest.raises(
        ConfigError, match=r"^template form\(#2\)\[-1\]: expected one of the 2 columns without the label"
    ):
        described("U00:%x[0,0]\nU01:%x[-1,2]\n")
