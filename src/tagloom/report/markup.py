"""HTML as text: elements whose attributes are escaped, and texts from outside, which always are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tagloom.text.html import escape_html

#: Elements that have no content.
_VOID = frozenset({"input", "meta", "br", "wbr"})


def element(tag: str, *content: str, **attributes: object) -> str:
    """Build an element. Content is markup already; attributes are escaped, and those that are None or False left out.

    >>> element("a", escape_html("R&D"), href="#x", class_="link", hidden=False)
    '<a href="#x" class="link">R&amp;D</a>'
    """
    shown = "".join(_write_attribute(name, value) for name, value in attributes.items())
    if tag in _VOID:
        return f"<{tag}{shown}>"
    return f"<{tag}{shown}>{''.join(content)}</{tag}>"


def _write_attribute(name: str, value: object) -> str:
    if value is None or value is False:
        return ""
    written = name.rstrip("_").replace("_", "-")
    return f" {written}" if value is True else f' {written}="{escape_html(str(value))}"'


def text(tag: str, content: str, **attributes: object) -> str:
    """Build an element around a text from outside."""
    return element(tag, escape_html(content), **attributes)


def paragraph(content: str, class_: str | None = None) -> str:
    """Build a paragraph around a text; nothing if it is empty."""
    return text("p", content, class_=class_) if content else ""


def scrolling(content: str, label: str, class_: str = "wide") -> str:
    """Wrap what may be wider than the page in an area that scrolls, also by keyboard."""
    return element("div", content, class_=class_, role="region", aria_label=label, tabindex=0)


def table(
    caption: str, headers: Sequence[str], rows: Iterable[Sequence[str]], *, sortable: bool = False,
    left: str | None = None,
) -> str:  # fmt: skip
    """Build a table with a caption for screen readers.

    Args:
        caption: What the table shows.
        headers: Names of the columns.
        rows: Cells as markup; those that begin with ``<td`` or ``<th`` stand as they are, the first is a heading.
        sortable: Whether a click on a name sorts the rows.
        left: Name of a column whose name stands to the left, as its cells do.
    """
    heads = "".join(
        element("th", text("button", name, type="button") if sortable else escape_html(name), scope="col",
                class_="bar" if name == left else None)
        if name
        else element("td")
        for name in headers
    )  # fmt: skip
    body = "".join(element("tr", *(_build_cell(cell, n == 0) for n, cell in enumerate(row))) for row in rows)
    return element(
        "table",
        text("caption", caption, class_="hidden"),
        element("thead", element("tr", heads)),
        element("tbody", body),
        class_="sortable" if sortable else None,
    )


def _build_cell(content: str, is_first: bool) -> str:
    if content.startswith(("<td", "<th")):
        return content
    return element("th", content, scope="row") if is_first else element("td", content)


def number_cell(value: float | None, shown: str) -> str:
    """Build a cell with a number by which the column is sorted."""
    return element("td", escape_html(shown), class_="number", data_value=None if value is None else f"{value:.6g}")
