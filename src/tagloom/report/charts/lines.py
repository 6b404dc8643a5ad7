"""Lines: scores by pass or by size of the training data, and reliability diagrams."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tagloom.report.charts.svg import choose_ticks, draw, label, line, rectangle
from tagloom.report.markup import element, text

_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 16, 14, 44  # room around the area of a chart


@dataclass(frozen=True)
class Dot:
    """A point of a line, with the bounds of its interval if it has one."""

    x: float
    y: float
    tip: str
    low: float | None = None
    high: float | None = None
    is_marked: bool = False


@dataclass(frozen=True)
class Frame:
    """The area of a chart: from values to places."""

    width: float
    height: float
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    log: bool = False

    def x(self, value: float) -> float:
        """Place a value on the x axis."""
        low, high, value = (math.log(max(v, 1e-9)) if self.log else v for v in (*self.x_range, value))
        share = (value - low) / (high - low) if high > low else 0.5
        return _LEFT + share * (self.width - _LEFT - _RIGHT)

    def y(self, value: float) -> float:
        """Place a value on the y axis."""
        low, high = self.y_range
        share = (value - low) / (high - low) if high > low else 0.5
        return self.height - _BOTTOM - share * (self.height - _TOP - _BOTTOM)

    def draw_axes(self, x_name: str, y_name: str, x_ticks: Sequence[tuple[float, str]], y_format: str) -> list[str]:
        """Draw both axes with their names, ticks and lines across."""
        left, right, bottom = _LEFT, self.width - _RIGHT, self.height - _BOTTOM
        parts = [line(left, bottom, right, bottom, "axis")]
        for tick in choose_ticks(*self.y_range):
            y = self.y(tick)
            parts += [line(left, y, right, y, "grid"), label(left - 8, y + 4, format(tick, y_format), anchor="end")]
        for value, name in x_ticks:
            x = self.x(value)
            parts += [line(x, bottom, x, bottom + 4, "axis"), label(x, bottom + 18, name)]
        middle = (_TOP + bottom) / 2
        parts += [label((left + right) / 2, self.height - 6, x_name, class_="axis-name")]
        return [*parts, label(14, middle, y_name, class_="axis-name", turn=-90)]


def draw_line(
    dots: Sequence[Dot], title: str, description: str, x_name: str, y_name: str, *, log: bool = False,
    write_x: Callable[[float], str] = lambda value: f"{value:,.0f}", y_format: str = "g",
) -> str:  # fmt: skip
    """Draw a line through points, with whiskers where they have intervals, and a ring around marked ones."""
    values = [value for dot in dots for value in (dot.y, dot.low, dot.high) if value is not None]
    margin = max(0.06 * (max(values) - min(values)), 0.02 * abs(max(values)), 1e-6)
    xs = [dot.x for dot in dots]
    frame = Frame(480, 280, (min(xs), max(xs)), (min(values) - margin, max(values) + margin), log)
    shown = xs if len(xs) <= 8 else [xs[round(n * (len(xs) - 1) / 7)] for n in range(8)]
    parts = frame.draw_axes(x_name, y_name, [(x, write_x(x)) for x in dict.fromkeys(shown)], y_format)
    path = " L".join(f"{frame.x(dot.x):.1f} {frame.y(dot.y):.1f}" for dot in dots)
    parts.append(element("path", d=f"M{path}", class_="curve"))
    parts += [_draw_dot(frame, dot) for dot in dots]
    return draw(frame.width, frame.height, parts, title, description)


def _draw_dot(frame: Frame, dot: Dot) -> str:
    x, y = frame.x(dot.x), frame.y(dot.y)
    whisker = ""
    if dot.low is not None and dot.high is not None:
        ends = frame.y(dot.low), frame.y(dot.high)
        whisker = line(x, *ends[:1], x, ends[1], "whisker")
    ring = element("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r="8", class_="ring") if dot.is_marked else ""
    circle = element("circle", text("title", dot.tip), cx=f"{x:.1f}", cy=f"{y:.1f}", r="4", class_="dot")
    return whisker + ring + circle


def draw_reliability(
    bins: Sequence[tuple[float, float, float, float, int]], title: str, description: str, unit: str
) -> str:
    """Draw how often decisions are right by their confidence; ``bins`` are (low, high, confidence, share right, count).

    A perfectly calibrated model is on the diagonal. Bars below show how many decisions there are.
    """
    frame, below = Frame(460, 360, (0.0, 1.0), (0.0, 1.0)), 78.0
    ticks = [(value, f"{value:g}") for value in (0, 0.2, 0.4, 0.6, 0.8, 1)]
    parts = frame.draw_axes("confidence", "share that is right", ticks, "g")
    total, most = sum(each[4] for each in bins) or 1, max((each[4] for each in bins), default=1)
    for low, high, sure, right, count in bins:
        share = f"{count:,} {unit} ({count / total:.1%})"
        tip = f"confidence {low:.2f} to {high:.2f}: {share}, mean {sure:.3f}, right {right:.1%}"
        x, width = frame.x(low) + 1, frame.x(high) - frame.x(low) - 2
        parts.append(rectangle(x, frame.y(right), width, frame.y(0) - frame.y(right), "fill", tip))
        gap = sorted((frame.y(right), frame.y((low + high) / 2)))
        parts.append(rectangle(x, gap[0], width, gap[1] - gap[0], "gap", tip))
        size = 44 * math.log1p(count) / math.log1p(most)
        parts.append(rectangle(x, frame.height + below - 22 - size, width, size, "count", tip))
    parts.append(line(frame.x(0), frame.y(0), frame.x(1), frame.y(1), "diagonal"))
    parts.append(line(_LEFT, frame.height + below - 22, frame.width - _RIGHT, frame.height + below - 22, "axis"))
    parts.append(
        label(frame.width / 2, frame.height + below - 6, f"number of {unit} (logarithmic)", class_="axis-name")
    )
    return draw(frame.width, frame.height + below, parts, title, description)
