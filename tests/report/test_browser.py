"""Pages of reports in Chromium: filter, search, open an error, switch the theme; everybody can read them."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tagloom
from tagloom.datasets import newswire_split
from tagloom.report import ModelReport, draw_curves, report_model
from tagloom.report.comparison_page import build_html_page
from tests.browser import Tab, find_barriers, keep_picture, open_chromium, open_tab
from tests.report.drawing import Drawing
from tests.report.test_figures import FIGURES
from tests.report.test_model_report import EVIL, report, select
from tests.report.test_report import comparison

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with open_chromium() as found:
        yield found


@functools.cache
def names() -> ModelReport:
    """Two models of names, in the language of the bundled generator."""
    split = newswire_split(60, seed=5, ambiguity=0.6)
    train, dev, test = (select(part, "form", "pos", "ner") for part in (split.train, split.dev, split.test))
    new = tagloom.train(train, dev=dev, epochs=12)
    old = tagloom.train(train, learner="perceptron", templates="ner-basic", epochs=2)
    return report_model(new, test, old, names=("names.tagloom", "old.tagloom"), train=train, learning_curve=True)


@functools.cache
def page_of(name: str) -> str:
    return names().to_html() if name == "names" else report(name).to_html()


def show(browser: Any, tmp_path: Path, name: str, **options: Any) -> Tab:
    path = tmp_path / f"{name}.html"
    path.write_text(page_of(name), encoding="utf-8")
    tab = open_tab(browser, **options)
    tab.page.goto(path.as_uri())
    return tab


PAGES = ["names", "tags", "segmenter", "phrases", "parser", "tokenizer", "pipeline"]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_everybody_can_read_the_page(browser: Any, tmp_path: Path, name: str, theme: str) -> None:
    tab = show(browser, tmp_path, name, theme=theme)
    for item in tab.page.locator("#error-list summary").all()[:3]:
        item.click()
    for item in tab.page.locator("#contest-list summary").all()[:1]:
        item.click()
    assert find_barriers(tab.page) == []
    assert tab.requests == [f"file://{tmp_path}/{name}.html"]
    tab.require_silence()


@pytest.mark.parametrize("width", [600, 1200])
@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_wider_than_the_page(browser: Any, tmp_path: Path, name: str, width: int) -> None:
    tab = show(browser, tmp_path, name, width=width)
    for item in tab.page.locator("#error-list summary").all()[:3]:
        item.click()
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= width


def test_errors_are_filtered_and_searched(browser: Any, tmp_path: Path) -> None:
    page = show(browser, tmp_path, "names").page
    errors = names().listing.errors
    status, items = page.locator("#found"), page.locator("#error-list > li")
    assert status.inner_text() == f"{len(errors)} of {len(errors)} listed errors"
    kind = errors[0].error.kind
    page.get_by_label("Kind of error").select_option(kind)
    expected = [each for each in errors if each.error.kind == kind]
    assert status.inner_text().startswith(f"{len(expected)} of ")
    assert set(page.locator("#error-list .badge").all_inner_texts()) == {kind}
    page.get_by_role("button", name="Reset").click()
    status.filter(has_text=re.compile(rf"^{len(errors)} of ")).wait_for()
    word = errors[3].error
    text = names().run.words[names().run.gold.span(word.sentence)[0] + word.place[0]]
    page.locator("#filters").get_by_label("Search").fill(text)
    found = int(status.inner_text().split(" ")[0])
    assert 0 < found <= len(errors)
    assert items.count() == min(found, 25)
    assert all(text.lower() in each.lower() for each in page.locator("#error-list .context").all_inner_texts())
    page.locator("#filters").get_by_label("Search").fill("there is no such text")
    assert status.inner_text().startswith("0 of ")


def test_an_error_opens_with_both_sides_and_its_reasons(browser: Any, tmp_path: Path) -> None:
    page = show(browser, tmp_path, "names").page
    first = page.locator("#error-list > li").first
    assert first.locator(".sides").count() == 0
    first.locator("summary").focus()
    page.keyboard.press("Enter")
    assert first.locator(".side").all_inner_texts() == ["gold", "names.tagloom", "old.tagloom"]
    assert first.locator("mark.wrong").count() >= 1
    assert first.locator(".why h4").count() >= 1
    assert re.fullmatch(r"[+-]?\d+\.\d\d", first.locator(".why td").nth(1).inner_text())


def test_a_pair_and_a_kind_filter_the_errors(browser: Any, tmp_path: Path) -> None:
    page = show(browser, tmp_path, "names").page
    cell = page.locator("td.pair button").first
    wanted = int(cell.inner_text())
    gold, guess = cell.get_attribute("data-gold"), cell.get_attribute("data-guess")
    cell.click()
    page.locator("#found").filter(has_text=re.compile(rf"^{wanted} of ")).wait_for()
    shown = page.locator("#error-list summary").first.inner_text()
    assert f"gold {gold or '–'} → predicted {guess or '–'}" in shown
    button = page.locator(".legend button").first
    button.click()
    page.locator("#found").filter(has_text=re.compile(rf"^{button.locator('b').inner_text()} of ")).wait_for()
    assert page.locator("select[name=gold]").input_value() == ""
    assert page.get_by_label("Kind of error").input_value() == button.get_attribute("data-kind")


def test_more_errors_are_shown_on_request(browser: Any, tmp_path: Path) -> None:
    page = show(browser, tmp_path, "names").page
    before = page.locator("#error-list > li").count()
    assert before == 25
    page.locator("#more").click()
    assert page.locator("#error-list > li").count() > before
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"


def test_the_theme_is_switched_and_remembered(browser: Any, tmp_path: Path) -> None:
    page = show(browser, tmp_path, "names", theme="light").page
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    page.get_by_label("Theme").select_option("dark")
    dark = page.evaluate(paper)
    assert light != dark
    page.reload()
    assert page.evaluate(paper) == dark
    assert page.get_by_label("Theme").input_value() == "dark"
    page.get_by_label("Theme").select_option("auto")
    assert page.evaluate(paper) == light
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(paper) == dark


def test_sentences_won_and_lost(browser: Any, tmp_path: Path) -> None:
    page = show(browser, tmp_path, "names").page
    contrast = names().contrast
    assert contrast is not None
    assert page.locator("#contest-found").inner_text() == f"{len(contrast.won)} sentences"
    page.locator("select[name=side]").select_option("lost")
    assert page.locator("#contest-found").inner_text() == f"{len(contrast.lost)} sentences"


def test_tables_are_sorted(browser: Any, tmp_path: Path) -> None:
    page = show(browser, tmp_path, "names").page
    table = page.locator("table.sortable").first
    table.get_by_role("button", name="precision").click()
    values = [float(each) for each in table.locator("tbody td:nth-child(4)").all_inner_texts()]
    assert values == sorted(values, reverse=True)
    table.get_by_role("button", name="precision").click()
    assert [float(each) for each in table.locator("tbody td:nth-child(4)").all_inner_texts()] == sorted(values)


def test_trees_are_drawn_above_and_below_the_words(browser: Any, tmp_path: Path) -> None:
    tab = show(browser, tmp_path, "parser")
    page = tab.page
    if page.locator("select[name=task]").count():
        page.locator("select[name=task]").select_option("trees")
    page.locator("#error-list summary").first.click()
    drawing = page.locator("#error-list .tree svg").first
    words = drawing.locator("css=text:not(.relation):not(.small)").count()
    arcs = drawing.locator("path.arc").count()
    assert arcs == 2 * words  # every word has a head, or is the root, on both sides
    assert drawing.locator("path.arc.bad").count() == drawing.locator("path.arc.good").count() >= 1
    tab.require_silence()


def test_markup_in_the_data_does_nothing(browser: Any, tmp_path: Path) -> None:
    words = [*EVIL, "plain"]
    model = tagloom.train([(words, [f"B-<b>{n}" if n % 2 else "O" for n in range(len(words))])] * 4, epochs=1)
    path = tmp_path / "evil.html"
    report_model(model, [(words, ["O"] * len(words))], samples=10).save(path)
    tab = open_tab(browser)
    tab.page.on("dialog", lambda dialog: tab.errors.append("dialog"))
    tab.page.goto(path.as_uri())
    for item in tab.page.locator("#error-list summary").all():
        item.click()
    assert tab.page.locator("main img, main script").count() == 0
    assert EVIL[0] in tab.page.locator("#error-list").inner_text()
    tab.require_silence()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_everybody_can_read_a_comparison(browser: Any, tmp_path: Path, theme: str) -> None:
    path = tmp_path / "comparison.html"
    path.write_text(build_html_page(comparison(), draw_curves(comparison(), embedded=True)), encoding="utf-8")
    tab = open_tab(browser, theme=theme)
    tab.page.goto(path.as_uri())
    assert find_barriers(tab.page) == []
    row = tab.page.locator("tbody tr").first
    row.hover()
    assert float(tab.page.locator('[id^="passes-1"]').first.evaluate("each => each.style.opacity")) < 1
    tab.require_silence()


@pytest.mark.parametrize("width", [600, 1200])
@pytest.mark.parametrize("path", FIGURES, ids=lambda path: path.name)
def test_texts_of_figures_do_not_touch(browser: Any, path: Path, width: int) -> None:
    """The same as the check of the geometry, but with the boxes that a browser draws."""
    page = open_tab(browser, width=width).page
    page.set_content(path.read_text("utf-8").replace("<svg ", '<svg style="width: 100%; height: auto" ', 1))
    boxes = page.evaluate("""() => [...document.querySelectorAll('[id^="title-"], #legend')].map((each) => {
      const box = each.getBoundingClientRect(); return [each.id, box.left, box.top, box.right, box.bottom]; })
      .filter(([, left, , right]) => right > left)""")
    for place, (name, left, top, right, bottom) in enumerate(boxes):
        assert left >= -1, name
        assert right <= width + 1, name
        for other, left2, top2, right2, bottom2 in boxes[place + 1 :]:
            assert not (min(right, right2) - max(left, left2) > 0.5 and min(bottom, bottom2) - max(top, top2) > 0.5), (
                name, other)  # fmt: skip
    assert Drawing(path.read_bytes()).axes


# -- pictures for the documentation ------------------------------------------------------------------------------------


def test_pictures(browser: Any, tmp_path: Path) -> None:
    page = show(browser, tmp_path, "names", width=1000, height=760).page
    keep_picture(page.screenshot(), "report.png", tmp_path)
    page.locator("#errors").scroll_into_view_if_needed()
    page.locator("#error-list summary").first.click()
    page.evaluate("document.querySelector('#errors').scrollIntoView()")
    page.wait_for_timeout(400)
    keep_picture(page.screenshot(), "report-errors.png", tmp_path)
    page = show(browser, tmp_path, "parser", width=1000, height=700, theme="dark").page
    if page.locator("select[name=task]").count():
        page.locator("select[name=task]").select_option("trees")
    page.locator("#error-list summary").first.click()
    page.evaluate("document.querySelector('#errors').scrollIntoView()")
    page.wait_for_timeout(400)
    path = keep_picture(page.screenshot(), "report-trees.png", tmp_path)
    assert path.stat().st_size < 150_000
