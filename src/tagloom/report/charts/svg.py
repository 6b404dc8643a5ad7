"""What all charts share: the drawing with its title and description, texts, and marks of axes."""

from __future__ import annotations

import math
from collections.abc import Iterable

from tagloom.report.markup import element, text


def draw(width: float, height: float, parts: Iterable[str], title: str, description: str, class_: str = "chart") -> str:
    """Wrap the parts of a drawing; screen readers read the title and the description in their place."""
    size = {"width": f"{width:g}", "height": f"{height:g}", "viewBox": f"0 0 {width:g} {height:g}"}
    inside = text("title", title) + text("desc", description) + "".join(parts)
    return element("svg", inside, **size, class_=class_, role="img", aria_label=f"{title}. {description}")


def label(x: float, y: float, content: str, *, anchor: str = "middle", class_: str | None = None, turn: int = 0) -> str:
    """Write a text."""
    turned = f"rotate({turn} {x:g} {y:g})" if turn else None
    return text("text", content, x=f"{x:.1f}", y=f"{y:.1f}", text_anchor=anchor, class_=class_, transform=turned)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> str:
    """Draw a straight line."""
    return element("line", x1=f"{x1:.1f}", y1=f"{y1:.1f}", x2=f"{x2:.1f}", y2=f"{y2:.1f}", class_=class_)


def rectangle(x: float, y: float, width: float, height: float, class_: str, tip: str = "", **others: object) -> str:
    """Draw a rectangle that shows a text under the pointer."""
    inside = text("title", tip) if tip else ""
    return element("rect", inside, x=f"{x:.1f}", y=f"{y:.1f}", width=f"{max(width, 0):.1f}",
                   height=f"{max(height, 0):.1f}", class_=class_, **others)  # fmt: skip


def choose_ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Choose round numbers between two others.

    >>> choose_ticks(0, 100), choose_ticks(88.2, 93.1)
    ([0.0, 25.0, 50.0, 75.0, 100.0], [89.0, 90.0, 91.0, 92.0, 93.0])
    """
    span = max(high - low, 1e-9)
    power = 10.0 ** math.floor(math.log10(span / most))
    found = (_list_multiples(low, high, power * factor) for factor in (1, 2, 2.5, 5, 10, 20))
    return next(ticks for ticks in found if len(ticks) <= most)


def _list_multiples(low: float, high: float, step: float) -> list[float]:
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(number * step, 10) + 0.0 for number in range(first, last + 1)]
