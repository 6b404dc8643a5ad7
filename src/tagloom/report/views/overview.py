"""The first section: scores with their intervals, and what goes wrong in one line."""

from __future__ import annotations

from tagloom.evaluate import Interval, Significance
from tagloom.report.charts.bars import draw_outcomes, draw_score, name_outcomes
from tagloom.report.diagnosis.model_report import ModelReport
from tagloom.report.diagnosis.run import Run
from tagloom.report.diagnosis.task import Task
from tagloom.report.markup import element, paragraph, table, text
from tagloom.report.table import METRIC_NAMES
from tagloom.report.views.section import build_section, write_chance

_RIGHT = "Gold and prediction agree."


def build_overview(report: ModelReport) -> str:
    """Build the section."""
    tests = {} if report.contrast is None else {test.metric: test for test in report.contrast.metrics}
    tiles = [_build_tiles(run, intervals, tests if n == 0 else {}, named=len(report.runs) > 1)
             for n, (run, intervals) in enumerate(zip(report.runs, report.intervals))]  # fmt: skip
    outcomes = "".join(_build_outcomes(task, alone=len(report.run.tasks) == 1) for task in reversed(report.run.tasks))
    level = f"Intervals are at 95 %, by bootstrap over sentences with {report.samples:,} samples."
    return build_section("overview", "Overview", *tiles, paragraph(level, "note"), outcomes)


def _build_tiles(run: Run, intervals: tuple[Interval, ...], tests: dict[str, Significance], *, named: bool) -> str:
    first, *others = intervals
    tiles = [_build_tile(first, tests.get(first.metric), is_main=True)]
    tiles += [_build_tile(each, tests.get(each.metric)) for each in others]
    heading = text("h3", run.name) if named else ""
    return heading + element("div", *tiles, class_="tiles")


def _build_tile(interval: Interval, test: Significance | None, *, is_main: bool = False) -> str:
    name = METRIC_NAMES.get(interval.metric, interval.metric)
    parts = [
        text("span", name, class_="name"),
        text("strong", f"{interval.value:.2f}"),
        draw_score(name, interval.value, interval.low, interval.high),
        text("span", f"{interval.low:.2f} to {interval.high:.2f}", class_="interval"),
    ]
    if test is not None:
        parts.append(text("span", f"{test.difference:+.2f} over the other, p = {test.p_value:.3f}",
                          class_="interval", title=write_chance(test)))  # fmt: skip
    return element("div", *parts, class_="tile main" if is_main else "tile")


def _build_outcomes(task: Task, *, alone: bool) -> str:
    counts = list(task.count_outcomes().items())
    meanings = [_RIGHT, *(task.kinds[name] for name, _ in counts[1:])]
    title = "What goes wrong" if alone else task.title
    parts = [
        text("h3", title),
        paragraph(_summarise(task, counts)),
        draw_outcomes(counts, task.unit),
        name_outcomes(counts, meanings, task.name),
    ]
    return element("div", *parts, class_="card")


def _summarise(task: Task, counts: list[tuple[str, int]]) -> str:
    overall = task.counts.overall()
    said = f"{overall.correct:,} of {overall.gold:,} {task.unit} in gold are right ({overall.recall:.1f} %)."
    if len(counts) > 1:
        name, count = max(counts[1:], key=lambda each: each[1])
        said += f" The most frequent error: {name} ({count:,})."
    return said


def build_facts(report: ModelReport) -> str:
    """Build the last section: what the model is, its signature, and what the page leaves out."""
    facts = [part for run in report.runs for part in _list_facts(run, named=len(report.runs) > 1)]
    notes = [*report.notes, *report.listing.notes]
    left_out = element("ul", *(text("li", note) for note in notes)) if notes else ""
    return build_section("about", "About this report", *facts, text("h3", "Notes") + left_out if notes else "")


def _list_facts(run: Run, *, named: bool) -> list[str]:
    sizes = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in run.model.sizes.items())
    facts = {
        "Model": f"{run.name}, {run.model.noun}",
        "Sizes": sizes,
        "Data": f"{run.gold.source}: {len(run.gold):,} sentences, {run.gold.token_count:,} tokens",
        "Rule of scoring": run.score.rule,
        "Signature": str(run.score.signature),
    }
    rows = [(text("span", name), element("td", text("span", fact), class_="fact")) for name, fact in facts.items()]
    shown = table(f"Facts about {run.name}", ("", ""), rows)
    return [text("h3", run.name) if named else "", element("div", shown, class_="facts")]
