"""HTML of annotations: nothing of the text is markup, all of it is there, labels keep their colours."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given

from tagloom.text import Annotation, SpanLayer, iter_html_page
from tagloom.text.html import choose_hue
from tests.text.annotations import annotations

TAGS = {"div", "style", "mark", "b", "span", "i", "small", "svg", "title", "rect", "path", "text"}
VOID = {"rect", "path"}


class Reader(HTMLParser):
    """The text of a page outside of styles; tags must be known and closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.shown = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in VOID

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"style", "svg", "b", "i", "small"} & set(self.open):
            self.shown += data


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


def squeeze(text: str) -> str:
    """Letters that HTML keeps as they are."""
    return "".join(c for c in text if c.isprintable() and not c.isspace() and c != "\ufffd")


@given(annotations())
def test_text_is_never_markup(found: Annotation):
    html = found._repr_html_()
    reader = read(html)
    assert reader.seen <= TAGS
    assert "<script" not in html
    assert html == found._repr_html_()
    inside_sentences = all(sentence.first <= s.first and s.last <= sentence.last
                           for sentence in found.sents for s in sentence.spans)  # fmt: skip
    if (found.heads is None or found.layers) and inside_sentences and not len(found.multiwords) and len(found) > 0:
        shown = reader.shown.split("Layers from top to bottom: ")[-1] if len(found.layers) > 1 else reader.shown
        assert squeeze(found.text) in squeeze(shown)


def test_spans_are_marked():
    found = Annotation("Bob & Ann", [0, 4, 6], [3, 5, 9], layers=[SpanLayer("ner", [0, 2], [1, 3], ["PER", "<b>"])])
    html = found.to_html()
    assert f'<mark style="--hue: {choose_hue("PER")}" title="ner: PER 0:3">Bob<b>PER</b></mark> &amp; <mark' in html
    assert "Ann<b>&lt;b&gt;</b></mark>" in html


def test_overlapping_spans_are_rows():
    layers = [SpanLayer("ner", [0, 0], [2, 3], ["LOC", "ORG"]), SpanLayer("chunk", [0], [3], ["NP"])]
    html = Annotation.from_words([["New", "York", "Times"]], layers=layers).to_html()
    assert [f"grid-row: {row}; grid-column: 1 / {column}" in html for row, column in ((2, 3), (3, 4), (4, 4))] == [
        True
    ] * 3


def test_tags_are_below_words_and_trees_are_drawn():
    words = Annotation.from_words([["He", "left"]], columns={"pos": ["PRP", "VBD"]})
    assert '<span class="word">He<small>PRP</small></span> ' in words.to_html()
    tree = words.extend(columns={"head": ["2", "0"]}, heads="head")
    assert tree.to_html().count("<svg") == 1
    assert 'fill="var(--ink)"' in tree.to_html()
    assert "too wide to draw" in Annotation.from_words(
        [["w"] * 301], columns={"head": ["0", *["1"] * 300]}, heads="head"
    ).to_html()  # fmt: skip


def test_text_without_tokens_is_shown():
    assert "1 &lt; 2" in Annotation(" 1 < 2 ", [], []).to_html()
    html = Annotation("a b c", [2], [3]).to_html()
    assert html.index(">a<") < html.index(">b<") < html.index(">c<")


def test_notebooks_show_the_beginning():
    found = Annotation.from_words([["w"] * 10] * 500)
    assert "400 more sentences" in found._repr_html_()
    assert found.to_html().count('class="sentence"') == 500
    trees = Annotation.from_words([["w"]] * 50, columns={"head": ["0"] * 50}, heads="head")
    assert trees._repr_html_().count("<svg") == 20
    assert "more sentences" not in Annotation.from_words([["w"] * 5000])._repr_html_()


def test_pages_need_nothing_else():
    found = Annotation.from_words([["He", "left"]])
    page = found.to_html(page=True, title="<a>")
    assert page.startswith("<!doctype html>")
    assert "<title>&lt;a&gt;</title>" in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "".join(iter_html_page([found, found])).count("<article") == 2


def test_unwritable_characters_are_replaced():
    html = Annotation("a\ud800\x00\x1b", [0], [4]).to_html()
    html.encode()
    assert "a\ufffd\ufffd\ufffd" in html
