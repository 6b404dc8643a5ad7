"""What all figures share: their style, how curves are told apart, and bytes that depend only on the content.

Figures have no dates, fixed ids, and the fonts that come with matplotlib.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tagloom.errors import ConfigError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

# The colours of Okabe and Ito, for colour-blind readers; without black and yellow they show on white and on dark. Five
# more follow, which are told apart from those before them by lightness, too.
COLOURS = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C8C8C",
    "#8E5BD0", "#8DB600", "#E0245E", "#A0522D", "#B8A000",
)  # fmt: skip
# After all colours are used once, the dashes change; marks differ from their neighbours in both rounds.
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1.5, 1.5)))
_MARKS = ("o", "s", "^", "D", "v", "P", "X", "p", "<", "h", ">")
_CHARACTER, _HANDLE = 0.08, 0.75  # inches in a legend: the width of a character, and of what stands before a name
INK, FAINT = "#24292f", "#d8dee4"  # texts and axes, grid; the HTML page replaces both by its own
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
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.8,
    "legend.frameon": False,
    "legend.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


class PlotsMissingError(ConfigError):
    """matplotlib is not installed."""


def render(build: Callable[[], Figure], kind: str, *, embedded: bool = False) -> bytes:
    """Return a figure as SVG or PNG, built in the style of all figures, whatever the user's own settings are.

    An ``embedded`` one is for a page: texts stay texts, and there is no background.
    """
    try:
        import matplotlib
    except ImportError:
        raise PlotsMissingError("learning curves need matplotlib: pip install 'tagloom[plots]'") from None
    style: dict[Any, Any] = {**_STYLE, "svg.fonttype": "none" if embedded else "path"}
    with matplotlib.rc_context(), io.BytesIO() as stream:
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(style)
        metadata = dict.fromkeys(("Date", "Creator", "Format", "Type") if kind == "svg" else ("Software",))
        figure = build()
        _name_parts(figure)
        figure.savefig(stream, format=kind, dpi=200, transparent=embedded, metadata=metadata)
        return stream.getvalue()


def _name_parts(figure: Figure) -> None:
    """Give titles, labels of axes and the legend ids, by which tests find them in the drawing."""
    for number, axes in enumerate(figure.axes):
        axes.title.set_gid(f"title-{number}")
        axes.xaxis.label.set_gid(f"x-label-{number}")
        axes.yaxis.label.set_gid(f"y-label-{number}")
    for legend in figure.legends:
        legend.set_gid("legend")


def add_legend(figure: Figure, handles: Sequence[Line2D], names: Sequence[str]) -> None:
    """Put the legend below all panels, in as many columns as the width has room for. Titles never meet it there."""
    cell = max(map(len, names)) * _CHARACTER + _HANDLE
    across = max(1, min(len(names), int(figure.get_figwidth() / cell)))
    figure.legend(handles, names, loc="outside lower center", ncols=across, handlelength=2.6, columnspacing=1.6)


def choose_style(number: int) -> dict[str, Any]:
    """Return the colour, the dashes and the mark of the curve with this number, from 0."""
    dash = DASHES[number // len(COLOURS) % len(DASHES)]
    return {"color": COLOURS[number % len(COLOURS)], "linestyle": dash, "marker": _MARKS[number % len(_MARKS)]}


def draw_ring(axes: Axes, x: float, y: float, number: int, gid: str, size: float) -> None:
    """Mark a point of the curve with this number."""
    axes.plot(x, y, marker="o", markersize=size, markerfacecolor="none", markeredgewidth=1.4, linestyle="none",
              markeredgecolor=choose_style(number)["color"], gid=gid, zorder=4)  # fmt: skip


def add_margin(low: float, high: float) -> tuple[float, float]:
    """Return the limits of an axis that shows scores from ``low`` to ``high``."""
    margin = max(0.05 * (high - low), 0.05)
    return max(0.0, low - margin), high + margin
