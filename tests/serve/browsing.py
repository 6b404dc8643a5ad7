"""The page of the server in the browser, and what a person does on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests import browser
from tests.browser import ROOT, find_barriers, keep_picture

PICTURES = ROOT / "build" / "browser" / "pictures"


@dataclass
class Tab(browser.Tab):
    """The page of a server."""

    address: str = ""
    expected: str | None = "Failed to load resource"  # the browser tells of every status from 400 on

    def __post_init__(self) -> None:
        super().__post_init__()
        self.page.goto(self.address)
        self.page.wait_for_selector("html[data-ready]")

    def annotate(self, text: str, model: str | None = None, shows: str = ".result") -> None:
        """Type a text and annotate it."""
        if model is not None:
            self.page.select_option("#model", model)
        self.page.fill("#text", text)
        self.page.press("#text", "Control+Enter")
        self.page.wait_for_selector(f"#results[aria-busy=false] {shows}")

    def list_spans(self, card: int = 0) -> list[tuple[str, str]]:
        """List the spans that a card shows: text and label."""
        marks = self.page.locator(".result").nth(card).locator("mark.entity").all()
        return [
            (" ".join(mark.locator(".token").all_inner_texts()), mark.locator(".tag").inner_text()) for mark in marks
        ]

    def find_token(self, text: str, card: int = 0) -> Any:
        """Find a token of a card by its text."""
        return self.page.locator(".result").nth(card).locator(".token").get_by_text(text, exact=True).first

    def find_tag(self, label: str, card: int = 0) -> Any:
        """Find the first span of a card with a label."""
        return self.page.locator(".result").nth(card).locator("mark.entity .tag").get_by_text(label, exact=True).first

    def select_words(self, first: str, last: str) -> None:
        """Select words of the first card with the pointer."""
        start, end = self.find_token(first).bounding_box(), self.find_token(last).bounding_box()
        self.page.mouse.move(start["x"] + 1, start["y"] + start["height"] / 2)
        self.page.mouse.down()
        self.page.mouse.move(end["x"] + end["width"] - 1, end["y"] + end["height"] / 2, steps=5)
        self.page.mouse.up()

    def check_accessibility(self) -> list[str]:
        """List what axe-core finds serious or critical."""
        return find_barriers(self.page)

    def save_picture(self, name: str, *, is_shown: bool = False, height: int = 900) -> None:
        """Keep a picture to look at in build/browser/pictures; one that is shown is for the documentation."""
        before = self.page.viewport_size
        self.page.evaluate("scrollTo(0, 0)")
        self.page.set_viewport_size({"width": before["width"], "height": height})
        png = self.page.screenshot(animations="disabled", caret="hide")
        self.page.set_viewport_size(before)
        if is_shown:
            keep_picture(png, f"{name}.png", PICTURES)
        else:
            PICTURES.mkdir(parents=True, exist_ok=True)
            (PICTURES / f"{name}.png").write_bytes(png)
