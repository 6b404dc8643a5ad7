"""The sections on the model itself: calibration, how it learned, and its weights."""

from __future__ import annotations

import numpy as np

from tagloom.report.charts.bars import draw_weight
from tagloom.report.charts.heat import draw_heat
from tagloom.report.charts.lines import Dot, draw_line, draw_reliability
from tagloom.report.diagnosis.calibration import Reliability
from tagloom.report.diagnosis.learning import Learning
from tagloom.report.diagnosis.model_report import ModelReport
from tagloom.report.markup import element, number_cell, paragraph, scrolling, table, text
from tagloom.report.table import METRIC_NAMES
from tagloom.report.views.section import build_card, build_section, count_cell, percent_cell
from tagloom.systems.tables import Weights
from tagloom.text.html import escape_html

_MOST_LABELS = 40  # of a heat map
_MOST_LISTED = 60  # labels whose features are listed
_MOST_PAIRS = 20  # rows of the table beside a heat map


# -- calibration -------------------------------------------------------------------------------------------------------


def build_calibration(report: ModelReport) -> str:
    """Build the section on confidences."""
    note = report.run.confidence_note
    said = paragraph(f"Confidences: {note}." if note and report.reliability else note, "note")
    cards = [_build_reliability(each) for each in report.reliability]
    return build_section("calibration", "Calibration", said, element("div", *cards, class_="cards") if cards else "")


def _build_reliability(found: Reliability) -> str:
    error = f"The expected calibration error of {found.count:,} {found.unit} is {100 * found.error:.2f} %."
    bins = [(each.low, each.high, each.confidence, each.accuracy, each.count) for each in found.bins]
    drawing = draw_reliability(bins, f"Reliability: {found.title}", error, found.unit)
    rows = [
        (f"{each.low:.2f}–{each.high:.2f}", count_cell(each.count), percent_cell(100 * each.confidence),
         percent_cell(100 * each.accuracy))
        for each in found.bins
    ]  # fmt: skip
    headers = ("confidence", found.unit, "mean confidence %", "right %")
    numbers = scrolling(table(f"Reliability of {found.title.lower()}", headers, rows), "Numbers of the diagram")
    legend = "On the dashed line, confidences are what they should be; outlined areas show how far they are off."
    return build_card(found.title, paragraph(error), drawing, paragraph(legend, "note"),
                      _hide("The numbers", numbers))  # fmt: skip


def _hide(title: str, content: str) -> str:
    return element("details", text("summary", title), content)


# -- learning ----------------------------------------------------------------------------------------------------------


def build_learning(report: ModelReport) -> str:
    """Build the section on passes and the learning curve."""
    cards = [_build_curve(report.learning), _build_history(report.learning)]
    return build_section("learning", "Learning", element("div", *cards, class_="cards") if any(cards) else "")


def _build_curve(learning: Learning) -> str:
    if not learning.curve:
        return ""
    metric = METRIC_NAMES.get(learning.curve[0].interval.metric, learning.curve[0].interval.metric)
    dots = [
        Dot(each.sentences, each.interval.value, f"{each.sentences:,} sentences: {each.interval}",
            each.interval.low, each.interval.high)
        for each in learning.curve
    ]  # fmt: skip
    first, last = learning.curve[0], learning.curve[-1]
    values = [f"{each.interval.value:.2f} with {each.sentences:,} sentences" for each in (first, last)]
    said = f"{metric} {', '.join(values)}."
    drawing = draw_line(
        dots, f"{metric} by size of the training data", said, "training sentences", f"{metric} (%)", log=True
    )
    rows = [
        (f"{each.sentences:,}", count_cell(each.tokens), percent_cell(each.interval.value),
         percent_cell(each.interval.low), percent_cell(each.interval.high))
        for each in learning.curve
    ]  # fmt: skip
    numbers = table("Learning curve", ("sentences", "tokens", metric, "low", "high"), rows)
    return build_card(
        "Learning curve", paragraph(said), drawing, _hide("The numbers", scrolling(numbers, "Learning curve"))
    )


def _build_history(learning: Learning) -> str:
    passes = learning.history
    if len(passes) < 2:
        return ""
    has_scores = all(each.dev_score is not None for each in passes)
    values = [float(each.dev_score or 0) if has_scores else float(each.token_errors) for each in passes]
    name = "development score (%)" if has_scores else "errors in training"
    dots = [
        Dot(each.epoch, value, f"pass {each.epoch}: {value:,.2f}", is_marked=each.epoch == learning.best_epoch)
        for each, value in zip(passes, values)
    ]
    said = f"{len(passes)} passes over the training data; pass {learning.best_epoch} was kept."
    drawing = draw_line(dots, f"{name[0].upper()}{name[1:]} by pass", said, "pass", name, y_format=",g")
    rows = [
        (str(each.epoch), count_cell(each.updates), count_cell(each.token_errors),
         number_cell(each.dev_score, "" if each.dev_score is None else f"{each.dev_score:.2f}"))
        for each in passes
    ]  # fmt: skip
    numbers = table("Passes", ("pass", "updates", "errors in training", "development score"), rows)
    return build_card(
        "Passes of the training", paragraph(said), drawing, _hide("The numbers", scrolling(numbers, "Passes"))
    )


# -- weights -----------------------------------------------------------------------------------------------------------


def build_weights(report: ModelReport) -> str:
    """Build the section on weights: features of every label, and pairs of labels."""
    several = len(report.weights) > 1
    parts = [part for name, each in report.weights.items() for part in _build_parts(name, each, several)]
    return build_section("weights", "What the model has learned", *parts)


def _build_parts(name: str, weights: Weights, several: bool) -> list[str]:
    heading = text("h3", f"Labels of {name}") if several else ""
    labels = sorted(weights.features, key=lambda label: -sum(abs(w) for _, w in weights.features[label]))
    shown = [label for label in labels if weights.features[label]][:_MOST_LISTED]
    lists = [_build_features(label, weights, is_open=n < 2) for n, label in enumerate(shown)]
    note = f"{len(labels) - len(shown):,} labels are left out." if len(labels) > len(shown) else ""
    intro = "The features with the heaviest weights of every label: to the right those that speak for it."
    return [heading, paragraph(intro, "note"), element("div", *lists, class_="columns"), paragraph(note, "note"),
            _build_heat(weights)]  # fmt: skip


def _build_features(label: str, weights: Weights, *, is_open: bool) -> str:
    listed = weights.features[label]
    largest = max(abs(weight) for _, weight in listed)
    rows = [
        (text("code", feature), element("td", draw_weight(feature, weight, largest), class_="bar"),
         number_cell(weight, f"{weight:+.2f}"))
        for feature, weight in listed
    ]  # fmt: skip
    shown = table(f"Heaviest features of {label}", ("feature", "", "weight"), rows)
    return element(
        "details", text("summary", label), scrolling(shown, f"Features of {label}"), class_="card", open=is_open
    )


def _build_heat(weights: Weights) -> str:
    if weights.transitions is None:
        return ""
    labels, values = _choose_labels(weights)
    said = "Rows are the label before, columns the label after it. Blue speaks for a pair, orange against it."
    drawing = draw_heat(labels, values, "Weights of label pairs", said)
    flat = np.argsort(-np.abs(values), axis=None)[:_MOST_PAIRS]
    pairs = [np.unravel_index(place, values.shape) for place in flat.tolist()]
    rows = [
        (escape_html(labels[a]), element("td", escape_html(labels[b]), class_="word"),
         number_cell(float(values[a, b]), f"{values[a, b]:+.2f}"))
        for a, b in pairs
        if values[a, b]
    ]  # fmt: skip
    numbers = table("Heaviest label pairs", ("label before", "label", "weight"), rows)
    left = len(weights.labels) - len(labels)
    note = f"{said} The heaviest are listed below." + (
        f" {left} labels with lighter pairs are left out." if left else ""
    )
    listed = _hide("The heaviest pairs", scrolling(numbers, "Heaviest label pairs"))
    parts = scrolling(drawing, "Weights of label pairs"), paragraph(note, "note"), listed
    return build_card("Transitions", *parts, class_="card broad")


def _choose_labels(weights: Weights) -> tuple[list[str], np.ndarray[tuple[int, int], np.dtype[np.float32]]]:
    """Choose the labels with the heaviest pairs, in the order of the model."""
    values = np.asarray(weights.transitions)
    if len(weights.labels) <= _MOST_LABELS:
        return list(weights.labels), values
    size = np.abs(values).sum(axis=0) + np.abs(values).sum(axis=1)
    chosen = np.sort(np.argsort(-size, kind="stable")[:_MOST_LABELS])
    return [weights.labels[place] for place in chosen.tolist()], values[np.ix_(chosen, chosen)]
