"""``tagloom compare``: several learners on the same data, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tagloom.cli.console import build_table, log, put, put_json, put_rich
from tagloom.cli.inputs import read_corpora
from tagloom.cli.options import (
    Columns,
    Format,
    Json,
    Normalise,
    Settings,
    TrainFile,
    list_training_options,
    read_options,
)
from tagloom.cli.progress import show_learners
from tagloom.cli.settings import read_value
from tagloom.errors import ConfigError
from tagloom.systems.registry import DEFAULT_SYSTEM

if TYPE_CHECKING:
    from tagloom.experiments.compare import Comparison


def compare(
    train_file: TrainFile,
    test: Annotated[str, typer.Option("--test", metavar="FILE", help="Corpus to score on, after every pass.")],
    dev: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Corpus that decides which pass to keep. Default: the last pass is kept."),
    ] = None,
    learners: Annotated[
        str, typer.Option(metavar="NAMES", help="Learners, joined by commas, or all.", show_default=True)
    ] = "all",
    system: str = DEFAULT_SYSTEM,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="DIR", help="Folder for JSON, CSV, learning curves and an HTML page."),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", help="Learners at the same time. Default: as many as there are cores.")
    ] = None,
    columns: Columns = None,
    format_name: Format = None,
    normalise: Normalise = None,
    set_: Settings = None,
    json: Json = False,
    **given: Any,
) -> None:
    """Compare learners: the same features, encoded once, and the score of each learner on test data.

    --set LEARNER.KEY=VALUE sets an option of one learner.
    Scores do not depend on --jobs, but seconds do: measure them with --jobs 1.
    Ctrl-C ends every learner after its current pass; what they reached is
    reported (exit code 130).

    \b
    Examples:
      tagloom compare train.txt --test test.txt
      tagloom compare train.txt --dev dev.txt --test test.txt \\
          --learners perceptron,averaged-perceptron -o comparison/
      tagloom compare train.txt --test test.txt --epochs 10 \\
          --set perceptron.epochs=20
    """
    from tagloom.experiments.compare import compare_learners

    if "learner" in given:
        raise ConfigError("--learner: a comparison has several; name them with --learners")
    chosen = read_options(system, given, set_, nested=True)
    options = list_training_options()[system]
    settings = {
        learner: {key: read_value(f"--set {learner}.{key}={text}", key, text, options) for key, text in values.items()}
        for learner, values in chosen.nested.items()
    }
    if output is not None:
        from tagloom.report.files import make_folder

        make_folder(output)
    notes: list[str] = []
    files = {"train": train_file, "dev": dev, "test": test}
    corpora = read_corpora(files, format_name, columns, notes, normalise=normalise)
    with show_learners(notes) as show:
        comparison = compare_learners(
            corpora["train"], corpora["test"], learners, system=system, dev=corpora.get("dev"), jobs=jobs,
            settings=settings, on_progress=show, **chosen.options
        )  # fmt: skip
    _put(comparison, json)
    if comparison.jobs > 1:
        log(f"{comparison.jobs} learners ran side by side; pass --jobs 1 for seconds that can be compared")
    if output is not None:
        _write(comparison, output)
    if comparison.interrupted:
        log("interrupted: what the learners reached is reported")
        raise typer.Exit(130)


def _put(comparison: Comparison, json: bool) -> None:
    from tagloom.report.table import build_table_rows, headers

    if json:
        put_json(comparison.to_dict())
        return
    names = headers(comparison)
    put_rich(build_table(names, build_table_rows(comparison), right=names[1:]))
    for run in comparison.runs:
        put(str(run.score.signature))


def _write(comparison: Comparison, folder: str) -> None:
    from tagloom.report.files import write_report

    written, missing = write_report(comparison, folder)
    log(f"wrote {', '.join(path.name for path in written)} in {Path(folder)}")
    if missing is not None:
        log(missing)
