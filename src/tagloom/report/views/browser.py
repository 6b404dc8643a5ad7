"""The list of errors and the sentences won and lost: what the scripts of the page read, and the forms they fill."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tagloom.corpus.corpus import line_of
from tagloom.report.diagnosis.listing import ListedError
from tagloom.report.diagnosis.model_report import MOST_CONTESTS, ModelReport
from tagloom.report.diagnosis.spans import WordTask
from tagloom.report.diagnosis.task import TOKENS, TREES, Task
from tagloom.report.diagnosis.trees import TreeTask
from tagloom.report.markup import element, paragraph, text
from tagloom.report.views.section import build_section
from tagloom.systems.tables import Decision
from tagloom.text.html import choose_hue


def build_browser(report: ModelReport) -> str:
    """Build the section with the list of errors."""
    if not report.listing.errors:
        return build_section("errors", "Errors", paragraph("There are none."))
    tasks = [task.name for task in report.run.tasks if report.listing.totals[task.name]]
    controls = [
        _build_select("task", "Output", [("", "all"), *((name, name) for name in reversed(tasks))])
        if len(tasks) > 1
        else "",
        _build_select("kind", "Kind of error", [("", "all kinds")]),
        _build_select("gold", "In gold", [("", "anything")]),
        _build_select("guess", "Predicted", [("", "anything")]),
        _build_select("words", "Words", [("", "known and unknown"), ("known", "known"), ("unknown", "with unknown")]),
        _build_select(
            "rival", "Other model", [("", "right or wrong"), ("right", "right here"), ("wrong", "wrong, too")]
        )
        if len(report.runs) > 1
        else "",
        _build_select("order", "Order", [("", "as in the data"), ("sure", "most confident first")])
        if report.run.confidences is not None
        else "",
        element("label", "Search ", element("input", type="search", name="search", autocomplete="off")),
        element("button", "Reset", type="reset", class_="action"),
    ]
    form = element("form", *controls, class_="filters", role="search", aria_label="Filter the errors", id="filters")
    status = element("p", id="found", role="status", class_="note")
    notes = "".join(paragraph(note, "note") for note in report.listing.notes)
    shown = element("ol", id="error-list", class_="errors")
    return build_section("errors", "Errors", form, status, shown, _build_more(), notes)


def build_contests(report: ModelReport) -> str:
    """Build the section with sentences that one of two models gets right."""
    contrast = report.contrast
    if contrast is None:
        return ""
    names = [run.name for run in report.runs]
    said = (
        f"{names[0]} has fewer errors than {names[1]} in {contrast.won_count:,} sentences, and more in "
        f"{contrast.lost_count:,}."
    )
    limit = f"The {MOST_CONTESTS} clearest of each are listed." if len(contrast.won) < contrast.won_count or len(
        contrast.lost) < contrast.lost_count else ""  # fmt: skip
    choice = _build_select("side", "Sentences", [("won", f"won by {names[0]}"), ("lost", f"won by {names[1]}")])
    search = element("label", "Search ", element("input", type="search", name="search", autocomplete="off"))
    form = element("form", choice, search, class_="filters", id="contest-filters", aria_label="Choose sentences")
    status = element("p", id="contest-found", role="status", class_="note")
    return build_section("contests", "Sentences won and lost", paragraph(f"{said} {limit}"), form, status,
                         element("ol", id="contest-list", class_="errors"), _build_more("contest-more"))  # fmt: skip


def _build_more(key: str = "more") -> str:
    return element("p", element("button", "Show more", type="button", class_="action", id=key, hidden=True))


def _build_select(name: str, title: str, options: Iterable[tuple[str, str]]) -> str:
    shown = [text("option", label, value=value) for value, label in options]
    return element("label", f"{title} ", element("select", *shown, name=name))


# -- data --------------------------------------------------------------------------------------------------------------


def build_data(report: ModelReport) -> dict[str, Any]:
    """Build what the scripts read: errors, sentences, types with their colours."""
    wanted: dict[int, set[int]] = {}  # tasks to show, by sentence
    for listed in report.listing.errors:
        wanted.setdefault(listed.error.sentence, set()).add(listed.task)
    contests = {} if report.contrast is None else {"won": report.contrast.won, "lost": report.contrast.lost}
    for contest in (each for side in contests.values() for each in side):
        wanted.setdefault(contest.sentence, set()).add(contest.task)
    rivals = _mark_rival_errors(report)
    return {
        "models": [run.name for run in report.runs],
        "tasks": [_describe_task(task, report.listing.totals[task.name]) for task in report.run.tasks],
        "hues": _choose_hues(report),
        "errors": [_describe_error(each, rivals) for each in report.listing.errors],
        "sentences": {str(number): _describe_sentence(report, number, tasks) for number, tasks in wanted.items()},
        "contests": {
            side: [[each.sentence, each.task, each.wrong, each.rival_wrong] for each in found]
            for side, found in contests.items()
        },
    }


def _describe_task(task: Task, errors: int) -> dict[str, Any]:
    cuts = isinstance(task, WordTask)
    return {"name": task.name, "title": task.title, "kind": task.kind, "kinds": dict(task.kinds), "errors": errors,
            "free": cuts or task.kind == TOKENS, "joined": cuts}  # fmt: skip


def _describe_error(listed: ListedError, rivals: Mapping[int, set[tuple[int, int, int]]] | None) -> dict[str, Any]:
    error = listed.error
    found: dict[str, Any] = {
        "t": listed.task, "s": error.sentence, "k": error.kind, "g": error.gold, "p": error.guess,
        "ga": error.gold_at, "pa": error.guess_at,
    }  # fmt: skip
    if listed.confidence is not None:
        found["c"] = round(listed.confidence, 4)
    if listed.has_unknown is not None:
        found["u"] = listed.has_unknown
    if listed.reasons is not None:
        found["w"] = [_describe_decision(each) for each in listed.reasons]
    if rivals is not None:
        found["r"] = (error.sentence, *error.place) in rivals.get(listed.task, ())
    return found


def _describe_decision(decision: Decision) -> list[Any]:
    margin = None if decision.margin is None else round(float(decision.margin), 4)
    features = [[name, round(float(weight), 4)] for name, weight in decision.features]
    choice = f"{decision.choice}, {decision.note}" if decision.note else decision.choice
    return [decision.first, decision.last, choice, decision.rival, margin, features]


def _mark_rival_errors(report: ModelReport) -> Mapping[int, set[tuple[int, int, int]]] | None:
    """Find where the second model has errors: tokens of every task, as (sentence, first, last)."""
    if len(report.runs) < 2:
        return None
    others = {task.name: task for task in report.runs[1].tasks}
    found = {}
    for number, task in enumerate(report.run.tasks):
        if task.name in others:
            errors = others[task.name].list_errors()
            wrong = {(error.sentence, token) for error in errors for token in range(*error.place)}
            mine = task.list_errors()
            found[number] = {(each.sentence, *each.place) for each in mine
                             if any((each.sentence, token) in wrong for token in range(*each.place))}  # fmt: skip
    return found


def _describe_sentence(report: ModelReport, number: int, tasks: set[int]) -> dict[str, Any]:
    run = report.run
    start, stop = run.gold.span(number)
    found: dict[str, Any] = {"w": list(run.words[start:stop]), "l": line_of(run.gold, start) if stop > start else None}
    others = {task.name: task for task in report.runs[1].tasks} if len(report.runs) > 1 else {}
    for place in sorted(tasks):
        task = run.tasks[place]
        shown = {"g": task.show(number, gold=True), "p": task.show(number, gold=False)}
        if task.name in others:
            shown["q"] = others[task.name].show(number, gold=False)
        found[str(place)] = shown
    tags = next((task.tags for task in run.tasks if isinstance(task, TreeTask)), None)
    if tags is not None and any(run.tasks[place].kind == TREES for place in tasks):
        found["t"] = tags.texts(start, stop)
    return found


def _choose_hues(report: ModelReport) -> dict[str, int]:
    types = {kind for run in report.runs for task in run.tasks if task.kind == "spans" for kind in task.counts.kinds}
    return {kind: choose_hue(kind) for kind in sorted(types)}
