"""The page of a model: all sections, with the list of them, the data and the scripts."""

from __future__ import annotations

import re

from tagloom.report.diagnosis.model_report import ModelReport
from tagloom.report.markup import element, text
from tagloom.report.page import build_page
from tagloom.report.views.browser import build_browser, build_contests, build_data
from tagloom.report.views.insight import build_calibration, build_learning, build_weights
from tagloom.report.views.overview import build_facts, build_overview
from tagloom.report.views.tasks import build_tasks

_SCRIPTS = ("sentences.js", "trees.js", "browser.js")
_SECTION = re.compile(r'<section id="([^"]+)"[^>]*><h2[^>]*>(.*?)</h2>')


def build_model_page(report: ModelReport) -> str:
    """Build the page."""
    sections = "".join(
        build(report)
        for build in (
            build_overview, build_tasks, build_browser, build_contests, build_calibration, build_learning,
            build_weights, build_facts,
        )
    )  # fmt: skip
    links = [element("li", element("a", title, href=f"#{key}")) for key, title in _SECTION.findall(sections)]
    contents = element("nav", element("ul", *links), aria_label="Sections", class_="contents")
    body = contents + element("div", sections, class_="sections")
    return build_page(report.title, body, styles=("model.css",), scripts=_SCRIPTS, data=build_data(report),
                      subtitle=_describe(report))  # fmt: skip


def _describe(report: ModelReport) -> str:
    gold = report.run.gold
    nouns = " and ".join(dict.fromkeys(run.model.noun for run in report.runs))
    return text("p", f"{nouns} · {len(gold):,} sentences · {gold.token_count:,} tokens")
