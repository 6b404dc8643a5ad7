"""Heat maps: weights of pairs, from strongly against to strongly for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tagloom.report.charts.svg import draw, label, rectangle

_CELL, _CHARACTER = 22.0, 7.2


def draw_heat(labels: Sequence[str], values: NDArray[np.floating], title: str, description: str) -> str:
    """Draw a square table of values as colours; every cell says its numbers under the pointer."""
    count, margin = len(labels), max(map(len, labels), default=1) * _CHARACTER + 12
    largest = float(np.abs(values).max(initial=0.0)) or 1.0
    parts = []
    for row, name in enumerate(labels):
        y = margin + row * _CELL
        parts.append(label(margin - 6, y + _CELL * 0.68, name, anchor="end"))
        x = margin + row * _CELL + _CELL * 0.68
        parts.append(label(x, margin - 6, name, anchor="start", turn=-90))
        for column, other in enumerate(labels):
            weight = float(values[row, column])
            opacity, sign = abs(weight) / largest, "plus" if weight > 0 else "minus"
            tip = f"{name} → {other}: {weight:+.3f}"
            parts.append(rectangle(margin + column * _CELL, y, _CELL - 1, _CELL - 1, f"heat {sign}", tip,
                                   fill_opacity=f"{opacity:.3f}"))  # fmt: skip
    size = margin + count * _CELL + 4
    return draw(size, size, parts, title, description, "chart heatmap")
