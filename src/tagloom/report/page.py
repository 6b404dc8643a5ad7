"""The frame of every page: one file with its styles, scripts and data, which loads nothing from outside.

Scripts are modules of the page. A content security policy lets the browser run these and no others, and load nothing.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import json
from collections.abc import Sequence
from importlib import resources

from tagloom._version import __version__
from tagloom.report.markup import element, text

_THEMES = {"auto": "as the system", "light": "light", "dark": "dark"}


def build_page(
    title: str, body: str, *, styles: Sequence[str] = (), scripts: Sequence[str] = (), data: object = None,
    subtitle: str = "",
) -> str:  # fmt: skip
    """Build a page.

    Args:
        title: Title and heading.
        body: Markup of everything below the heading.
        styles: Names of further style sheets of this package.
        scripts: Names of further scripts; all are parts of one module.
        data: What the scripts read, as plain values.
        subtitle: Markup below the heading.
    """
    script = "".join(map(read_asset, ("page.js", *scripts)))
    style = "".join(map(read_asset, ("page.css", *styles)))
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{_hash(script)}'"
    head = [
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        text("title", title),
        element("style", f"\n{style}"),
    ]
    content = [
        element("a", "Skip to the content", href="#content", class_="skip"),
        element("header", element("div", text("h1", title), subtitle), _build_theme_switch(), class_="top"),
        element("main", body, id="content"),
        element("footer", text("p", f"tagloom {__version__}")),
        "" if data is None else element("script", embed_json(data), type="application/json", id="data"),
        element("script", script, type="module"),
    ]
    parts = [element("head", *head), element("body", *content)]
    return f"<!doctype html>\n{element('html', *parts, lang='en')}\n"


def embed_json(value: object) -> str:
    r"""Write plain values as JSON that can stand in a page: nothing in it ends or begins an element.

    >>> embed_json({"w": "</script>"})
    '{"w":"\\u003c/script\\u003e"}'
    """
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        written = written.replace(character, f"\\u{ord(character):04x}")
    return written.encode("utf-8", "replace").decode()


def _build_theme_switch() -> str:
    options = [text("option", name, value=value) for value, name in _THEMES.items()]
    return element("label", "Theme ", element("select", *options, id="theme"), class_="theme")


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


@functools.cache
def read_asset(name: str) -> str:
    """Read a style sheet or a script of this package."""
    return resources.files("tagloom.report").joinpath(name).read_text("utf-8")
