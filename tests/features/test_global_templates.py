"""Global templates: what is read, what is printed, what is refused and on which line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom.errors import ConfigError
from tagloom.features.global_templates import (
    GLOBAL_SUFFIX,
    GlobalTemplateSet,
    load_global_templates,
    parse_global_templates,
)
from tagloom.features.sets import list_shipped
from tagloom.features.stored_templates import TemplateText
from tagloom.schema import read_record

ENTITY = ["form[start]", "suffix3[end+1]", "shape(pos)[start-2..end]", "label[start..end]", "size"]
QUOTATION = ["form[open-1]", "label[open..close+1]", "lower[last]", "size", "filled", "upper", "lower", "mostly_upper"]


@given(
    parts=st.lists(st.sampled_from(ENTITY), min_size=1, max_size=5) | st.lists(st.sampled_from(QUOTATION), min_size=1),
    limit=st.none() | st.integers(1, 1000),
)
def test_a_set_is_read_as_it_is_printed(parts: list[str], limit: int | None) -> None:
    text = f"X-1 = {' '.join(parts)}" + ("" if limit is None else f" / <= {limit}")
    found = parse_global_templates(text, "x")
    assert parse_global_templates(str(found), "x") == found
    assert GlobalTemplateSet.restore(read_record(TemplateText, json.loads(json.dumps(found.to_json())))) == found
    assert str(found) == text.removesuffix(" / <= 50") + "\n"
    assert len(found.compiled()) == 1


def test_parts_with_the_same_place_are_read_together() -> None:
    found = parse_global_templates(
        "A = form[start..] label[start..]  # two\n\nB = size form[end] form[start] pos[start]", "x"
    )
    assert [len(template.groups()) for template in found.templates] == [1, 3]
    assert [str(template) for template in found.attributes().templates] == ["form[0]", "pos[0]"]


@pytest.mark.parametrize("name", list_shipped(GLOBAL_SUFFIX))
def test_shipped_sets(name: str) -> None:
    found = load_global_templates(name)
    assert found.name == name
    assert parse_global_templates(str(found), name) == found
    documentation = Path(__file__).parents[2].joinpath("docs/reranking.md").read_text("utf-8")
    assert f"| `{name}` |" in documentation


def test_figure_1_has_53_templates() -> None:
    assert len(load_global_templates("collins-2002").templates) == 53


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "x: no templates found; write one per line, such as WE = form"),
        ("# nothing", "x: no templates found"),
        ("form[start]", "x:1: expected NAME = parts such as WE = form"),
        ("A =", "x:1: expected NAME = parts"),
        ("1A = form[start]", "x:1: expected NAME = parts"),
        ("A = form[start] / edge", "x:1: expected NAME = parts"),
        ("A = form[start] / <= 0", "x:1: expected NAME = parts"),
        ("A = form[start] / <= 1001", "x:1: expected a limit of at most 1000 tokens, found 1001"),
        ("\nA = form", "x:2: expected attribute.place. such as form.start-1., or one of size, .*, found 'form'"),
        ("A = form[0]", "x:1: expected a place such as start, .*, found .0."),
        ("A = form[start-1..]", "x:1: expected a place such as"),
        ("A = form[open..]", "x:1: expected a place such as"),
        ("A = form[start+65]", "x:1: expected an offset from -64 to 64, found 65"),
        ("A = form[start..close]", "x:1: expected a range of an entity or of a quotation, found .start..close."),
        ("A = form[start] form[open]", "x:1: expected places of entities or of quotations, found both in A = "),
        ("A = form[start] filled", "x:1: expected places of entities or of quotations"),
        (
            "A = form[start..] form[end]",
            "x:1: expected prefixes and suffixes at the end of a template, found",
        ),
        ("A = size\nB = size\nA = form[end]", "x:3: another template has the name A; rename one of them"),
        ("\n".join(f"A{n} = size" for n in range(1001)), "x: expected at most 1000 global templates, got 1001"),
    ],
)
def test_refused_with_the_line(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=f"^{message}") as raised:
        parse_global_templates(text, "x")
    assert "\n" not in str(raised.value)


def test_names_files_and_texts(tmp_path: Path) -> None:
    file = tmp_path / "mine.globals"
    file.write_text("\ufeffA = size\n", "utf-8")
    assert str(load_global_templates(file)) == str(load_global_templates("A = size")) == "A = size\n"
    assert load_global_templates(load_global_templates("entities")).name == "entities"
    with pytest.raises(ConfigError, match=r"^unknown set of global templates or file .entitis.; did you mean"):
        load_global_templates("entitis")
    with pytest.raises(ConfigError, match=r"^global templates: expected a name, a file or template text, got 5$"):
        load_global_templates(5)  # type: ignore[arg-type]
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="cannot be read as a template file"):
        load_global_templates(file)
