"""Chromium for tests of pages: one browser, pages that note every error, axe-core, and pictures for the documentation.

``make test-browser`` installs what is needed. Without it, tests are skipped with a reason.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
AXE = ROOT / "build" / "browser" / "node_modules" / "axe-core" / "axe.min.js"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync"]  # fmt: skip
SERIOUS = ("serious", "critical")
_HINT = "run make test-browser"


@contextmanager
def open_chromium() -> Iterator[Any]:
    """Start Debian's Chromium; the browsers that Playwright brings itself are not used."""
    playwright = pytest.importorskip("playwright.sync_api", reason=f"Playwright is not installed: {_HINT}")
    path = shutil.which("chromium")
    if path is None:
        pytest.skip(f"Chromium is not installed: {_HINT}")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@dataclass
class Tab:
    """A page with everything that went wrong in it, and what it tried to load."""

    page: Any
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def require_silence(self) -> None:
        """Fail if a script failed, or if something was written to the console."""
        assert self.errors == []


def open_tab(browser: Any, *, width: int = 1200, height: int = 900, theme: str = "light", **options: Any) -> Tab:
    """Open an empty page of its own, as a new user sees it."""
    page = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme, **options).new_page()
    tab = Tab(page)
    page.on("pageerror", lambda error: tab.errors.append(str(error)))
    page.on("console", lambda message: tab.errors.append(f"{message.type}: {message.text}"))
    page.on("request", lambda request: tab.requests.append(request.url))
    return tab


def find_barriers(page: Any, *, impacts: tuple[str, ...] = SERIOUS) -> list[str]:
    """List what axe-core finds to keep people from reading the page, of the given impacts."""
    if not AXE.exists():
        pytest.skip(f"axe-core is not installed: {_HINT}")
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("async () => (await axe.run(document, {resultTypes: ['violations']})).violations")
    return [
        f"{each['impact']} {each['id']}: {each['help']}: {node['target']} {node.get('failureSummary', '')[:300]}"
        for each in found
        if each["impact"] in impacts
        for node in each["nodes"][:5]
    ]


def keep_picture(png: bytes, name: str, folder: Path) -> Path:
    """Write a picture with few colours: into the documentation if TAGLOOM_IMAGES names its folder, else elsewhere."""
    import io

    from PIL import Image

    target = Path(os.environ.get("TAGLOOM_IMAGES") or folder) / name
    target.parent.mkdir(parents=True, exist_ok=True)
    Image.open(io.BytesIO(png)).convert("RGB").quantize(96).save(target, optimize=True)
    return target
