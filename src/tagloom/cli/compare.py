"""``tagloom compare``: several learners on the same data, side by side."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from tagloom.cli.console import build_table, log, log_files, put, put_json, put_rich
from tagloom.cli.inputs import read_corpora
from tagloom.cli.options import list_training_options, read_options
from tagloom.cli.parameters import Columns, Format, Json, Normalise, Ray, Settings, TrainFile, option
from tagloom.cli.progress import show_learners
from tagloom.cli.settings import read_nested
from tagloom.errors import ConfigError
from tagloom.experiments.compare import compare_learners
from tagloom.report.files import open_folder, write_report
from tagloom.report.table import build_table_rows, headers
from tagloom.systems.registry import DEFAULT_SYSTEM


def compare(
    train_file: TrainFile,
    test: Annotated[str, option("FILE", "Corpus to score on, after every pass.")],
    dev: Annotated[
        str | None, option("FILE", "Corpus that decides which pass to keep. Default: the last pass is kept.")
    ] = None,
    learners: Annotated[str, option("NAMES", "Learners, joined by commas, or all.")] = "all",
    system: str = DEFAULT_SYSTEM,
    output: Annotated[
        str | None, option("DIR", "Folder for JSON, CSV, learning curves and an HTML page.", "--output", "-o")
    ] = None,
    jobs: Annotated[int | None, option("N", "Learners at the same time. Default: as many as there are cores.")] = None,
    ray: Ray = None,
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
    if "learner" in given:
        raise ConfigError("--learner: a comparison has several; name them with --learners")
    chosen = read_options(system, given, set_, nested=True)
    known = list_training_options()[system]
    settings = {learner: read_nested(learner, values, known) for learner, values in chosen.nested.items()}
    if output is not None:
        open_folder(output)
    notes: list[str] = []
    files = {"train": train_file, "dev": dev, "test": test}
    corpora = read_corpora(files, format_name, columns, notes, normalise=normalise)
    with show_learners(notes) as show:
        comparison = compare_learners(
            corpora["train"], corpora["test"], learners, system=system, dev=corpora.get("dev"), jobs=jobs, ray=ray,
            settings=settings, on_progress=show, **chosen.options
        )  # fmt: skip
    if json:
        put_json(comparison.to_dict())
    else:
        names = headers(comparison)
        put_rich(build_table(names, build_table_rows(comparison), right=names[1:]))
        put("\n".join(str(run.score.signature) for run in comparison.runs))
    if comparison.jobs > 1:
        log(f"{comparison.jobs} learners ran side by side; pass --jobs 1 for seconds that can be compared")
    if output is not None:
        log_files(*write_report(comparison, output))
    if comparison.interrupted:
        log("interrupted: what the learners reached is reported")
        raise typer.Exit(130)
