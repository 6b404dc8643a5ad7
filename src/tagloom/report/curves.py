"""Learning curves as in Figure 1 of He and Wang (2012): score against pass and against seconds, by matplotlib.

The same comparison gives the same bytes: no dates, fixed ids, the fonts that come with matplotlib.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tagloom.errors import ConfigError
from tagloom.experiments.comparison import Comparison, Run
from tagloom.report.table import METRIC_NAMES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

# Okabe and Ito's colours, told apart by colour-blind readers; without black and yellow they show on white and on dark.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C8C8C")
# After all colours are used once, the dashes change; marks differ from their neighbours in both rounds.
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1.5, 1.5)))
MARKS = ("o", "s", "^", "D", "v", "P", "X", "p", "<", "h", ">")
INK, FAINT = "#24292f", "#d8dee4"  # texts and axes, grid; the page replaces both by its own
_STYLE: dict[str, Any] = {
    "svg.hashsalt": "tagloom",
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.titlesize": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": FAINT,
    "grid.linewidth": 0.8,
    "legend.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}
_MOST_MARKS = 15  # a curve
_LOG_RATIO = 40.0  # an axis that spans more than this is logarithmic


class PlotsMissingError(ConfigError):
    """matplotlib is not installed."""


def draw_curves(comparison: Comparison, kind: str = "svg", *, embedded: bool = False) -> bytes:
    """The curves as "svg" or "png". ``embedded``: for a page, with texts as texts and without background."""
    return rendered(lambda: _figure(comparison), kind, embedded=embedded)


def rendered(build: Callable[[], Figure], kind: str, *, embedded: bool = False) -> bytes:
    """A figure as bytes that depend on nothing but its content."""
    matplotlib = _matplotlib()
    style = {**_STYLE, "svg.fonttype": "none" if embedded else "path"}
    with matplotlib.rc_context(), io.BytesIO() as stream:
        matplotlib.rcdefaults()  # whatever the user's own settings are
        matplotlib.rcParams.update(style)
        metadata = dict.fromkeys(("Date", "Creator", "Format", "Type") if kind == "svg" else ("Software",))
        build().savefig(stream, format=kind, dpi=200, transparent=embedded, metadata=metadata)
        return stream.getvalue()


def _matplotlib() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise PlotsMissingError("learning curves need matplotlib: pip install 'tagloom[plots]'") from None
    return matplotlib


def _figure(comparison: Comparison) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.5, 4.6), layout="constrained")
    by_pass, by_seconds = figure.subplots(1, 2, sharey=True)
    for number, run in enumerate(comparison.runs):
        _draw(by_pass, run, number, [point.record.epoch for point in run.curve], "passes")
        _draw(by_seconds, run, number, [point.seconds for point in run.curve], "seconds")
    _finish(figure, by_pass, by_seconds, comparison)
    return figure


def _draw(axes: Axes, run: Run, number: int, x: list[float] | list[int], panel: str) -> None:
    """One curve; a ring marks the pass that was kept."""
    colour, mark = COLOURS[number % len(COLOURS)], MARKS[number % len(MARKS)]
    dash = DASHES[number // len(COLOURS) % len(DASHES)]
    scores = [point.score for point in run.curve]
    every = max(1, -(-len(x) // _MOST_MARKS))
    axes.plot(x, scores, color=colour, linestyle=dash, linewidth=1.7, marker=mark, markersize=4, markevery=every,
              markeredgewidth=0, gid=f"{panel}-{number}", zorder=3)  # fmt: skip
    kept = [point.record.epoch for point in run.curve].index(run.best_epoch)
    axes.plot(x[kept], scores[kept], marker="o", markersize=9, markerfacecolor="none", markeredgecolor=colour,
              markeredgewidth=1.4, linestyle="none", gid=f"{panel}-kept-{number}", zorder=4)  # fmt: skip


def _finish(figure: Figure, by_pass: Axes, by_seconds: Axes, comparison: Comparison) -> None:
    from matplotlib.ticker import MaxNLocator

    test = comparison.parts["test"].name
    by_pass.set_ylabel(f"{METRIC_NAMES[comparison.metric]} on {test} (%)")
    by_pass.set_ylim(score_limits(comparison))
    by_pass.xaxis.set_major_locator(MaxNLocator(integer=True))
    _scale(by_pass, "pass", 1, max(run.epochs for run in comparison.runs))
    seconds = [point.seconds for run in comparison.runs for point in run.curve]
    _scale(by_seconds, "seconds of learning", min(seconds), max(seconds))
    for axes in (by_pass, by_seconds):
        axes.grid(True, axis="both", which="major")
        axes.set_axisbelow(True)
    handles = [line for line in by_pass.get_lines() if "kept" not in str(line.get_gid())]
    ranked = sorted(zip(comparison.runs, handles), key=lambda pair: -pair[0].score.value)
    _legend(figure, [line for _, line in ranked], [f"{run.score.value:.2f}  {run.learner}" for run, _ in ranked])


def _legend(figure: Figure, handles: list[Line2D], texts: list[str]) -> None:
    """Beside the curves, best first, with the final scores."""
    figure.legend(handles, texts, loc="outside right upper", title="final score (ring)", alignment="left",
                  frameon=False, handlelength=3.2, labelspacing=0.7)  # fmt: skip


def _scale(axes: Axes, name: str, first: float, last: float) -> None:
    """Logarithmic, where a learner has long finished when another one begins."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axes.set_xlabel(name)
    if first > 0 and last / first > _LOG_RATIO:
        axes.set_xscale("log")
        axes.set_xlim(first / 1.25, last * 1.25)
        axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if last / first < 500 else (1.0,)))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.xaxis.set_minor_locator(NullLocator())
    else:
        axes.set_xlim(0, last * 1.04)


def score_limits(comparison: Comparison) -> tuple[float, float]:
    """The stretch of scores worth seeing."""
    curves = [[point.score for point in run.curve] for run in comparison.runs]
    return limits_of(curves, [run.score.value for run in comparison.runs])


def limits_of(curves: Sequence[Sequence[float]], finals: Sequence[float]) -> tuple[float, float]:
    """Every final score, and what a usual learner does after its first passes.

    The start of a slow learner may lie below it: else the differences at the end, which are the point, would vanish.
    """
    worst, high = min(finals), max(map(max, curves))
    usual = float(np.median([np.percentile(curve, 10) for curve in curves]))
    low = max(min(usual, high - 3 * (high - worst)), min(map(min, curves)))
    margin = max(0.05 * (high - low), 0.05)
    return max(0.0, low - margin), high + margin
