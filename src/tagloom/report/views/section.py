"""What sections share: their frame, and cells of tables."""

from __future__ import annotations

from tagloom.evaluate import Significance
from tagloom.report.markup import element, number_cell, text
from tagloom.text.html import escape_html

LEVEL = 0.05  # p values below this are marked


def build_section(key: str, title: str, *content: str) -> str:
    """Build a section with its heading; none if there is no content."""
    inside = "".join(content)
    if not inside:
        return ""
    return element("section", text("h2", title, id=f"{key}-title"), inside, id=key, aria_labelledby=f"{key}-title")


def build_card(title: str, *content: str, class_: str = "card") -> str:
    """Build a card with a heading of its own."""
    return element("div", text("h3", title), *content, class_=class_)


def percent_cell(value: float) -> str:
    """Build a cell with a percentage."""
    return number_cell(value, f"{value:.2f}")


def count_cell(value: int) -> str:
    """Build a cell with a count."""
    return number_cell(value, f"{value:,}")


def difference_cell(test: Significance | None) -> str:
    """Build a cell with a difference between two models; a significant one stands out."""
    if test is None:
        return element("td")
    side = "" if test.p_value >= LEVEL or not test.difference else " won" if test.difference > 0 else " lost"
    return element("td", escape_html(f"{test.difference:+.2f}"), class_=f"number{side}",
                   data_value=f"{test.difference:.6g}", title=write_chance(test))  # fmt: skip


def chance_cell(test: Significance | None) -> str:
    """Build a cell with a p value."""
    return element("td") if test is None else number_cell(test.p_value, f"{test.p_value:.3f}")


def write_chance(test: Significance) -> str:
    """Write how likely a difference is by chance."""
    return f"p = {test.p_value:.3f} (paired bootstrap over sentences, {test.samples:,} samples)"
