"""``tagloom tune``: a search over options of training on development data."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tagloom.cli.clock import Clock
from tagloom.cli.console import log, put, put_json, put_rich, table
from tagloom.cli.learning_options import (
    Cutoff,
    DocumentFeatures,
    Epochs,
    Label,
    LearnerName,
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
from tagloom.cli.outputs import require_writable
from tagloom.cli.progress import shown_trials
from tagloom.cli.settings import resource_sources, typed_grid, typed_settings
from tagloom.cli.training import TrainingRun, read_corpora
from tagloom.errors import ConfigError

if TYPE_CHECKING:
    from tagloom.corpus import Corpus
    from tagloom.experiments.trials import Tuning

_TRIALS = "trials"  # folder of the trials in that of the results


def tune(
    train_file: Annotated[str, typer.Argument(metavar="TRAIN", help="Corpus to learn from.", show_default=False)],
    dev: Annotated[str, typer.Option(metavar="FILE", help="Corpus that decides: trials are compared on it.")],
    grid: Annotated[
        list[str],
        typer.Option(
            metavar="NAME=VALUES",
            help="Values to try of an option of tagloom.train: C=1,10,100; C=0.01..10x10 (times 10); "
            "cutoff=1..5+2 (plus 2). Repeatable: all combinations are tried.",
        ),
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Folder for JSON, CSV and a drawing. Keeps the trials, too: the same command goes on after it was "
            "killed.",
        ),
    ] = None,
    save: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Train with the best options at the end, and write the model.")
    ] = None,
    keep: Annotated[
        str,
        typer.Option(
            metavar="PART|all",
            help="Part of the trials that goes on after an eighth, a quarter and half of the passes.",
            show_default=True,
        ),
    ] = "0.5",
    jobs: Annotated[
        int | None, typer.Option(metavar="N", help="Trials at the same time. Default: as many as there are cores.")
    ] = None,
    columns: Columns = None,
    format_name: Format = None,
    normalise: Normalise = None,
    label: Label = None,
    templates: Templates = None,
    resource: Resources = None,
    learner: LearnerName = None,
    scheme: Scheme = None,
    sequences: SequenceKind = None,
    document_features: DocumentFeatures = None,
    epochs: Epochs = None,
    patience: Patience = None,
    seed: Seed = None,
    threads: LearningThreads = None,
    cutoff: Cutoff = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Any other option of tagloom.train, the same for all trials. Repeatable.",
            rich_help_panel="Learning",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Find the best options: train with every combination, compare on DEV.

    Hopeless trials stop early; --keep all runs every trial to its end.
    Scores do not depend on --jobs.
    Ctrl-C ends every trial after its pass; what they reached is reported
    (exit code 130), and with -o the same command goes on from there.

    \b
    Examples:
      tagloom tune train.txt --dev dev.txt --learner pa \\
          --grid C=0.001..10x10 -o tuning/ --save best.tagloom
      tagloom tune train.txt --dev dev.txt --grid cutoff=1,2,3 \\
          --grid learner=perceptron,averaged-perceptron --keep all
    """
    flags = given(
        templates=templates, learner=learner, scheme=scheme, label=label, epochs=epochs, patience=patience, seed=seed,
        threads=threads, cutoff=cutoff, sequences=sequences, document_features=document_features,
    )  # fmt: skip
    options = flags | typed_settings(set_ or []) | _resources(resource)
    options |= {"grid": typed_grid(grid), "keep": _part(keep), "jobs": jobs}
    if save is not None:
        require_writable(save, [train_file, dev])
    if output is not None:
        from tagloom.report.files import make_folder

        make_folder(output)
        options["folder"] = Path(output) / _TRIALS
    notes: list[str] = []
    corpora = read_corpora({"train": train_file, "dev": dev}, format_name, columns, Clock(), notes, normalise=normalise)
    tuning = _tune(corpora, notes, options)
    flags |= given(columns=columns, format=format_name, normalise=normalise)
    command = _command(tuning, train_file, dev, flags, resource or [], set_ or [])
    _put(tuning, command, json)
    if output is not None:
        _write(tuning, output)
    if tuning.interrupted:
        again = "" if output is None else "; the same command goes on"
        log(f"interrupted: what the trials reached is reported{again}")
        raise typer.Exit(130)
    if save is not None:
        _save(corpora, tuning, save)


def _resources(texts: list[str] | None) -> dict[str, object]:
    return {"resources": resource_sources(texts)} if texts else {}


def _part(text: str) -> float:
    try:
        return 1.0 if text == "all" else float(text)
    except ValueError:
        raise ConfigError(f"--keep {text}: expected a part of the trials such as 0.5, or all") from None


def _tune(corpora: Mapping[str, Corpus], notes: list[str], options: dict[str, Any]) -> Tuning:
    from tagloom.experiments.tune import tune

    with shown_trials(notes) as show:
        return tune(corpora["train"], corpora["dev"], on_progress=show, **options)


def _save(corpora: Mapping[str, Corpus], tuning: Tuning, path: str) -> None:
    """Train the model of the best trial, and write it."""
    run = TrainingRun(corpora, tuning.best, Clock())
    run.learn().save(path)
    log(f"saved {path}: {tuning.best_trial.name}")
    if run.interrupted:
        raise typer.Exit(130)


def _command(
    tuning: Tuning, train_file: str, dev: str, flags: Mapping[str, object], resources: list[str], settings: list[str]
) -> str:
    """The command line that trains the model of the best trial."""
    words = ["tagloom", "train", train_file, "--dev", dev, "-o", "model.tagloom"]
    for name, value in flags.items():
        words += [f"--{name.replace('_', '-')}", str(value)]
    for text in resources:
        words += ["--resource", text]
    chosen = [f"{name}={value}" for name, value in tuning.best_trial.options.items() if value is not None]
    for text in [*settings, *chosen]:
        words += ["--set", text]
    return shlex.join(words)


def _put(tuning: Tuning, command: str, json: bool) -> None:
    from tagloom.report.tuning import tuning_headers, tuning_rows

    if json:
        put_json({**tuning.to_dict(), "command": command})
        return
    names = tuning_headers(tuning)
    put_rich(table(names, tuning_rows(tuning), right=[name for name in names if name != "status"]))
    put(tuning.signature)
    put(command)


def _write(tuning: Tuning, folder: str) -> None:
    from tagloom.report.tuning import write_tuning

    written, missing = write_tuning(tuning, folder)
    log(f"wrote {', '.join(path.name for path in written)} in {Path(folder)}")
    if missing is not None:
        log(missing)
