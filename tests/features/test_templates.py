"""The template language: braces, comments, edges, canonical text, errors with their line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom._core import MAX_OFFSET
from tagloom.errors import ConfigError
from tagloom.features import Part, Template, TemplateSet, parse_templates
from tests.strategies import any_attributes, parts, template_sets, unhurried


def texts(source: str) -> list[str]:
    return [str(template) for template in parse_templates(source, "mine").templates]


@given(templates=template_sets(parts(any_attributes(), MAX_OFFSET)))
@unhurried
def test_the_canonical_text_parses_to_the_same_set(templates: TemplateSet) -> None:
    assert parse_templates(str(templates), templates.name) == templates


@given(first=st.integers(-MAX_OFFSET, MAX_OFFSET), last=st.integers(-MAX_OFFSET, MAX_OFFSET))
@unhurried
def test_ranges_count_up_and_down(first: int, last: int) -> None:
    step = 1 if first <= last else -1
    assert texts(f"form[{{{first}..{last}}}]") == [f"form[{offset}]" for offset in range(first, last + step, step)]


@pytest.mark.parametrize(
    ("source", "expanded"),
    [
        ("suffix{1..3}[0]", ["suffix1[0]", "suffix2[0]", "suffix3[0]"]),
        ("{form,pos}[{-1,1}]", ["form[-1]", "form[1]", "pos[-1]", "pos[1]"]),
        ("form[{-1..0}] pos[0]", ["form[-1] pos[0]", "form[0] pos[0]"]),
        ("brown{4,6}(lemma)[0]", ["brown4(lemma)[0]", "brown6(lemma)[0]"]),
        ("form[{0..1}] / edge", ["form[0] / edge", "form[1] / edge"]),
        ("{form[0], form[0] pos[0]}", ["form[0]", "form[0] pos[0]"]),
    ],
)
def test_braces_expand_as_in_a_shell(source: str, expanded: list[str]) -> None:
    assert texts(source) == expanded


def test_a_file_with_comments_blank_lines_and_repeats() -> None:
    source = (
        "# words\n\n  form[0]   # here\r\nform[+0]\nform[-0]\n\tform[0]\tpos[1]\nform(#1)[0]\nbias\nbias form[1] #x"
    )
    assert texts(source) == ["form[0]", "form[0] pos[1]", "form(#1)[0]", "bias", "form[1]"]
    with pytest.raises(ConfigError, match=r"^mine:9: expected attribute\[offset\] such as form\[-1\], found"):
        texts(source.replace(" #x", "#x"))


def test_conditions_on_columns() -> None:
    source = "form[0]\npos[{-1..0}] if pos\nsuffix3[0] unless pos\npos[0] / edge if pos\n/ edge\n"
    templates = parse_templates(source, "mine")
    assert parse_templates(str(templates), "mine") == templates
    assert str(templates.fit(["form", "pos"])) == "form[0]\npos[-1]\npos[0]\npos[0] / edge\n/ edge\n"
    assert str(templates.fit(["form"])) == "form[0]\nsuffix3[0]\n/ edge\n"
    assert all(type(each) is Template for each in templates.fit(["form"]).templates)
    assert templates.fit(["form", "pos"]).list_columns(["form", "pos", "chunk"]) == ["form", "pos"]
    assert repr(templates.templates[1]) == "ConditionalTemplate('pos[-1] if pos')"


def test_several_conditions_on_columns_and_resources() -> None:
    source = "form[0]\nbrown4:web[0] pos[0] if pos if brown:web\nlower[0] if pos unless brown:web\n"
    templates = parse_templates(source, "mine")
    assert parse_templates(str(templates), "mine") == templates
    assert str(templates.fit({"form", "pos", "brown:web"})) == "form[0]\nbrown4:web[0] pos[0]\n"
    assert str(templates.fit({"form", "pos", "brown"})) == "form[0]\nlower[0]\n"
    assert str(templates.fit({"form", "brown:web"})) == "form[0]\n"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("/ edge if pos", "plain label pairs have no condition"),
        ("pos[0] if", "expected attribute"),
        ("if pos", "expected attribute"),
        ("pos[0]" + " if pos" * 9, "at most 8 conditions"),
        ("brown4:[0]", "expected attribute"),
        ("brown:a.b[0]", "expected attribute"),
        ("pos[0] when pos", "expected attribute"),
    ],
)
def test_conditions_that_make_no_sense(source: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parse_templates(source, "mine")


def test_edges_and_transitions() -> None:
    templates = parse_templates("form[0]\npos[-1] pos[0] / edge\npos[0]/edge\n / edge\nbias / edge", "mine")
    assert templates.transitions
    assert list(map(str, templates.nodes)) == ["form[0]"]
    assert list(map(str, templates.edges)) == ["pos[-1] pos[0] / edge", "pos[0] / edge"]
    assert not parse_templates("form[0] / edge", "mine").transitions
    assert parse_templates("/ edge", "mine") == TemplateSet("mine", (), True)


def test_a_part_is_taken_apart() -> None:
    source = "prefix3(lemma)[-2] x01[0] a-b2(x-1)[+7] été[0] x0[1]"
    assert parse_templates(source, "mine").templates == (
        Template(
            (
                Part("prefix", -2, 3, "lemma"),
                Part("x0", 0, 1),
                Part("a-b", 7, 2, "x-1"),
                Part("été", 0),
                Part("x", 1, 0),
            )
        ),
    )


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("form[0]\n\nform", "mine:3: expected attribute[offset] such as form[-1], found 'form'"),
        ("form[0]\nform[0],pos[0]", "mine:2: expected attribute[offset] such as form[-1], found 'form[0],pos[0]'"),
        ("form[a]", "mine:1: expected attribute[offset] such as form[-1], found 'form[a]'"),
        ("form[{-1..1]", "mine:1: expected attribute[offset] such as form[-1], found 'form[{-1..1]'"),
        ("form[{{0,1},2}]", "mine:1: expected attribute[offset] such as form[-1], found 'form[{0,2}]'"),
        ("3form[0]", "mine:1: expected attribute[offset] such as form[-1], found '3form[0]'"),
        ("form()[0]", "mine:1: expected attribute[offset] such as form[-1], found 'form()[0]'"),
        ("# x\nform[0] / edges", "mine:2: expected '/ edge' at the end, found '/ edges'"),
        ("form[0] / edge pos[0]", "mine:1: expected '/ edge' at the end, found '/ edge pos[0]'"),
        ("/", "mine:1: expected '/ edge' at the end, found '/'"),
        ("form[65]", "mine:1: expected an offset from -64 to 64, found 65"),
        ("form[0]\npos[-65]", "mine:2: expected an offset from -64 to 64, found -65"),
        ("form[{0..99999}]", "mine:1: the range {0..99999} is too long"),
        ("form[{0..63}] form[{0..63}] form[{0..63}]", "mine:1: the braces expand to more than 10000 templates"),
        ("", "mine: no templates found; write one per line, such as form[0]"),
        ("# nothing\n\n", "mine: no templates found; write one per line, such as form[0]"),
    ],
)
def test_errors_name_the_line(source: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_templates(source, "mine")
    assert str(caught.value) == message
