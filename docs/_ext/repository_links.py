"""Links to files of the repository that are no pages here: to a page that includes the file, or to a copy of it."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

#: Files beside ``docs`` -> pages that include them.
INCLUDED = {
    "../CONTRIBUTING.md": "contributing.md",
    "../CHANGELOG.md": "changelog.md",
    "../SECURITY.md": "security.md",
    "../README.md": "index.md",
}
_LINK = re.compile(r"\]\(([^)#:\s]+)(#[^)\s]*)?\)")


def rewrite(text: str, page: str) -> str:
    """Rewrite the links of a page; they are relative to its folder."""
    folder = posixpath.dirname(page)

    def replace(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, link[1]))
        if target in INCLUDED:
            return f"]({posixpath.relpath(INCLUDED[target], folder or '.')}{link[2] or ''})"
        return link[0]

    return _LINK.sub(replace, text)


def include(text: str) -> str:
    """Rewrite the links of a file beside ``docs`` for a page in it."""

    def replace(link: re.Match[str]) -> str:
        path = link[1].removeprefix("docs/") if link[1].startswith("docs/") else INCLUDED.get(f"../{link[1]}")
        return f"]({path or '../' + link[1]}{link[2] or ''})"

    return _LINK.sub(replace, text)


def _rewrite_source(app: Sphinx, page: str, source: list[str]) -> None:
    file = next((file for file, name in INCLUDED.items() if name == f"{page}.md" and page != "index"), None)
    if file is not None:
        app.env.note_dependency(str(Path(app.srcdir) / file))
        source[0] = include((Path(app.srcdir) / file).read_text("utf-8"))
    else:
        source[0] = rewrite(source[0], page)


def setup(app: Sphinx) -> dict[str, bool]:
    """Rewrite links when pages are read."""
    app.connect("source-read", _rewrite_source)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
