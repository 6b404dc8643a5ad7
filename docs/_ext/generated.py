"""Pages that are made from the code: a line ``<!-- generated: KIND ARGUMENT -->`` is replaced by Markdown.

The pages themselves hold a title and what must be said by hand. On GitHub they show that and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from api import write_module
from commands import write_commands
from notebooks import write_notebook
from pages import write_other_pages

if TYPE_CHECKING:
    from sphinx.application import Sphinx

#: KIND -> what writes it.
WRITERS: Mapping[str, Callable[[str], str]] = {
    "commands": lambda _: write_commands(),
    "api": write_module,
    "notebook": write_notebook,
    "other-pages": lambda _: write_other_pages(),
}
_MARK = re.compile(r"^<!-- generated: (\S+) ?(.*?) -->$", re.M)


def expand(text: str) -> str:
    """Replace all marks of a page."""
    return _MARK.sub(lambda mark: WRITERS[mark[1]](mark[2]), text)


def _expand_source(app: Sphinx, page: str, source: list[str]) -> None:
    if _MARK.search(source[0]):
        source[0] = expand(source[0])
        app.env.note_reread()  # the code may change while the page does not


def _keep_colons(app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]) -> None:
    """Let the docstrings of properties begin with a comment, because a colon in the first line would end a type."""
    if what in ("attribute", "property", "data"):
        lines[:0] = ["..", ""]


_ARRAY = re.compile(r"(?:numpy\.)?ndarray\[tuple\[Any, \.\.\.\], (?:numpy\.)?dtype\[(?:numpy\.)?(\w+)\]\]")


def _shorten_arrays(
    app: Sphinx, what: str, name: str, value: object, options: object, arguments: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    """Write the types of arrays as they are written in the code."""
    return (
        None if arguments is None else _ARRAY.sub(r"NDArray[\1]", arguments),
        None if returned is None else _ARRAY.sub(r"NDArray[\1]", returned),
    )


def _shorten_array_fields(app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]) -> None:
    lines[:] = [_ARRAY.sub(r"NDArray[\1]", line) for line in lines]


def setup(app: Sphinx) -> dict[str, bool]:
    """Expand pages when they are read."""
    app.connect("source-read", _expand_source)
    app.connect("autodoc-process-docstring", _keep_colons, priority=400)  # before napoleon
    app.connect("autodoc-process-docstring", _shorten_array_fields, priority=600)
    app.connect("autodoc-process-signature", _shorten_arrays)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
