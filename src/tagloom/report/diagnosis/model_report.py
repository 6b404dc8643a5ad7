"""The report of a model: everything that the page shows, as values."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from tagloom.arguments import check_arguments, check_methods
from tagloom.corpus.replace import replace_file
from tagloom.errors import ConfigError
from tagloom.evaluate import Interval, Score, TextScore, bootstrap
from tagloom.report.diagnosis.background import Background, find_background
from tagloom.report.diagnosis.calibration import Reliability, measure_reliability
from tagloom.report.diagnosis.contrast import Contrast, contrast_runs, pair_runs
from tagloom.report.diagnosis.learning import Learning, draw_learning_curve, read_learning
from tagloom.report.diagnosis.listing import Listing, list_errors
from tagloom.report.diagnosis.run import Run, run_model
from tagloom.systems.base import Model
from tagloom.systems.options import check_threads, check_whole_number
from tagloom.systems.tables import Weights

#: The metrics of every kind of score that is not made from text.
_METRICS = {
    "spans": ("f1", "precision", "recall", "accuracy"),
    "segmentation": ("f1", "precision", "recall", "accuracy"),
    "tags": ("accuracy",),
    "trees": ("las", "uas"),
}
MOST_CONTESTS = 200  # sentences won, and sentences lost
_TOP_FEATURES = 15  # of a label
_MOST = 1_000_000  # errors, explained sentences and samples


def list_metrics(score: Score) -> list[str]:
    """List the metrics that the page shows of a score, the most important first."""
    if isinstance(score, TextScore):
        return [score.metric, *(name for name in score.by_metric if name != score.metric)]
    return [name for name in _METRICS.get(score.kind, (score.metric,)) if name == score.metric or _has(score, name)]


def _has(score: Score, metric: str) -> bool:
    try:
        score.counts_of(metric)
    except ConfigError:
        return False
    return True


@check_methods()
@dataclass(frozen=True)
class ModelReport:
    """What a model gets right and wrong on test data. Make one with :func:`tagloom.report.report_model`."""

    runs: tuple[Run, ...]  # the model, and the one that it is compared with
    intervals: tuple[tuple[Interval, ...], ...]  # of every run: one per metric
    background: Background
    reliability: tuple[Reliability, ...]
    learning: Learning
    weights: Mapping[str, Weights]  # by what the models of the line predict
    contrast: Contrast | None
    listing: Listing
    samples: int
    notes: tuple[str, ...] = field(default=())

    @property
    def run(self) -> Run:
        """The model that the report is about, applied to the data."""
        return self.runs[0]

    @property
    def title(self) -> str:
        """What the page is called."""
        names = " and ".join(run.name for run in self.runs)
        return f"{names} on {Path(self.run.gold.source).name}"

    def __repr__(self) -> str:
        return f"<ModelReport {self.title}: {self.intervals[0][0]}, {sum(self.listing.totals.values()):,} errors>"

    def to_html(self) -> str:
        """Return the page, which needs no other file."""
        from tagloom.report.views.page import build_model_page

        return build_model_page(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file. An older file of this name survives unless the new one is complete."""
        replace_file(path, self.to_html().encode())

    def to_dict(self) -> dict[str, object]:
        """Return the numbers of the page as plain values."""
        return {
            "title": self.title,
            "models": [_describe_run(run, each) for run, each in zip(self.runs, self.intervals)],
            "tasks": [_describe_task(task, self.background) for task in self.run.tasks],
            "reliability": [asdict(each) for each in self.reliability],
            "learning": asdict(self.learning),
            "contrast": None if self.contrast is None else asdict(self.contrast),
            "errors": dict(self.listing.totals),
            "notes": [*self.notes, *self.listing.notes],
        }


def _describe_run(run: Run, intervals: tuple[Interval, ...]) -> dict[str, object]:
    scores = {each.metric: asdict(each) for each in intervals}
    return {"name": run.name, "system": run.model.system, "signature": str(run.score.signature), "scores": scores}


def _describe_task(task: Any, background: Background) -> dict[str, object]:
    groups = {
        group.title: {name: prf.to_dict() for name, prf in group.counts.by_kind().items()}
        for group in task.list_groups(background)
    }
    matrices = [
        {"title": each.title, "rows": each.rows, "columns": each.columns, "counts": each.counts.tolist()}
        for each in task.list_matrices()
    ]
    types = {name: prf.to_dict() for name, prf in task.counts.by_kind().items()}
    return {"name": task.name, "kind": task.kind, "types": types, "outcomes": task.count_outcomes(),
            "groups": groups, "matrices": matrices}  # fmt: skip


@check_arguments
def report_model(
    model: Model,
    data: Any,
    rival: Model | None = None,
    *,
    train: Any = None,
    learning_curve: bool = False,
    names: tuple[str, ...] | None = None,
    errors: int = 2000,
    explained: int = 300,
    samples: int = 1000,
    threads: int = 1,
    on_progress: Callable[[str], None] | None = None,
    **search: Any,
) -> ModelReport:
    """Report what a model gets right and wrong on test data.

    Args:
        model: A model of any system.
        data: Test data with gold annotation: anything that :func:`tagloom.train` takes as data.
        rival: Another model of the same output, to compare with.
        train: The training data, for scores by the frequency of words and units, and of seen and unseen ones. Without
            these, known words are those that the model keeps.
        learning_curve: Train on growing parts of the training data, with the options of the model.
        names: What the models are called on the page.
        errors: Most errors that the page lists.
        explained: Most sentences whose errors are explained by features.
        samples: Number of samples of the bootstrap behind intervals and tests.
        threads: Number of threads. Does not change the result.
        on_progress: Is called with lines about what is being done.
        **search: Options of the search, see :attr:`Model.search_options`.

    Returns:
        The report; ``save`` writes its page.

    Raises:
        ConfigError: An option is wrong, or the two models make different things.
        DataError: The data have no gold annotation that the model predicts.

    Examples:
        >>> import tagloom
        >>> data = [(["the", "dog"], ["DT", "NN"]), (["a", "cat"], ["DT", "NN"])]
        >>> report_model(tagloom.train(data), data, samples=10)
        <ModelReport tagger on <memory>: accuracy 100.00 [100.00, 100.00] at 95%, 0 errors>
    """
    _check(errors, explained, samples, threads, learning_curve, train)
    tell = on_progress or (lambda _: None)
    models = (model,) if rival is None else (model, rival)
    called = names or tuple(each.noun for each in models)
    if len(called) != len(models):
        raise ConfigError(f"names: expected {len(models)} name{'s' * (len(models) > 1)}, got {len(called)}")
    tell("applying the model to the data")
    runs = tuple(run_model(name, each, data, threads, search) for name, each in zip(called, models))
    if len(runs) == 2:
        pair_runs(*runs)
    corpus = None if train is None else model.open_corpus(train, gold=True)
    background = find_background(model, corpus)
    metrics = list_metrics(runs[0].score)
    tell("computing intervals")
    intervals = tuple(tuple(_bootstrap(run.score, metrics, samples)) for run in runs)
    contrast = contrast_runs(runs[0], runs[1], metrics, samples, MOST_CONTESTS) if len(runs) == 2 else None
    learning = read_learning(model)
    if learning_curve and corpus is not None:
        curve = draw_learning_curve(model, corpus, runs[0].gold, samples, threads, tell)
        learning = replace(learning, curve=curve)
    tell("explaining errors")
    listing = list_errors(runs[0], background, errors, explained)
    return ModelReport(
        runs, intervals, background, tuple(measure_reliability(runs[0])), learning, _find_weights(model), contrast,
        listing, samples, tuple(model.check_labels(runs[0].gold)),
    )  # fmt: skip


def _check(errors: int, explained: int, samples: int, threads: int, learning_curve: bool, train: Any) -> None:
    check_threads(threads)
    check_whole_number("errors", errors, 1, _MOST)
    check_whole_number("explained", explained, 0, _MOST)
    check_whole_number("samples", samples, 1, _MOST)
    if learning_curve and train is None:
        raise ConfigError("learning_curve needs the training data: pass train, too")


def _bootstrap(score: Score, metrics: list[str], samples: int) -> list[Interval]:
    return [bootstrap(score.counts_of(name), name, samples) for name in metrics if _has(score, name)]


def _find_weights(model: Model) -> dict[str, Weights]:
    """Collect the weights of the model and of its line, by the columns that they predict."""
    found = {}
    for each in (*model.line.providers, model):
        weights = each.summarise_weights(_TOP_FEATURES)
        if weights is not None:
            found[" ".join(layer.column for layer in each.own_layers) or each.noun] = weights
    return found
