"""Chromium, the models that the page shows, and what tests of the page share."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
AXE = ROOT / "build" / "serve" / "node_modules" / "axe-core" / "axe.min.js"


def find_chromium() -> str:
    """Find the browser; tests are skipped without it."""
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if not found:
        pytest.skip("Chromium is not installed: apt install chromium, or name it in CHROMIUM")
    return found


def open_browser() -> Iterator[Any]:
    """Open Chromium."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: make test-serve")
    with playwright.sync_playwright() as starter:
        browser = starter.chromium.launch(executable_path=find_chromium(), args=list(FLAGS))
        yield browser
        browser.close()


@dataclass
class Tab:
    """A page of the browser; keeps what went wrong in it, and what it loaded."""

    page: Any
    address: str
    faults: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", self._hear)
        self.page.on("request", lambda request: self.loaded.append(request.url))
        self.page.goto(self.address)
        self.page.wait_for_selector("html[data-ready]")

    def _hear(self, message: Any) -> None:
        expected = "Failed to load resource" in message.text  # the browser tells of every status from 400 on
        if message.type in ("error", "warning") and not expected:
            self.faults.append(message.text)

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
        if not AXE.exists():
            pytest.skip("axe-core is not installed: make test-serve")
        self.page.evaluate(AXE.read_text("utf-8"))
        found = self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        return [
            f"{each['id']}: {each['help']}: {json.dumps([node['target'] for node in each['nodes']][:3])}"
            for each in found["violations"]
            if each["impact"] in ("serious", "critical")
        ]

    def save_picture(self, name: str) -> None:
        """Save a screenshot, if somebody wants some."""
        if folder := os.environ.get("TAGLOOM_SCREENSHOTS"):
            path = Path(folder)
            path.mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=path / f"{name}.png", animations="disabled", caret="hide")
