"""Figures can be read: axes have labels, titles and legends lie on nothing, and no two curves look alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.rivals.plot import draw as draw_rivals
from bench.rivals.tasks import TASKS
from tagloom.errors import ConfigError
from tagloom.report import Panel, draw_curves, draw_panels
from tests.report.drawing import Drawing, find_faults
from tests.report.test_report import comparison

DOCS = Path(__file__).parents[2] / "docs"
FIGURES = sorted(DOCS.glob("*/*.svg"))


def panels(count: int, curves: int, title: str = "corpus") -> list[Panel]:
    return [
        Panel(
            f"{title} {number}", {f"learner number {n}": [(1, 80 + n), (2, 85 + n), (3, 85 + n)] for n in range(curves)}
        )
        for number in range(count)
    ]


@pytest.mark.parametrize(("count", "curves"), [(1, 1), (2, 4), (3, 12), (4, 7), (9, 24)])
@pytest.mark.parametrize("log", [False, True])
def test_panels_have_no_fault(count: int, curves: int, log: bool):
    drawing = Drawing(draw_panels(panels(count, curves), "pass", log=log))
    assert find_faults(drawing) == []
    assert len(drawing.axes) == len(drawing.titles()) == count
    assert len(drawing.curves(drawing.axes[0])) == curves
    assert (drawing.legend is None) == (curves == 1)


def test_long_titles_are_broken():
    title = "last weights (averaging=none, as in the paper, and with a title that goes on and on)"
    drawing = Drawing(draw_panels(panels(3, 2, title), "pass"))
    assert find_faults(drawing) == []


def test_the_curves_of_a_comparison_have_no_fault():
    drawing = Drawing(draw_curves(comparison()))
    assert find_faults(drawing) == []
    assert len(drawing.axes) == 2


def test_y_says_what_it_shows():
    drawing = Drawing(draw_panels([Panel("a", {"x": [(1, 2.0)]}, "dev F1 (%)")], "pass"))
    assert {"y-label-0": "dev F1 (%)", "x-label-0": "pass"}.items() <= {
        label.id: label.text for label in drawing.labels()
    }.items()


def test_the_check_finds_faults():
    """A drawing as figures used to be: no label of y, and the legend beside a long title."""
    matplotlib = pytest.importorskip("matplotlib.figure")
    from tagloom.report.figure import render

    def build() -> object:
        figure = matplotlib.Figure(figsize=(4, 3))
        axes = figure.subplots()
        for number in range(2):
            axes.plot([1, 2], [1, 2 + number], color="#0072B2", label=f"learner {number}", gid=f"curve-{number}")
        axes.set(title="a title that goes on and on and on, beside a legend", xlabel="pass")
        figure.legend(loc="upper right")
        return figure

    faults = " ".join(find_faults(Drawing(render(build, "svg"))))  # type: ignore[arg-type]
    assert "has no y-label" in faults
    assert "the legend covers 'a title" in faults
    assert "look alike" in faults


def test_no_panels():
    with pytest.raises(ConfigError, match="at least one panel"):
        draw_panels([], "pass")


def record(task: str, number: int) -> dict[str, object]:
    speed, place = {"median": 1e4 + number}, {"median": 100.0 + number / 10}
    return {"task": task, "system": f"tool {number}", "ours": number < 2, "sentences": None, "train_cpu": place,
            "score": {"median": 90 + number / 100}, "tokens_per_second": speed}  # fmt: skip


def test_names_of_tools_at_the_same_place_are_apart():
    drawing = Drawing(draw_rivals(list(TASKS.values())[:2], [record(t, n) for t in list(TASKS)[:2] for n in range(9)]))
    assert find_faults(drawing) == []
    names = [label for label in drawing.labels(drawing.axes[0]) if label.text.startswith("tool ")]
    assert len(names) == 9
    assert not any(a.box.overlaps(b.box, 1.0) for a in names for b in names if a is not b)


@pytest.mark.skipif(not FIGURES, reason="the figures of the documentation are not here")
@pytest.mark.parametrize("path", FIGURES, ids=lambda path: path.name)
def test_committed_figures_have_no_fault(path: Path):
    assert find_faults(Drawing(path.read_bytes())) == []
