"""The page in a browser: everything that a person does with it, by pointer and by keys, in light and dark."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tagloom
from tagloom.cli.main import run
from tagloom.datasets import newswire
from tagloom.text.html import choose_hue
from tests.browser import open_chromium, open_page
from tests.serve.browsing import Tab
from tests.serve.conftest import select
from tests.serve.processes import ServerProcess
from tests.treebank import conllu

pytestmark = pytest.mark.browser

TEXT = "Victoria Rossi visited Washington on Monday. Police in Bonn met Ingrid Murphy of Brasol Corp. last month."
TREE = "the old man saw a small dog in the park ."


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Models that say something sensible: entities, entities from less data, tags, trees."""
    folder = tmp_path_factory.mktemp("models")
    news, few, dev = newswire(60, seed=1), newswire(2, seed=4), newswire(10, seed=2)
    (folder / "trees.conllu").write_text(conllu(300, 1))
    made = {
        "entities": tagloom.train(select(news, "form", "ner"), dev=select(dev, "form", "ner")),
        "few": tagloom.train(select(few, "form", "ner"), dev=select(dev, "form", "ner"), epochs=2),
        "tags": tagloom.train(select(news, "form", "pos"), epochs=3),
        "trees": tagloom.train(folder / "trees.conllu", system="parser", epochs=5, tag_folds=2),
    }
    for name, model in made.items():
        model.save(folder / f"{name}.tagloom")
    return {name: folder / f"{name}.tagloom" for name in made}


@pytest.fixture(scope="module")
def server(files: dict[str, Path]) -> Iterator[ServerProcess]:
    with ServerProcess(*files.values(), "--max-tokens", 2000, "--no-request-log") as found:
        yield found
        assert found.end() == 0, found.lines


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with open_chromium() as found:
        yield found


@pytest.fixture
def open_tab(browser: Any, server: ServerProcess) -> Iterator[Callable[..., Tab]]:
    """Open the page; at the end, nothing went wrong in it, and nothing came from elsewhere."""
    opened: list[Tab] = []

    def begin(scheme: str = "light", width: int = 1200, port: int | None = None, **options: Any) -> Tab:
        page = open_page(browser, width=width, theme=scheme, reduced_motion="reduce", **options)
        page.context.set_default_timeout(15_000)
        tab = Tab(page, address=f"http://127.0.0.1:{port or server.port}/")
        opened.append(tab)
        return tab

    yield begin
    for tab in opened:
        tab.page.context.close()
        tab.require_silence()
        origin = tab.address.rstrip("/")
        assert all(url.startswith((f"{origin}/", f"blob:{origin}")) for url in tab.requests)


@pytest.fixture
def tab(open_tab: Callable[..., Tab]) -> Tab:
    return open_tab()


def test_an_empty_page_offers_examples(tab: Tab) -> None:
    tab.save_picture("empty")
    assert tab.page.locator("#size").inner_text() == "0 characters"
    tab.page.locator(".example").first.click()
    tab.page.wait_for_selector("#results[aria-busy=false] .result")
    assert tab.page.input_value("#text").startswith("Angela Merkel")
    tab.page.fill("#text", "  ")
    tab.page.click("#annotate")
    tab.page.wait_for_selector(".welcome")


def test_text_shows_spans_with_probabilities(tab: Tab, files: dict[str, Path]) -> None:
    tab.annotate(TEXT)
    model = tagloom.load(files["entities"])
    spans = model(TEXT, confidence=True).spans
    assert tab.list_spans() == [(each.text, each.label) for each in spans]
    assert ("Victoria Rossi", "PER") in tab.list_spans()
    assert "2 sentences" in tab.page.locator(".result header .note").inner_text()
    tag = tab.find_tag("PER")
    tag.hover()
    tip = tab.page.locator("#tooltip")
    assert tip.locator(".probability").inner_text() == _percent(spans[0].score or 0)
    assert tip.locator("strong").inner_text() == "Victoria Rossi"
    tab.find_token("visited").hover()
    assert tip.locator("strong").inner_text() == "visited"
    assert tip.locator("dd").inner_text() == "O"
    assert tip.locator(".probability").count() == 1


def _percent(value: float) -> str:
    return "100%" if value > 0.9995 else f"{value:.0%}" if value >= 0.1 else f"{value:.1%}"


def test_a_click_shows_why(tab: Tab, files: dict[str, Path]) -> None:
    tab.annotate(TEXT)
    tab.find_token("Washington").click()
    tab.page.wait_for_selector(".why")
    assert tab.page.locator(".why h3").inner_text() == "Why “Washington”?"
    assert "LOC over" in tab.page.locator(".why .verdict").inner_text()
    rows = tab.page.locator(".why .features tr")
    assert rows.count() == 12
    explained = tagloom.load(files["entities"]).explain(
        ["Victoria", "Rossi", "visited", "Washington", "on", "Monday", "."]
    )
    assert tab.page.locator(".why code").all_inner_texts() == [name for name, _ in explained[3].top(12)]
    tab.save_picture("serve-why", is_shown=True, height=1010)
    tab.page.keyboard.press("Escape")
    assert tab.page.locator(".why").count() == 0
    assert tab.page.evaluate("document.activeElement.textContent") == "Washington"


def test_alternatives_are_ranked_and_can_be_used(tab: Tab) -> None:
    tab.annotate(TEXT)
    tab.page.get_by_role("button", name="Show alternatives, sentence 2").click()
    items = tab.page.locator(".alternatives li")
    tab.page.wait_for_selector(".alternatives li")
    assert items.count() == 5
    before = tab.list_spans()
    changed = items.nth(1).locator("mark.differs")
    text = items.nth(1).locator(".sentence").inner_text()
    tab.save_picture("alternatives")
    assert changed.count() >= 1 or items.nth(1).locator("mark").count() < items.nth(0).locator("mark").count()
    items.nth(1).get_by_role("button", name="Use alternative 2").click()
    assert tab.page.locator(".kept").count() == 1
    assert tab.list_spans() != before
    assert text
    tab.page.get_by_role("button", name="Undo the correction, sentence 2").click()
    assert tab.list_spans() == before
    assert tab.page.locator("#corrections").is_hidden()


def test_models_are_switched(tab: Tab) -> None:
    tab.annotate(TREE, "tags", ".word")
    assert tab.page.locator(".result h2").inner_text() == "tags"
    assert tab.page.locator(".word").count() == 11
    tab.page.select_option("#model", "trees")
    tab.page.wait_for_selector("svg.arcs")
    assert tab.page.locator(".arc:not(.root)").count() == 10
    assert tab.page.locator(".arc.root").count() == 1
    node = tab.page.get_by_role("button", name="dog NOUN, obj of saw")
    node.hover()
    assert tab.page.locator(".arc.near").count() >= 3
    tab.save_picture("serve-tree", is_shown=True, height=790)
    node.click()
    tab.page.wait_for_selector(".why")
    assert tab.page.locator(".why h4").all_inner_texts() == ["upos", "head deprel"]
    tab.page.get_by_role("button", name="upos", exact=True).click()
    assert tab.page.locator(".word.token").count() == 11


def test_two_models_are_compared(tab: Tab) -> None:
    tab.annotate(TEXT)
    tab.page.select_option("#compare", "few")
    tab.page.wait_for_selector("#difference table")
    assert tab.page.locator(".result").count() == 2
    left, right = tab.list_spans(0), tab.list_spans(1)
    differ = [span for span in left if span not in right] + [span for span in right if span not in left]
    assert tab.page.locator("mark.differs").count() == len(differ) > 0
    names = tab.page.locator("#difference thead th").all_inner_texts()
    assert names == ["Text", "entities", "few"]
    tab.save_picture("serve-compare", is_shown=True, height=960)
    tab.page.select_option("#compare", "")
    tab.page.wait_for_selector("#difference", state="hidden")
    assert tab.page.locator(".result").count() == 1


def test_a_model_that_says_other_things_is_not_compared(tab: Tab) -> None:
    tab.annotate(TREE)
    tab.page.select_option("#compare", "trees")
    tab.page.wait_for_selector("#results.pair svg.arcs")
    assert "nothing to compare" in tab.page.locator("#difference").inner_text()


def _download(tab: Tab) -> list[dict[str, Any]]:
    with tab.page.expect_download() as found:
        tab.page.click("#download")
    assert found.value.suggested_filename == "corrections.jsonl"
    return [json.loads(line) for line in Path(found.value.path()).read_text("utf-8").splitlines()]


def test_spans_are_corrected_by_pointer_and_downloaded(tab: Tab, tmp_path: Path) -> None:
    tab.annotate("😀 Victoria Rossi visited Washington on Monday. Police met nobody.")
    tab.select_words("on", "Monday")
    picker = tab.page.get_by_role("dialog", name="Label for “on Monday”")
    picker.wait_for()
    picker.get_by_placeholder("Other label").fill("DATE")
    tab.save_picture("serve-correct", is_shown=True, height=670)
    picker.get_by_role("button", name="Use").click()
    assert ("on Monday", "DATE") in tab.list_spans()
    tab.find_tag("PER").click()
    tab.page.get_by_role("dialog").get_by_role("button", name="ORG").click()
    assert ("Victoria Rossi", "ORG") in tab.list_spans()
    tab.find_tag("LOC").click()
    tab.page.get_by_role("button", name="Remove span").click()
    assert tab.list_spans() == [("Victoria Rossi", "ORG"), ("on Monday", "DATE")]
    tab.page.get_by_role("button", name="Accept as training data, sentence 2").click()
    assert tab.page.locator("#corrections-count").inner_text() == "2 sentences to learn from."

    records = _download(tab)
    text = "😀 Victoria Rossi visited Washington on Monday."
    assert records[0]["text"] == text
    assert [(text[start:end], label) for start, end, label in records[0]["spans"]] == tab.list_spans()
    assert records[1]["spans"] == []
    file = tmp_path / "corrections.jsonl"
    file.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), "utf-8")
    corpus = tagloom.read(file)
    assert corpus.sentence(0, "form") == records[0]["tokens"]
    spans = zip(corpus.sentence(0, "form"), corpus.sentence(0, "label"), strict=True)
    assert [pair for pair in spans if pair[1] != "O"] == [
        ("Victoria", "B-ORG"), ("Rossi", "I-ORG"), ("on", "B-DATE"), ("Monday", "I-DATE"),
    ]  # fmt: skip
    assert run(["train", str(file), "-o", str(tmp_path / "m.tagloom"), "--epochs", "5"]) == 0
    model = tagloom.load(tmp_path / "m.tagloom")
    assert [(span.text, span.label) for span in model(text).spans] == tab.list_spans()


def test_corrections_stay_until_they_are_cleared(tab: Tab) -> None:
    tab.annotate(TEXT)
    tab.find_tag("PER").click()
    tab.page.keyboard.press("1")
    label = tab.page.locator("mark.corrected .tag").inner_text()
    tab.page.reload()
    tab.page.wait_for_selector("html[data-ready]")
    assert tab.page.locator("#corrections-count").inner_text() == "1 sentence to learn from."
    tab.annotate(TEXT)
    assert tab.list_spans()[0] == ("Victoria Rossi", label)
    tab.page.click("#clear")
    tab.page.wait_for_selector("#corrections", state="hidden")
    tab.page.wait_for_function("!document.querySelector('mark.corrected')")
    assert tab.list_spans()[0] == ("Victoria Rossi", "PER")


def test_everything_works_with_keys_alone(tab: Tab) -> None:
    page = tab.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.focus("#text")
    page.keyboard.type("Police in Bonn met nobody on Monday.")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#results[aria-busy=false] .result")
    page.focus(".result .stop[tabindex='0']")
    assert page.locator(".result .stop[tabindex='0']").count() == 1
    page.keyboard.press("End")
    page.keyboard.press("Home")
    assert page.evaluate("document.activeElement.textContent") == "Police"
    assert page.locator("#tooltip").is_visible()
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    assert page.locator(".token.selected").count() == 3
    page.keyboard.press("Enter")
    page.get_by_role("dialog", name="Label for “Police in Bonn”").wait_for()
    page.keyboard.press("Escape")
    assert page.locator(".token.selected").count() == 0
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("l")
    page.get_by_role("dialog").wait_for()
    chosen = page.locator(".picker .badge").first.inner_text()
    page.keyboard.press("1")
    corrected = page.locator("mark.corrected .tag").inner_text()
    assert corrected in chosen
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    page.wait_for_selector(".why")
    assert page.evaluate("document.activeElement.tagName") == "H3"
    page.keyboard.press("Escape")
    assert "token" in page.evaluate("document.activeElement.className")


def test_tags_are_corrected_too(tab: Tab, tmp_path: Path) -> None:
    tab.annotate("Police met nobody.", "tags", ".word")
    tab.page.focus(".result .stop[tabindex='0']")
    tab.page.keyboard.press("l")
    picker = tab.page.get_by_role("dialog", name="Label for “Police”")
    picker.get_by_placeholder("Other label").fill("NOUN")
    tab.page.keyboard.press("Enter")
    assert tab.page.locator(".word.corrected").inner_text().split() == ["Police", "NOUN"]
    (record,) = _download(tab)
    assert record["tokens"] == ["Police", "met", "nobody", "."]
    assert record["tags"][0] == "NOUN"
    file = tmp_path / "tags.jsonl"
    file.write_text(json.dumps(record) + "\n")
    assert tagloom.read(file).sentence(0, "label") == record["tags"]


def test_long_texts_show_their_error(tab: Tab) -> None:
    tab.annotate(TEXT)
    tab.page.fill("#text", "word " * 2001)
    tab.page.click("#annotate")
    alert = tab.page.get_by_role("alert")
    alert.get_by_text("tokens: at most 2,000 are allowed, got 2,001; send less at once").wait_for()
    tab.save_picture("error")
    assert tab.page.locator(".result").count() == 0
    tab.page.fill("#text", "word " * 210_000, timeout=60_000)  # a megabyte takes long on a busy machine
    assert tab.page.locator("#size").inner_text() == "1,050,000 of 1,000,000 bytes"
    tab.page.click("#annotate")
    alert.get_by_text("bytes of the body: at most 1,000,000 are allowed").wait_for()
    tab.annotate("Police met nobody.")
    assert alert.inner_text() == ""


def test_a_server_that_is_gone_is_reported(open_tab: Callable[..., Tab], files: dict[str, Path]) -> None:
    with ServerProcess(files["tags"]) as server:
        tab = open_tab(port=server.port)
    tab.page.fill("#text", "Police")
    tab.page.click("#annotate")
    tab.page.get_by_role("alert").get_by_text("The server does not answer.").wait_for()


def test_a_token_is_asked_for(browser: Any, files: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text("correct-horse-battery-staple\n")
    page = browser.new_page()
    with ServerProcess(files["entities"], "--token-file", tmp_path / "tokens") as server:
        page.goto(f"http://127.0.0.1:{server.port}/")
        for token in ("wrong-horse-battery-staple", "correct-horse-battery-staple"):
            page.get_by_role("dialog", name="This server needs a bearer token").wait_for()
            page.get_by_role("textbox", name="Token").fill(token)
            page.keyboard.press("Enter")
        page.wait_for_selector("html[data-ready]")
        assert page.locator("#model option").all_inner_texts() == ["entities (tagger)"]
        page.close()


def test_colours_are_those_of_other_pages(tab: Tab) -> None:
    labels = ["PER", "ORG", "NN", "Größe", "x", "an unknown label", "😀"]  # some that models have, and others
    choose = "async (labels) => { const {chooseHue} = await import('./static/dom.js'); return labels.map(chooseHue); }"
    assert tab.page.evaluate(choose, labels) == [choose_hue(label) for label in labels]


def test_the_theme_is_switched_and_kept(tab: Tab) -> None:
    def background() -> str:
        return str(tab.page.evaluate("getComputedStyle(document.body).backgroundColor"))

    light = background()
    tab.page.click("#theme")
    assert tab.page.locator("#theme").inner_text() == "Theme: light"
    tab.page.click("#theme")
    assert tab.page.locator("#theme").inner_text() == "Theme: dark"
    assert background() != light
    tab.page.reload()
    tab.page.wait_for_selector("html[data-ready]")
    assert background() != light
    tab.page.emulate_media(color_scheme="dark")
    tab.page.click("#theme")
    assert tab.page.locator("#theme").inner_text() == "Theme: system"
    assert background() != light


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [600, 1200])
def test_nothing_serious_is_inaccessible(open_tab: Callable[..., Tab], scheme: str, width: int) -> None:
    tab = open_tab(scheme, width)
    found = {"empty": tab.check_accessibility()}
    tab.annotate(TEXT)
    tab.find_token("Washington").click()
    tab.page.wait_for_selector(".why")
    tab.save_picture(f"{scheme}-{width}")
    found["why"] = tab.check_accessibility()
    tab.page.get_by_role("button", name="Show alternatives, sentence 2").click()
    tab.page.wait_for_selector(".alternatives li")
    found["alternatives"] = tab.check_accessibility()
    tab.page.select_option("#compare", "few")
    tab.page.wait_for_selector("#difference table")
    found["compare"] = tab.check_accessibility()
    tab.find_tag("PER").click()
    tab.page.wait_for_selector(".picker")
    found["picker"] = tab.check_accessibility()
    tab.page.keyboard.press("1")
    tab.page.select_option("#compare", "")
    tab.annotate(TREE, "trees", "svg.arcs")
    tab.page.get_by_role("button", name="dog NOUN, obj of saw").click()
    tab.page.wait_for_selector(".why")
    found["tree"] = tab.check_accessibility()
    tab.annotate(TREE, "tags", ".word")
    found["tags"] = tab.check_accessibility()
    tab.page.fill("#text", "word " * 2001)
    tab.page.click("#annotate")
    tab.page.wait_for_selector(".alert")
    found["error"] = tab.check_accessibility()
    assert not {state: faults for state, faults in found.items() if faults}
    assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the screen"
