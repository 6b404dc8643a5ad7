"""One HTML page of a comparison: the table, the curves, options and signatures. The page needs no other file."""

from __future__ import annotations

from html import escape
from importlib import resources

from tagloom._version import __version__
from tagloom.arguments import check_arguments
from tagloom.experiments.compare import Comparison, Run
from tagloom.experiments.grid import pick
from tagloom.report.figure import FAINT, INK
from tagloom.report.table import METRIC_NAMES, build_table_rows, headers

#: What the columns after the name and the score are sorted by.
_SORTED = "epochs best_epoch seconds seconds_per_epoch active_features model_bytes"
_PARTS = {"train": "trained on", "dev": "pass chosen on", "test": "scored on"}


@check_arguments
def build_html_page(comparison: Comparison, curves: bytes | None) -> str:
    """Return the page; ``curves`` is the embedded SVG of ``draw_curves``, or None if it could not be drawn."""
    title = f"Learners compared on {comparison.parts['test'].name}"
    body = [
        f"<h1>{escape(title)}</h1>",
        f"<p>{_describe_data(comparison)}</p>",
        _build_table(comparison),
        f"<p class=note>{_describe_scores(comparison)}</p>",
        f"<h2>Learning curves</h2>\n<figure>{_inline_svg(curves)}</figure>" if curves else "",
        "<h2>Options and signatures</h2>",
        "\n".join(_build_details(run) for run in comparison.runs),
        f"<footer>tagloom {escape(__version__)}</footer>",
    ]
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{escape(title)}</title>\n'
        f"<style>\n{_read_asset('page.css')}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(filter(None, body))
        + f"\n</main>\n<script>\n{_read_asset('page.js')}</script>\n</body>\n</html>\n"
    )


def _read_asset(name: str) -> str:
    return resources.files("tagloom.report").joinpath(name).read_text("utf-8")


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
    body = "\n".join(rows)
    return f"<div class=wide><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table></div>"


def _build_details(run: Run) -> str:
    options = " ".join(f"{name}={value}" for name, value in run.options.items() if value is not None)
    signature = str(run.score.signature)
    score = str(run.score).removesuffix(signature).rstrip()
    text = escape(f"{options}\n{signature}\n\n{score}")
    return f"<details><summary>{escape(run.learner)}</summary>\n<pre>{text}</pre></details>"


def _inline_svg(svg: bytes) -> str:
    """The drawing without its XML prologue, in the colours of the page."""
    text = svg.decode()
    return text[text.index("<svg") :].replace(INK, "var(--ink)").replace(FAINT, "var(--faint)")
