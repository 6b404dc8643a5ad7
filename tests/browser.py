"""Chromium for tests of pages: one browser, pages that note every error, axe-core, and pictures for the documentation.

``make test-browser`` and ``make test-serve`` install what is needed. Without it, tests are skipped with a reason.
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
_HINT = "run make test-browser or make test-serve"


@contextmanager
def open_chromium() -> Iterator[Any]:
    """Start Debian's Chromium; the browsers that Playwright brings itself are not used."""
    playwright = pytest.importorskip("playwright.sync_api", reason=f"Playwright is not installed: {_HINT}")
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if not path:
        pytest.skip(f"Chromium is not installed: {_HINT}")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@dataclass
class Tab:
    """A page with everything that went wrong in it, and what it tried to load.

    Attributes:
        page: The page.
        errors: Errors of scripts, and messages on the console.
        requests: Addresses that were asked for.
        expected: Messages on the console that hold this text are no errors.
    """

    page: Any
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    expected: str | None = None

    def __post_init__(self) -> None:
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._hear)
        self.page.on("request", lambda request: self.requests.append(request.url))

    def _hear(self, message: Any) -> None:
        if self.expected is None or self.expected not in message.text:
            self.errors.append(f"{message.type}: {message.text}")

    def require_silence(self) -> None:
        """Fail if a script failed, or if something was written to the console."""
        assert self.errors == []


def open_tab(browser: Any, *, width: int = 1200, height: int = 900, theme: str = "light", **options: Any) -> Tab:
    """Open an empty page of its own, as a new user sees it."""
    return Tab(open_page(browser, width=width, height=height, theme=theme, **options))


def open_page(browser: Any, *, width: int = 1200, height: int = 900, theme: str = "light", **options: Any) -> Any:
    """Open an empty page in a context of its own."""
    size = {"width": width, "height": height}
    return browser.new_context(viewport=size, color_scheme=theme, **options).new_page()


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
