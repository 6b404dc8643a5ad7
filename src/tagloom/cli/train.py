"""``tagloom train``: from a corpus file to a model file, with scores."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tagloom.cli.clock import Clock
from tagloom.cli.console import log, put_json
from tagloom.cli.inputs import Input
from tagloom.cli.options import Columns, Format, Json, Normalise
from tagloom.cli.outputs import require_writable
from tagloom.cli.settings import pairs, typed_settings
from tagloom.cli.training import TrainingRun, feature_count, put_scores
from tagloom.errors import DataError

if TYPE_CHECKING:
    from tagloom.corpus import Corpus

_LEARNING = "Learning"


def train(
    train_file: Annotated[str, typer.Argument(metavar="TRAIN", help="Corpus to learn from.", show_default=False)],
    output: Annotated[str, typer.Option("--output", "-o", metavar="MODEL", help="Model file to write.")],
    dev: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Corpus that decides when to stop and which pass to keep."),
    ] = None,
    test: Annotated[str | None, typer.Option(metavar="FILE", help="Corpus to report a score on.")] = None,
    columns: Columns = None,
    format_name: Format = None,
    normalise: Normalise = None,
    label: Annotated[
        str | None, typer.Option(metavar="NAME", help="Column to learn. Default: label, or the last; CoNLL-U: upos.")
    ] = None,
    templates: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help="Shipped set (see tagloom templates) or template file, CRF++ files too. Default: by the columns.",
            rich_help_panel=_LEARNING,
        ),
    ] = None,
    resource: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=PATH",
            help="File or folder: brown, gazetteer, entities, lexicon, category or statistics; lexicon=train and "
            "statistics=train are made of TRAIN. Repeatable.",
            rich_help_panel=_LEARNING,
        ),
    ] = None,
    learner: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="averaged-perceptron (default) or perceptron.", rich_help_panel=_LEARNING),
    ] = None,
    scheme: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Label scheme to decide on, such as BIOES. The model writes the scheme of TRAIN all the same.",
            rich_help_panel=_LEARNING,
        ),
    ] = None,
    epochs: Annotated[
        int | None,
        typer.Option(metavar="N", help="Most passes over the data. Default: 10.", rich_help_panel=_LEARNING),
    ] = None,
    patience: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="With --dev, stop after N passes without gain. Default: 5.", rich_help_panel=_LEARNING
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", help="Fixes the order of the examples. Default: 1.", rich_help_panel=_LEARNING),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(metavar="N", help="Threads. The model is the same. Default: 1.", rich_help_panel=_LEARNING),
    ] = None,
    cutoff: Annotated[
        int | None,
        typer.Option(metavar="N", help="Drop features seen less often. Default: 1.", rich_help_panel=_LEARNING),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Any other option of tagloom.train, such as buckets=1000000 or names=false. Repeatable.",
            rich_help_panel=_LEARNING,
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Train a model.

    Ctrl-C ends training and saves the best model so far (exit code 130).

    \b
    Examples:
      tagloom train train.txt --dev dev.txt --test test.txt -o pos.tagloom
      tagloom train train.txt -o chunks.tagloom \\
          --columns "form pos chunk" --templates chunking
      tagloom train train.txt -o ner.tagloom --scheme BIOES \\
          --templates ner-extended \\
          --resource brown=clusters.txt --resource gazetteer=lists/
    """
    require_writable(output, [train_file, dev, test])
    options = {
        "templates": templates, "learner": learner, "scheme": scheme, "label": label, "epochs": epochs,
        "patience": patience, "seed": seed, "threads": threads, "cutoff": cutoff,
    }  # fmt: skip
    chosen = {name: value for name, value in options.items() if value is not None} | typed_settings(set_ or [])
    chosen["resources"] = pairs(resource or [], "--resource", "name=PATH")
    files = {"train": train_file, "dev": dev, "test": test}
    run = _read({part: name for part, name in files.items() if name}, format_name, columns, normalise, chosen)
    size = _learn_and_save(run, output)
    if json:
        put_json({"model": output, "model_bytes": size, **run.report()})
    else:
        put_scores(run.scores)
    if run.interrupted:
        raise typer.Exit(130)


def _read(
    files: dict[str, str],
    format_name: str | None,
    columns: str | None,
    normalise: str | None,
    options: dict[str, object],
) -> TrainingRun:
    clock = Clock()
    notes: list[str] = []
    with clock.phase("read"):
        corpora = {
            part: _labelled(Input.load(name, format_name, columns, notes, normalise).read())
            for part, name in files.items()
        }
    return TrainingRun(corpora, options, clock, notes)


def _labelled(corpus: Corpus) -> Corpus:
    if len(corpus.names) < 2:
        raise DataError(
            f"{corpus.source}: read as {corpus.extras['format']} with one column, so there are no labels; "
            "mend the file or name its --format"
        )
    return corpus


def _learn_and_save(run: TrainingRun, output: str) -> int:
    """Train, write the model, then score it; returns the size of the file."""
    model = run.learn()
    with run.clock.phase("save"):
        model.save(output)
    passes = f"{len(model.spec.history)} passes, kept pass {model.spec.best_epoch}"
    log(f"saved {output}: {feature_count(model):,} features, {len(model.labels)} labels, {passes}")
    if not run.interrupted:
        run.evaluate()
    return Path(output).stat().st_size
