"""Files beside ``docs``: pages that show one of them, and links that lead to such a page."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

#: Page -> the file that it shows.
SHOWN = {"contributing": "../CONTRIBUTING.md", "changelog": "../CHANGELOG.md", "security": "../SECURITY.md"}
#: File -> the page that links to it lead to.
PAGES = {
    **{file: f"{page}.md" for page, file in SHOWN.items()},
    "../README.md": "index.md",
    "../examples/README.md": "examples/index.md",
}
_LINK = re.compile(r"\]\(([^)#:\s]+)(#[^)\s]*)?\)")


def rewrite(text: str, folder: str, page: str) -> str:
    """Rewrite the links of a text that stands in a folder, so that they lead from a page to pages where they can."""
    here = posixpath.dirname(page) or "."

    def replace(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, link[1]))
        return f"]({posixpath.relpath(PAGES.get(target, target), here)}{link[2] or ''})"

    return _LINK.sub(replace, text)


def _rewrite_source(app: Sphinx, page: str, source: list[str]) -> None:
    if page in SHOWN:
        file = Path(app.srcdir) / SHOWN[page]
        app.env.note_dependency(str(file))
        source[0] = rewrite(file.read_text("utf-8"), "..", page)
    else:
        source[0] = rewrite(source[0], posixpath.dirname(page), page)


def setup(app: Sphinx) -> dict[str, bool]:
    """Rewrite links when pages are read."""
    app.connect("source-read", _rewrite_source)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
