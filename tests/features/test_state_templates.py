"""State templates: what is read, what is printed, what is refused and on which line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom.errors import ConfigError
from tagloom.features.sets import list_shipped
from tagloom.features.state_templates import STATE_SUFFIX, load_state_templates, parse_state_templates

PLACES = [*(f"s{n}{step}" for n in range(4) for step in ("", ".lc", ".rc.lc2", ".rc2")), "q0", "q3"]
NAMES = ("form", "tag", "suffix3", "shape(tag)")
PARTS = [*(f"{place}.{name}" for place in PLACES for name in NAMES), "s0.vl", "s3.vr", "s0.lc.relation",
         "s1.rc.rc2.relation", "distance"]  # fmt: skip


@given(lines=st.lists(st.lists(st.sampled_from(PARTS), min_size=1, max_size=5), min_size=1, max_size=9))
def test_a_set_is_read_as_it_is_printed(lines: list[list[str]]) -> None:
    text = "".join(" ".join(line) + "\n" for line in lines)
    found = parse_state_templates(text, "x")
    assert parse_state_templates(str(found), "x") == found
    assert str(found).splitlines() == list(dict.fromkeys(text.splitlines()))  # once each
    assert len(found.compile("upos")) == len(found.templates)


def test_tag_is_the_column_of_tags() -> None:
    found = parse_state_templates("s0.tag s1.upos\ns0.form q0.tag\n", "x")
    assert [str(template) for template in found.attributes("upos").templates] == ["upos[0]", "form[0]"]


def test_braces_and_comments() -> None:
    text = "\ufeff# all words\ns{0..2}.form  # three\n\n{s0,q0}.tag\n".removeprefix("\ufeff")
    assert str(parse_state_templates(text, "x")) == "s0.form\ns1.form\ns2.form\ns0.tag\nq0.tag\n"


@pytest.mark.parametrize("name", list_shipped(STATE_SUFFIX))
def test_shipped_sets(name: str) -> None:
    assert load_state_templates(name).name == name
    assert 28 <= len(load_state_templates(name).templates) <= 255


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("form", "expected a place and an attribute such as s0.form or s1.lc.tag, found 'form'"),
        ("s0", "expected a place and an attribute"),
        ("s0.", "expected a place and an attribute"),
        ("s4.form", "expected a place and an attribute"),
        ("q4.form", "expected a place and an attribute"),
        ("s0.form[0]", "expected a place and an attribute"),
        ("form[0]", "expected a place and an attribute"),
        ("s0.lc3.form", "expected a place and an attribute"),
        ("s0.lc.rc.lc.form", "expected a place and an attribute"),
        ("distance2", "expected a place and an attribute"),
        ("q1.lc.form", "words of the queue have no children yet"),
        ("q1.vl", "words of the queue have no children yet"),
        ("s0.relation", "only children have a relation to their head"),
        ("q0.relation", "only children have a relation to their head"),
        ("s{0..9.form", "expected a place and an attribute"),
        ("s{0..999999999}.form", ""),
    ],
)
def test_errors_name_the_line(line: str, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        parse_state_templates(f"s0.form\n# more\n{line}\n", "my.states")
    assert str(error.value).startswith("my.states:3: ")
    assert message in str(error.value)


def test_sets_of_no_use(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="mine: no templates found"):
        parse_state_templates("# nothing\n\n", "mine")
    with pytest.raises(ConfigError, match="expected at most 255 state templates, got 256"):
        parse_state_templates("".join(f"s0.prefix{n}\n" for n in range(1, 257)), "mine")
    with pytest.raises(ConfigError, match="did you mean 'huang-sagae'"):
        load_state_templates("huang-saga")
    (tmp_path / "bytes.states").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="cannot be read as a template file"):
        load_state_templates(tmp_path / "bytes.states")
    (tmp_path / "my.states").write_text("s0.form\ns0.deep.form\n")
    with pytest.raises(ConfigError, match=r"my\.states:2: expected a place"):
        load_state_templates(tmp_path / "my.states")
