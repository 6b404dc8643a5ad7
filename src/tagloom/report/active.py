"""Figures of active learning: the score by the number of labelled tokens, one panel per corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tagloom.arguments import check_arguments, check_methods
from tagloom.errors import ConfigError
from tagloom.experiments.active.simulate import Simulation
from tagloom.report.figure import INK, add_legend, add_margin, choose_style, render

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT = 9.0, 3.9  # inches: a figure that stays readable at 600 pixels
_LOWEST_RANK = 2  # rounds at the beginning that may lie below the axis


@check_methods()
@dataclass(frozen=True)
class ActivePanel:
    """The simulations of one corpus.

    Attributes:
        title: Name of the corpus.
        score: What the y axis shows.
        simulations: Simulations by the name of the curve; those of several seeds are averaged round by round.
        full: Score of a model that was trained on all of the corpus.
        part: Part of that score that a line marks.
    """

    title: str
    score: str
    simulations: Mapping[str, Sequence[Simulation]]
    full: float
    part: float = 0.95

    @property
    def goal(self) -> float:
        """The score that a line marks."""
        return self.part * self.full


def average_rounds(simulations: Sequence[Simulation], name: str | None = None) -> list[tuple[float, float]]:
    """Average tokens and scores of simulations round by round, as far as all of them go."""
    rounds = zip(*(each.rounds for each in simulations), strict=False)
    return [
        (float(np.mean([each.tokens for each in group])), float(np.mean([each.get_score(name) for each in group])))
        for group in rounds
    ]


@check_arguments
def draw_active(panels: Sequence[ActivePanel], kind: str = "svg") -> bytes:
    """Draw the panels side by side; a curve with the same name has the same colour in each.

    Args:
        panels: At least one panel.
        kind: "svg" or "png".

    Raises:
        ConfigError: There is no panel.
        PlotsMissingError: matplotlib is not installed.
    """
    if not panels:
        raise ConfigError("panels: expected at least one panel, got none")
    return render(lambda: _build(panels), kind)


def _build(panels: Sequence[ActivePanel]) -> Figure:
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(name for panel in panels for name in panel.simulations))
    figure = Figure(figsize=(_WIDTH, _HEIGHT), layout="constrained")
    grid = figure.subplots(1, len(panels), squeeze=False).ravel()
    for panel, axes in zip(panels, grid, strict=True):
        _draw(axes, panel, names)
    handles = {line.get_label(): line for axes in grid for line in axes.get_lines() if line.get_label() in names}
    add_legend(figure, [handles[name] for name in names], names)
    return figure


def _draw(axes: Axes, panel: ActivePanel, names: Sequence[str]) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    curves = {name: average_rounds(found) for name, found in panel.simulations.items()}
    for name, curve in curves.items():
        axes.plot(*zip(*curve), **choose_style(names.index(name)), linewidth=1.6, markersize=4, markeredgewidth=0,
                  label=name, gid=f"{panel.title}-{name}", zorder=3)  # fmt: skip
    scores = [[score for _, score in curve] for curve in curves.values()]
    lows = [curve[min(_LOWEST_RANK, len(curve) - 1)] for curve in scores]
    axes.set_ylim(add_margin(min(lows), max(panel.full, *map(max, scores))))
    for score, text in ((panel.full, "all data"), (panel.goal, f"{panel.part:.0%} of it")):
        axes.axhline(score, color=INK, linewidth=0.9, linestyle=(0, (4, 3)), zorder=2)
        # On the left, where the curves are still low.
        axes.annotate(text, (0, score), (4, 3), ("axes fraction", "data"), textcoords="offset points", fontsize=8.5)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.set_title(panel.title)
    axes.set_xlabel("labelled tokens")
    axes.set_ylabel(panel.score)
