"""Learning curves on many corpora: a panel a corpus, as Figure 1 of He and Wang (2012) lays them out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tagloom.report.curves import COLOURS, DASHES, limits_of, rendered

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ACROSS = 4  # panels side by side


@dataclass(frozen=True)
class Panel:
    """The curves of one corpus: name -> (pass or seconds, score) after every pass."""

    title: str
    curves: Mapping[str, Sequence[tuple[float, float]]]


def draw_panels(panels: Sequence[Panel], axis: str, kind: str = "svg", *, log: bool = False) -> bytes:
    """All panels in one figure, "svg" or "png"; a name has the same colour in each. ``axis`` says what x is."""
    return rendered(lambda: _figure(panels, axis, log), kind)


def _figure(panels: Sequence[Panel], axis: str, log: bool) -> Figure:
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(name for panel in panels for name in panel.curves))
    across = min(_ACROSS, len(panels))
    down = -(-len(panels) // across)
    figure = Figure(figsize=(3.4 * across + 1.6, 2.9 * down), layout="constrained")
    grid = figure.subplots(down, across, squeeze=False).ravel()
    for panel, axes in zip(panels, grid):
        _draw(axes, panel, names, axis, log)
    for axes in grid[len(panels) :]:
        axes.set_axis_off()
    handles = {line.get_label(): line for axes in grid for line in axes.get_lines()}
    figure.legend([handles[name] for name in names], names, loc="outside right upper", frameon=False)
    return figure


def _draw(axes: Axes, panel: Panel, names: Sequence[str], axis: str, log: bool) -> None:
    for name, curve in panel.curves.items():
        number = names.index(name)
        colour, dash = COLOURS[number % len(COLOURS)], DASHES[number // len(COLOURS) % len(DASHES)]
        axes.plot(*zip(*curve), color=colour, linestyle=dash, linewidth=1.5, label=name, gid=f"{panel.title}-{name}")
    scores = [[score for _, score in curve] for curve in panel.curves.values()]
    axes.set_ylim(limits_of(scores, [curve[-1] for curve in scores]))
    if log:
        axes.set_xscale("log")
    axes.set_title(panel.title)
    axes.set_xlabel(axis)
    axes.grid(True)
    axes.set_axisbelow(True)
