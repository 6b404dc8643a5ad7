"""The table of a comparison with one row per learner, as texts and as CSV, and its curves with one row per pass."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence

from tagloom.arguments import check_arguments
from tagloom.evaluate.counts import TEXT_METRICS
from tagloom.experiments.compare import Comparison, Run

#: The columns of the table of a comparison.
HEADERS = ("learner", "score", "epochs", "kept", "seconds", "s/epoch", "active features", "model size")
_COLUMNS = (
    "learner", "metric", "score", "epochs", "best_epoch", "seconds", "seconds_per_epoch", "active_features",
    "model_bytes", "interrupted", "signature",
)  # fmt: skip
METRIC_NAMES = {**TEXT_METRICS, "f1": "F1", "precision": "precision", "recall": "recall", "accuracy": "accuracy"}


def headers(comparison: Comparison) -> tuple[str, ...]:
    """Return the headers of the table, with the score by its name."""
    return (HEADERS[0], METRIC_NAMES[comparison.metric], *HEADERS[2:])


@check_arguments
def build_table_rows(comparison: Comparison) -> list[tuple[str, ...]]:
    """Return one row of texts per learner, in the order of the comparison."""
    return [_build_row(run) for run in comparison.runs]


def _build_row(run: Run) -> tuple[str, ...]:
    return (
        run.learner + " (interrupted)" * run.interrupted,
        f"{run.score.value:.2f}",
        str(run.epochs),
        str(run.best_epoch),
        f"{run.seconds:.2f}",
        f"{run.seconds_per_epoch:.3f}",
        f"{run.active_features:,}",
        format_size(run.model_bytes),
    )


def format_size(count: int) -> str:
    """Format a number of bytes.

    >>> [format_size(n) for n in (999, 1500, 13_036_780, 2_500_000_000)]
    ['999 B', '1.5 kB', '13.0 MB', '2.5 GB']
    """
    for power, unit in ((3, "GB"), (2, "MB"), (1, "kB")):
        if count >= 1000**power:
            return f"{count / 1000**power:.1f} {unit}"
    return f"{count} B"


@check_arguments
def build_comparison_csv(comparison: Comparison) -> str:
    """Return CSV with one line per learner; numbers are not rounded."""
    return format_csv(_COLUMNS, [{**run.to_dict(), "metric": comparison.metric} for run in comparison.runs])


@check_arguments
def build_curves_csv(comparison: Comparison) -> str:
    """Return CSV with one line per pass of every learner: the points of the curves."""
    rows = [{"learner": run.learner, **point.to_dict()} for run in comparison.runs for point in run.curve]
    return format_csv(list(rows[0]), rows)


def format_csv(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    """Return rows as CSV; values that have no column are left out."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
