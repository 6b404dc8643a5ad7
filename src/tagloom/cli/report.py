"""``tagloom report``: what a model gets right and wrong on test data, as one HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from tagloom.cli.console import build_warning, log, put_json
from tagloom.cli.inputs import is_model_file, note_undivided, prefer_columns, require_writable
from tagloom.cli.options import read_search
from tagloom.cli.parameters import Columns, Format, Json, Threads, argument, flag, option
from tagloom.errors import ConfigError
from tagloom.report import ModelReport, report_model
from tagloom.report.table import format_size
from tagloom.systems.file import load
from tagloom.systems.inputs import Input


def report(
    files: Annotated[
        list[str], argument("MODEL [MODEL2] TEST", "A model, another one to compare it with, and a corpus with gold.")
    ],
    output: Annotated[str, option("FILE", "HTML page to write.", "--output", "-o")] = "report.html",
    train: Annotated[
        str | None,
        option("FILE", "Training data: scores by frequency in training, of seen and unseen words and units."),
    ] = None,
    learning_curve: Annotated[
        bool,
        flag(
            "--learning-curve",
            "Train on growing parts of the training data, with the options of the model. Needs --train; takes about "
            "twice as long as the training did.",
        ),
    ] = False,
    errors: Annotated[int, option("N", "Most errors to list; of more, N are drawn at random.", min=1)] = 2000,
    explain: Annotated[int, option("N", "Most sentences whose errors are explained by features.", min=0)] = 300,
    bootstrap: Annotated[int, option("N", "Samples behind intervals and tests.", min=1)] = 1000,
    format_name: Format = None,
    columns: Columns = None,
    threads: Threads = 1,
    json: Json = False,
    **given: Any,
) -> None:
    """Report what a model gets right and wrong, as one HTML page.

    The page shows scores with confidence intervals, every type, what is taken
    for what, scores by length, frequency and known words, calibration, passes
    of the training, heavy weights, and a list of errors with filters, search
    and the features that spoke for each. It needs no other file and no
    network. With two models, it also shows differences with their
    significance, and the sentences that each of them wins.
    Works for taggers, parsers, phrase chunkers, tokenizers and pipelines.

    \b
    Examples:
      tagloom report model.tagloom test.txt -o report.html
      tagloom report model.tagloom test.txt --train train.txt
      tagloom report new.tagloom old.tagloom test.txt
      tagloom report en.parser test.conllu -o parser.html
    """
    paths, test = _split_files(files)
    require_writable(output, [*files, train])
    notes: list[str] = []
    models = [prefer_columns(load(path), columns, notes) for path in paths]
    corpus = Input(test, format_name, columns, notes).read(models[0], gold=True)
    search: dict[str, Any] = {}
    for path, model in zip(paths, models):
        notes += [note for note in note_undivided(model, corpus.source, has_documents=corpus.has_documents)
                  if note not in notes]  # fmt: skip
        search = read_search(given, model, path)
    training = None if train is None else Input(train, format_name, columns, notes).read(models[0], gold=True)
    found = report_model(
        models[0], corpus, *models[1:], train=training, learning_curve=learning_curve, errors=errors,
        explained=explain, samples=bootstrap, threads=threads, names=tuple(Path(path).name for path in paths),
        on_progress=lambda line: log(line) if learning_curve else None, **search,
    )  # fmt: skip
    found.save(output)
    log(*notes, *map(build_warning, found.notes), *found.listing.notes, _describe(found, output))
    if json:
        put_json(found.to_dict())


def _split_files(files: list[str]) -> tuple[list[str], str]:
    """Split the arguments into models and the corpus."""
    *models, test = files
    if not models:
        raise ConfigError(f"{test}: expected a model and a corpus, got one file; see tagloom report --help")
    if len(models) > 2:
        raise ConfigError(f"expected one or two models and a corpus, got {len(files)} files")
    for path in models:
        if Path(path).is_file() and not is_model_file(path):
            raise ConfigError(f"{path} is not a model; pass the models first, and the corpus last")
    if is_model_file(test):
        raise ConfigError(f"{test} is a model; pass the corpus last")
    return models, test


def _describe(found: ModelReport, output: str) -> str:
    scores = ", ".join(str(interval) for interval in found.intervals[0][:1])
    return f"wrote {output} ({format_size(Path(output).stat().st_size)}): {scores}"
