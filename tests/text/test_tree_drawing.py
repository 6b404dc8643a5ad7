"""Drawings of trees: what the text shows can be read back, the SVG is XML with every word in its place."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom.errors import ConfigError
from tagloom.text import SentenceTree, draw_tree_svg, draw_tree_text
from tagloom.text.trees import Arc, assign_levels, measure_width
from tests.strategies import texts, tree_heads

SVG = "{http://www.w3.org/2000/svg}"

UP, DOWN = "╰┴", "╭┬"


def words_of(heads: list[int]) -> list[str]:
    return [f"w{number}" for number, _ in enumerate(heads, 1)]


def test_crossing_arcs():
    tree = SentenceTree.of(["A", "hearing", "is", "set", "on", "it", "today"], [2, 4, 4, 0, 2, 5, 4])
    assert draw_tree_text(tree).splitlines() == [
        "      ╭─▸ 1 A       2",
        "  ╭─┬─┴─▸ 2 hearing 4",
        "  │ │ ╭─▸ 3 is      4",
        "╭─┼─┴─┴── 4 set     0",
        "│ ╰───┬─▸ 5 on      2",
        "│     ╰─▸ 6 it      5",
        "╰───────▸ 7 today   4",
    ]


@given(tree_heads())
def test_arcs_can_be_read_from_the_drawing(heads: list[int]):
    lines = draw_tree_text(SentenceTree.of(words_of(heads), heads)).splitlines()
    rows = [line[: re.search(r" +\d", line).start()].ljust(max(map(len, lines))) for line in lines]
    found = set()
    for column in range(0, max(map(len, rows)), 2):
        start = None
        for number, row in enumerate(rows, 1):
            if row[column] in DOWN:
                assert start is None
                start = number
            elif row[column] in UP:
                found.add((start, number))
                start = None
            else:
                assert (row[column] in "│┼") == (start is not None)
        assert start is None
    assert found == {(min(w, h), max(w, h)) for w, h in enumerate(heads, 1) if h}
    assert [row.rstrip()[-1:] == "▸" for row in rows] == [head > 0 for head in heads]


@given(tree_heads())
def test_outline_has_every_word_under_its_head(heads: list[int]):
    lines = draw_tree_text(SentenceTree.of(words_of(heads), heads), "indented", plain=True).splitlines()
    above: dict[int, int] = {}
    found = {}
    for line in lines:
        place = re.search(r"\d", line).start()
        number = int(line[place:].split()[0])
        found[number] = above[place - 3] if place else 0
        above[place] = number
    assert found == dict(enumerate(heads, 1))


@given(tree_heads(), st.booleans())
def test_levels_keep_arcs_apart(heads: list[int], touching: bool):
    arcs = SentenceTree.of(words_of(heads), heads).arcs()
    found = assign_levels(arcs, touching=touching)
    for a in arcs:
        for b in arcs:
            if a == b:
                continue
            overlap = a.low < b.high and b.low < a.high if touching else a.low <= b.high and b.low <= a.high
            if overlap:
                assert found[a] != found[b]
            if b.low <= a.low and a.high <= b.high:
                assert found[a] < found[b]


@given(st.lists(st.tuples(texts(), texts(), texts()), min_size=1, max_size=5))
def test_any_text_gives_valid_xml(tokens: list[tuple[str, str, str]]):
    words, relations, tags = zip(*tokens)
    heads = [0, *range(1, len(tokens))]
    tree = SentenceTree.of(words, heads, relations, tags)
    drawing = ElementTree.fromstring(draw_tree_svg(tree))
    width, height = float(drawing.get("width")), float(drawing.get("height"))
    shown = drawing.findall(f"{SVG}text")
    assert len(shown) == len(words) + len(relations) + len(tags)
    assert all(0 <= float(text.get("x")) <= width and 0 < float(text.get("y")) < height for text in shown)
    assert draw_tree_svg(tree) == draw_tree_svg(tree)
    assert len(draw_tree_text(tree).split("\n")) == len(draw_tree_text(tree).splitlines()) == len(words)


def test_markup_is_text():
    drawing = draw_tree_svg(SentenceTree.of(["<b>", "&amp;"], [2, 0], ["a<b", "root"], ['"', "'"]))
    shown = [text.text for text in ElementTree.fromstring(drawing).iter(f"{SVG}text")]
    assert {"<b>", "&amp;", "a<b", '"', "'"} <= set(shown)
    assert "script" not in drawing


def test_wide_trees_become_outlines():
    tree = SentenceTree.of(["The", "dog", "sleeps"], [2, 3, 0], ["det", "nsubj", "root"], ["DET", "NOUN", "VERB"])
    assert draw_tree_text(tree, width=80) == draw_tree_text(tree, "arcs")
    assert draw_tree_text(tree, width=10) == draw_tree_text(tree, "indented")
    assert draw_tree_text(tree, "indented").splitlines()[-1] == "   ╰─ 1 The DET det"


def test_characters_of_two_columns_are_aligned():
    lines = draw_tree_text(SentenceTree.of(["猫", "cat", "e\u0301"], [2, 0, 2], ["a", "b", "c"])).splitlines()
    assert len({measure_width(line) for line in lines}) == 1


def test_plain_leaves_words_alone():
    text = draw_tree_text(SentenceTree.of(["─", "b"], [2, 0]), plain=True)
    assert text.splitlines() == [",-> 1 ─ 2", "`-- 2 b 0"]


def test_control_characters_do_not_reach_the_terminal():
    assert "\x1b" not in draw_tree_text(SentenceTree.of(["a\x1b[31m", "b"], [2, 0]))
    assert ElementTree.fromstring(draw_tree_svg(SentenceTree.of(["\x00\ufffe"], [0]))).find(f"{SVG}text") is not None


def test_deep_trees_need_no_stack():
    count = 3000
    assert len(draw_tree_text(SentenceTree.of(["w"] * count, range(count)), "indented").splitlines()) == count


def test_refused():
    with pytest.raises(ConfigError, match="unknown style of drawing 'arc'; did you mean 'arcs'"):
        draw_tree_text(SentenceTree.of(["a"], [0]), "arc")
    with pytest.raises(ConfigError, match="1 words need as many heads"):
        SentenceTree.of(["a"], [0, 1])
    with pytest.raises(ConfigError, match="head 4 is out of range"):
        SentenceTree.of(["a"], [4])
    assert Arc(3, 1).low == 1
