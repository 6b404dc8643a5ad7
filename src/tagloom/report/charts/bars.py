"""Bars: of a score with its interval, of outcomes that add up to all units, and of weights for and against."""

from __future__ import annotations

from collections.abc import Sequence

from tagloom.report.charts.svg import draw, line, rectangle
from tagloom.report.markup import element, text

_WIDTH, _HEIGHT = 150, 18


def draw_score(name: str, value: float, low: float | None = None, high: float | None = None) -> str:
    """Draw a percentage as a bar, with a whisker from the lower to the upper bound of its interval."""
    scale = _WIDTH / 100
    parts = [
        rectangle(0, 4, _WIDTH, _HEIGHT - 8, "track"),
        rectangle(0, 4, value * scale, _HEIGHT - 8, "fill"),
    ]
    said = f"{value:.2f} %"
    if low is not None and high is not None:
        middle = _HEIGHT / 2
        parts += [line(low * scale, middle, high * scale, middle, "whisker")]
        parts += [line(end * scale, 5, end * scale, _HEIGHT - 5, "whisker") for end in (low, high)]
        said += f", 95 % interval {low:.2f} to {high:.2f}"
    return draw(_WIDTH, _HEIGHT, parts, name, said, "score").replace("<svg ", '<svg preserveAspectRatio="none" ', 1)


def draw_outcomes(parts: Sequence[tuple[str, int]], unit: str) -> str:
    """Draw counts that add up to a whole as one bar, and name them below it."""
    total = sum(count for _, count in parts) or 1
    width, height, x = 1000.0, 34.0, 0.0
    drawn = []
    for number, (name, count) in enumerate(parts):
        share = width * count / total
        tip = f"{name}: {count:,} ({count / total:.1%})"
        drawn.append(rectangle(x, 0, max(share - 1.5, 0.6), height, f"outcome outcome-{number}", tip))
        x += share
    said = "; ".join(f"{name} {count:,}" for name, count in parts)
    svg = draw(width, height, drawn, f"Outcomes of {total:,} {unit}", said, "outcomes")
    return svg.replace("<svg ", '<svg preserveAspectRatio="none" ', 1)


def name_outcomes(parts: Sequence[tuple[str, int]], meanings: Sequence[str], task: str) -> str:
    """Name the parts of the bar; those that are errors are buttons that filter the list of errors."""
    total = sum(count for _, count in parts) or 1
    items = []
    for number, ((name, count), meaning) in enumerate(zip(parts, meanings)):
        swatch = element("span", class_=f"swatch outcome-{number}", aria_hidden="true")
        shown = (
            text("b", f"{count:,}") + text("span", f" {name} ", class_="name") + text("small", f"{count / total:.1%}")
        )
        button = element("button", swatch, shown, type="button", class_="pick", data_task=task, data_kind=name,
                         title=meaning)  # fmt: skip
        items.append(element("li", button if number else element("span", swatch, shown, title=meaning)))
    return element("ul", *items, class_="legend")


def draw_weight(name: str, weight: float, largest: float) -> str:
    """Draw a weight as a bar from the middle: to the right if it speaks for a label, to the left against it."""
    half, height = 60.0, 14.0
    share = half * abs(weight) / (largest or 1)
    bar = rectangle(half if weight > 0 else half - share, 3, share, height - 6, "plus" if weight > 0 else "minus")
    axis = line(half, 1, half, height - 1, "axis")
    return draw(2 * half, height, [bar, axis], name, f"{weight:+.3f}", "weight")
