"""``tagloom compare``: several learners on the same data, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tagloom.cli.clock import Clock
from tagloom.cli.console import log, put, put_json, put_rich, table
from tagloom.cli.learning_options import (
    Cutoff,
    Epochs,
    Label,
    LearningThreads,
    Patience,
    Resources,
    Scheme,
    Seed,
    SequenceKind,
    Templates,
    given,
)
from tagloom.cli.options import Columns, Format, Json, Normalise
from tagloom.cli.progress import shown_side_by_side
from tagloom.cli.settings import resource_sources, settings_by_learner
from tagloom.cli.training import read_corpora

if TYPE_CHECKING:
    from tagloom.experiments.comparison import Comparison


def compare(
    train_file: Annotated[str, typer.Argument(metavar="TRAIN", help="Corpus to learn from.", show_default=False)],
    test: Annotated[str, typer.Option("--test", metavar="FILE", help="Corpus to score on, after every pass.")],
    dev: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Corpus that decides which pass to keep. Without it the last one counts."),
    ] = None,
    learners: Annotated[
        str, typer.Option(metavar="NAMES", help="Learners, joined by commas, or all.", show_default=True)
    ] = "all",
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="DIR", help="Folder for JSON, CSV, learning curves and an HTML page."),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(metavar="N", help="Learners at the same time. Default: as many as there are cores."),
    ] = None,
    columns: Columns = None,
    format_name: Format = None,
    normalise: Normalise = None,
    label: Label = None,
    templates: Templates = None,
    resource: Resources = None,
    scheme: Scheme = None,
    sequences: SequenceKind = None,
    epochs: Epochs = None,
    patience: Patience = None,
    seed: Seed = None,
    threads: LearningThreads = None,
    cutoff: Cutoff = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="[LEARNER.]KEY=VALUE",
            help="Any other option of tagloom.train, for all learners or for one: perceptron.epochs=20. Repeatable.",
            rich_help_panel="Learning",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Compare learners: the same features, encoded once; the score of each on test data.

    Scores do not depend on --jobs, seconds do: time with --jobs 1.
    Ctrl-C ends every learner after its pass; what they reached is reported
    (exit code 130).

    \b
    Examples:
      tagloom compare train.txt --test test.txt
      tagloom compare train.txt --dev dev.txt --test test.txt \\
          --learners perceptron,averaged-perceptron -o comparison/
      tagloom compare train.txt --test test.txt --epochs 10 \\
          --set perceptron.epochs=20
    """
    options = given(
        templates=templates, scheme=scheme, label=label, epochs=epochs, patience=patience, seed=seed, threads=threads,
        cutoff=cutoff, sequences=sequences,
    )  # fmt: skip
    for_all, for_one = settings_by_learner(set_ or [])
    options |= {**for_all, "resources": resource_sources(resource or [])}
    if output is not None:
        from tagloom.report.files import make_folder

        make_folder(output)
    files = {"train": train_file, "dev": dev, "test": test}
    options |= {"learners": learners, "jobs": jobs, "settings": for_one}
    comparison = _compare(files, format_name, columns, normalise, options)
    _put(comparison, json)
    if comparison.jobs > 1:
        log(f"{comparison.jobs} learners ran side by side; for seconds worth comparing take --jobs 1")
    if output is not None:
        _write(comparison, output)
    if comparison.interrupted:
        log("interrupted: what the learners reached is reported")
        raise typer.Exit(130)


def _compare(
    files: dict[str, str | None],
    format_name: str | None,
    columns: str | None,
    normalise: str | None,
    options: dict[str, Any],
) -> Comparison:
    from tagloom.experiments.compare import compare_learners

    notes: list[str] = []
    corpora = read_corpora(files, format_name, columns, Clock(), notes, normalise=normalise)
    with shown_side_by_side(notes) as show:
        return compare_learners(corpora["train"], corpora["test"], dev=corpora.get("dev"), on_progress=show, **options)


def _put(comparison: Comparison, json: bool) -> None:
    from tagloom.report.table import headers, table_rows

    if json:
        put_json(comparison.to_dict())
        return
    names = headers(comparison)
    put_rich(table(names, table_rows(comparison), right=names[1:]))
    for run in comparison.runs:
        put(str(run.score.signature))


def _write(comparison: Comparison, folder: str) -> None:
    from tagloom.report.files import write_report

    written, missing = write_report(comparison, folder)
    log(f"wrote {', '.join(path.name for path in written)} in {Path(folder)}")
    if missing is not None:
        log(missing)
