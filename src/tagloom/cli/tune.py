"""``tagloom tune``: a search over options of training on development data."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tagloom.cli.console import build_table, log, put, put_json, put_rich
from tagloom.cli.inputs import read_corpora, require_writable
from tagloom.cli.options import (
    Chosen,
    Columns,
    Format,
    Json,
    Normalise,
    Settings,
    TrainFile,
    list_training_options,
    read_options,
    select_given,
)
from tagloom.cli.progress import show_trials
from tagloom.cli.settings import read_grid
from tagloom.cli.train import TrainingRun
from tagloom.errors import ConfigError
from tagloom.systems.registry import DEFAULT_SYSTEM

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tagloom.corpus import Corpus
    from tagloom.experiments.trials import Tuning

_TRIALS = "trials"  # folder of the trials in the folder of the results


def tune(
    train_file: TrainFile,
    dev: Annotated[str, typer.Option(metavar="FILE", help="Corpus on which trials are compared.")],
    grid: Annotated[
        list[str],
        typer.Option(
            metavar="NAME=VALUES",
            help="Values of an option to try: C=1,10,100; C=0.01..10x10 (times 10); cutoff=1..5+2 (plus 2). "
            "Repeatable: all combinations are tried.",
        ),
    ],
    system: str = DEFAULT_SYSTEM,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Folder for JSON, CSV and a drawing. It also keeps the trials, so that a killed run can continue.",
        ),
    ] = None,
    save: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Train with the best options at the end, and write the model.")
    ] = None,
    keep: Annotated[
        str,
        typer.Option(
            metavar="PART|all",
            help="Part of the trials that continues after an eighth, a quarter and half of the passes.",
            show_default=True,
        ),
    ] = "0.5",
    jobs: Annotated[
        int | None, typer.Option(metavar="N", help="Trials at the same time. Default: as many as there are cores.")
    ] = None,
    columns: Columns = None,
    format_name: Format = None,
    normalise: Normalise = None,
    set_: Settings = None,
    json: Json = False,
    **given: Any,
) -> None:
    """Find the best options: train with every combination, compare on DEV.

    Hopeless trials stop early; --keep all runs every trial to its end.
    Scores do not depend on --jobs.
    Ctrl-C ends every trial after its current pass; what they reached is
    reported (exit code 130), and with -o the same command continues from there.

    \b
    Examples:
      tagloom tune train.txt --dev dev.txt --learner pa \\
          --grid C=0.001..10x10 -o tuning/ --save best.tagloom
      tagloom tune train.txt --dev dev.txt --grid cutoff=1,2,3 \\
          --grid learner=perceptron,averaged-perceptron --keep all
    """
    chosen = read_options(system, given, set_)
    search: dict[str, Any] = {
        "grid": read_grid(grid, list_training_options()[system]), "keep": _read_part(keep), "jobs": jobs
    }  # fmt: skip
    if save is not None:
        require_writable(save, [train_file, dev])
    if output is not None:
        from tagloom.report.files import make_folder

        make_folder(output)
        search["folder"] = Path(output) / _TRIALS
    notes: list[str] = []
    corpora = read_corpora({"train": train_file, "dev": dev}, format_name, columns, notes, normalise=normalise)
    tuning = _tune(corpora, notes, chosen, search)
    files = select_given(columns=columns, format=format_name, normalise=normalise)
    _put(tuning, _write_command(tuning, train_file, dev, files, chosen), json)
    if output is not None:
        _write(tuning, output)
    if tuning.interrupted:
        again = "" if output is None else "; the same command continues"
        log(f"interrupted: what the trials reached is reported{again}")
        raise typer.Exit(130)
    if save is not None:
        _save(corpora, tuning, chosen, normalise, save)


def _read_part(text: str) -> float:
    try:
        return 1.0 if text == "all" else float(text)
    except ValueError:
        raise ConfigError(f"--keep {text}: expected a part of the trials such as 0.5, or all") from None


def _tune(corpora: Mapping[str, Corpus], notes: list[str], chosen: Chosen, search: Mapping[str, Any]) -> Tuning:
    from tagloom.experiments.tune import tune

    with show_trials(notes) as show:
        return tune(
            corpora["train"], corpora["dev"], system=chosen.row.name, on_progress=show, **search, **chosen.options
        )


def _save(corpora: Mapping[str, Corpus], tuning: Tuning, chosen: Chosen, normalise: str | None, path: str) -> None:
    """Train the model of the best trial, and write it."""
    options = {**chosen.options, **tuning.best_trial.chosen, **select_given(normalise=normalise)}
    run = TrainingRun(chosen.row, corpora, options)
    run.learn().save(path)
    log(f"saved {path}: {tuning.best_trial.name}")
    if run.interrupted:
        raise typer.Exit(130)


def _write_command(tuning: Tuning, train_file: str, dev: str, files: Mapping[str, object], chosen: Chosen) -> str:
    """Write the command that trains the model of the best trial."""
    words = ["tagloom", "train", train_file, "--dev", dev, "-o", "model.tagloom", *chosen.words]
    for name, value in files.items():
        words += [f"--{name}", str(value)]
    for name, choice in tuning.best_trial.options.items():
        words += [] if choice is None else ["--set", f"{name}={choice}"]
    return shlex.join(words)


def _put(tuning: Tuning, command: str, json: bool) -> None:
    from tagloom.report.tuning import build_tuning_rows, list_tuning_headers

    if json:
        put_json({**tuning.to_dict(), "command": command})
        return
    names = list_tuning_headers(tuning)
    put_rich(build_table(names, build_tuning_rows(tuning), right=[name for name in names if name != "status"]))
    put(tuning.signature)
    put(command)


def _write(tuning: Tuning, folder: str) -> None:
    from tagloom.report.tuning import write_tuning

    written, missing = write_tuning(tuning, folder)
    log(f"wrote {', '.join(path.name for path in written)} in {Path(folder)}")
    if missing is not None:
        log(missing)
