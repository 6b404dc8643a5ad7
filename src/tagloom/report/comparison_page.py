"""One HTML page of a comparison: the table, the curves, options and signatures. The page needs no other file."""

from __future__ import annotations

from html import escape

from tagloom.arguments import check_arguments
from tagloom.experiments.compare import Comparison, Run
from tagloom.experiments.grid import pick
from tagloom.report.figure import FAINT, INK
from tagloom.report.markup import element, scrolling
from tagloom.report.page import build_page
from tagloom.report.table import METRIC_NAMES, build_table_rows, headers

#: What the columns after the name and the score are sorted by.
_SORTED = "epochs best_epoch seconds seconds_per_epoch active_features model_bytes"
_PARTS = {"train": "trained on", "dev": "pass chosen on", "test": "scored on"}


@check_arguments
def build_html_page(comparison: Comparison, curves: bytes | None) -> str:
    """Return the page; ``curves`` is the embedded SVG of ``draw_curves``, or None if it could not be drawn."""
    title = f"Learners compared on {comparison.parts['test'].name}"
    body = [
        scrolling(_build_table(comparison), "Learners"),
        f"<p class=note>{_describe_scores(comparison)}</p>",
        f"<h2>Learning curves</h2>\n{scrolling(_inline_svg(curves), 'Learning curves', 'figure')}" if curves else "",
        "<h2>Options and signatures</h2>",
        "\n".join(_build_details(run) for run in comparison.runs),
    ]
    subtitle = f"<p>{_describe_data(comparison)}</p>"
    return build_page(title, "\n".join(filter(None, body)), scripts=("comparison.js",), subtitle=subtitle)


def _describe_data(comparison: Comparison) -> str:
    """Which data each part of the comparison used, in one line."""
    parts = [
        f"{verb} <b>{escape(part.name)}</b> ({part.sentences:,} sentences, {part.tokens:,} tokens)"
        for name, verb in _PARTS.items()
        if (part := comparison.parts.get(name)) is not None
    ]
    size = f"{comparison.features:,} features, {comparison.labels} labels"
    return f"Learners {', '.join(parts)}. Templates <b>{escape(comparison.templates)}</b>: {size}."


def _describe_scores(comparison: Comparison) -> str:
    side = f"{comparison.jobs} learners ran side by side" if comparison.jobs > 1 else "learners ran one after another"
    kept = "the pass with the best score on development data" if "dev" in comparison.parts else "the last pass"
    notes = [
        f"{METRIC_NAMES[comparison.metric]} in percent, of {kept}.",
        f"Seconds are those of learning, without reading, encoding ({comparison.encode_seconds:.2f} s, once for all) "
        f"and scoring; {side}.",
        "Active features are weights other than zero.",
    ]
    if comparison.unfinished:
        notes.append(f"Interrupted before the first pass: {escape(', '.join(comparison.unfinished))}.")
    return " ".join(notes)


def _build_table(comparison: Comparison) -> str:
    best = comparison.best()
    head = "".join(f'<th scope=col><button type="button">{escape(name)}</button></th>' for name in headers(comparison))
    rows = []
    for number, (run, texts) in enumerate(zip(comparison.runs, build_table_rows(comparison))):
        values = [run.score.value, *pick(run, _SORTED).values()]
        cells = [f"<td data-value='{value}'>{escape(text)}</td>" for value, text in zip(values, texts[1:])]
        mark = " class=best" if run is best else ""
        rows.append(f"<tr data-run={number}{mark}><th scope=row>{escape(texts[0])}</th>{''.join(cells)}</tr>")
    parts = [
        element("caption", "Learners and their scores", class_="hidden"),
        element("thead", element("tr", head)),
        element("tbody", *rows),
    ]
    return element("table", *parts, class_="sortable")


def _build_details(run: Run) -> str:
    options = " ".join(f"{name}={value}" for name, value in run.options.items() if value is not None)
    signature = str(run.score.signature)
    score = str(run.score).removesuffix(signature).rstrip()
    text = escape(f"{options}\n{signature}\n\n{score}")
    return f"<details><summary>{escape(run.learner)}</summary>\n<pre>{text}</pre></details>"


def _inline_svg(svg: bytes) -> str:
    """The drawing without its XML prologue, in the colours of the page."""
    text = svg.decode()
    drawing = text[text.index("<svg") :].replace(INK, "var(--ink)").replace(FAINT, "var(--faint)")
    said = "Score by passes and by seconds; the table has the numbers"
    return drawing.replace("<svg", f"<svg role='img' aria-label='{said}'", 1)
