"""``tagloom tune``: a search over options of training on development data."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

import tagloom
from tagloom.cli.console import build_table, log, log_files, put, put_json, put_rich
from tagloom.cli.inputs import read_corpora, require_writable
from tagloom.cli.options import Chosen, list_training_options, read_options
from tagloom.cli.parameters import Columns, Format, Json, Normalise, Ray, Settings, TrainFile, option, select_given
from tagloom.cli.progress import show_trials
from tagloom.cli.settings import read_grid
from tagloom.cli.train import TrainingRun
from tagloom.corpus import Corpus
from tagloom.errors import ConfigError
from tagloom.experiments.trials import Tuning
from tagloom.report.files import open_folder
from tagloom.report.tuning import build_tuning_rows, list_tuning_headers, write_tuning
from tagloom.systems.registry import DEFAULT_SYSTEM

_TRIALS = "trials"  # folder of the trials in the folder of the results
_OUTPUT = "Folder for JSON, CSV and a drawing. It also keeps the trials, so that a killed run can continue."


def tune(
    train_file: TrainFile,
    dev: Annotated[str, option("FILE", "Corpus on which trials are compared.")],
    grid: Annotated[
        list[str],
        option(
            "NAME=VALUES",
            "Values of an option to try: C=1,10,100; C=0.01..10x10 (times 10); cutoff=1..5+2 (plus 2). "
            "Repeatable: all combinations are tried.",
        ),
    ],
    system: str = DEFAULT_SYSTEM,
    output: Annotated[str | None, option("DIR", _OUTPUT, "--output", "-o")] = None,
    save: Annotated[str | None, option("MODEL", "Train with the best options at the end, and write the model.")] = None,
    keep: Annotated[
        str, option("PART|all", "Part of the trials that continues after an eighth, a quarter and half of the passes.")
    ] = "0.5",
    jobs: Annotated[int | None, option("N", "Trials at the same time. Default: as many as there are cores.")] = None,
    ray: Ray = None,
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
    values, part = read_grid(grid, list_training_options()[system]), _read_part(keep)
    if save is not None:
        require_writable(save, [train_file, dev])
    if output is not None:
        open_folder(output)
    notes: list[str] = []
    corpora = read_corpora({"train": train_file, "dev": dev}, format_name, columns, notes, normalise=normalise)
    folder = None if output is None else Path(output) / _TRIALS
    with show_trials(notes) as show:
        tuning = tagloom.tune(
            corpora["train"], corpora["dev"], values, system=system, keep=part, folder=folder, jobs=jobs, ray=ray,
            on_progress=show, **chosen.options
        )  # fmt: skip
    files = select_given(columns=columns, format=format_name, normalise=normalise)
    _put(tuning, _write_command(tuning, train_file, dev, files, chosen), json)
    if output is not None:
        log_files(*write_tuning(tuning, output))
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
    if json:
        put_json({**tuning.to_dict(), "command": command})
        return
    names = list_tuning_headers(tuning)
    put_rich(build_table(names, build_tuning_rows(tuning), right=[name for name in names if name != "status"]))
    put(tuning.signature)
    put(command)
