"""``tagloom train``: from a corpus file to a model file, with scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tagloom.cli.clock import Clock
from tagloom.cli.console import log, put_json
from tagloom.cli.learning_options import (
    Cutoff,
    Direction,
    DocumentFeatures,
    Epochs,
    History,
    Label,
    LearnerName,
    LearningBeam,
    LearningDepth,
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
from tagloom.cli.parser_training import ParserRun
from tagloom.cli.phrase_training import PhraseRun
from tagloom.cli.settings import parser_settings, phrase_settings, resource_sources, typed_settings
from tagloom.cli.systems import PARSER, PHRASES, TAGGER, checked_system
from tagloom.cli.training import TrainingRun, put_scores, read_corpora
from tagloom.errors import ConfigError

if TYPE_CHECKING:
    from tagloom.systems import Model

_LEARNING = "Learning"


def train(
    train_file: Annotated[str, typer.Argument(metavar="TRAIN", help="Corpus to learn from.", show_default=False)],
    output: Annotated[str, typer.Option("--output", "-o", metavar="MODEL", help="Model file to write.")],
    dev: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Corpus that decides when to stop and which pass to keep."),
    ] = None,
    test: Annotated[str | None, typer.Option(metavar="FILE", help="Corpus to report a score on.")] = None,
    system: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="tagger: a label a word; parser: dependency trees, of columns head, deprel; phrases: chunks or "
            "entities, chosen as wholes.",
        ),
    ] = TAGGER,
    columns: Columns = None,
    format_name: Format = None,
    normalise: Normalise = None,
    label: Label = None,
    tags: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="Of parsers: predicted (a tagger is trained and goes into the model; default), or gold: in use, too.",
        ),
    ] = None,
    tag: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of parsers: column of the tags. Default: upos, pos or xpos.")
    ] = None,
    templates: Templates = None,
    resource: Resources = None,
    learner: LearnerName = None,
    scheme: Scheme = None,
    sequences: SequenceKind = None,
    document_features: DocumentFeatures = None,
    direction: Direction = None,
    history: History = None,
    depth: LearningDepth = None,
    beam: LearningBeam = None,
    epochs: Epochs = None,
    patience: Patience = None,
    seed: Seed = None,
    threads: LearningThreads = None,
    cutoff: Cutoff = None,
    degree: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Of phrase chunkers: degree of the polynomial kernel, 1 to 5. Default: 2.",
            rich_help_panel=_LEARNING,
        ),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="Model to begin from; features and labels that TRAIN adds come to its own.",
            rich_help_panel=_LEARNING,
        ),
    ] = None,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Kept after every pass: the same command goes on from it after it was killed.",
            rich_help_panel=_LEARNING,
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Any other option of tagloom.train, such as c2=1, rate=0.1 or buckets=1000000; of parsers "
            "non_projective=skip, relations=false, tag_folds=5, tagger.epochs=5; of phrase chunkers window=2, "
            "longest=10, form=primal. Repeatable.",
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
      tagloom train en-train.conllu --dev en-dev.conllu -o en.parser \\
          --system parser --depth 2
      tagloom train train.txt --dev dev.txt -o names.tagloom \\
          --system phrases --degree 2
    """
    require_writable(output, [train_file, dev, test])
    if checkpoint is not None:
        _require_checkpoint(checkpoint, output, [train_file, dev, test, start])
    options = given(
        label=label, scheme=scheme, sequences=sequences, document_features=document_features, direction=direction,
        history=history, cutoff=cutoff, start=start, tags=tags, tag=tag, degree=degree, templates=templates,
        learner=learner, epochs=epochs, patience=patience, seed=seed, threads=threads, depth=depth, beam=beam,
        checkpoint=checkpoint, keep_checkpoint=checkpoint is not None or None,
    )  # fmt: skip
    typed, make_run = _SYSTEMS[checked_system(system, options)]
    chosen = options | typed(set_ or [])
    if resource or system != "phrases":  # phrases have resources of their own unless some are named
        chosen["resources"] = resource_sources(resource or [])
    first = None if start is None else _opened(start)
    if first is not None:
        chosen["start"] = first
    files = {"train": train_file, "dev": dev, "test": test}
    clock, notes = Clock(), list[str]()
    corpora = read_corpora(files, format_name, columns, clock, notes, first, normalise)
    run = make_run(corpora, chosen, clock, notes)
    size = _learn_and_save(run, output)
    if checkpoint is not None and not run.interrupted:
        Path(checkpoint).unlink(missing_ok=True)  # only now that the model is safe
    if json:
        put_json({"model": output, "model_bytes": size, **run.report()})
    else:
        put_scores(run.scores)
    if run.interrupted:
        raise typer.Exit(130)


#: How --set is read for a system, and how it is trained.
_SYSTEMS: dict[str, tuple[Callable[[Sequence[str]], dict[str, object]], type[TrainingRun]]] = {
    TAGGER: (typed_settings, TrainingRun),
    PARSER: (parser_settings, ParserRun),
    PHRASES: (phrase_settings, PhraseRun),
}


def _opened(path: str) -> Model:
    from tagloom.systems import load

    return load(path)


def _require_checkpoint(path: str, output: str, inputs: list[str | None]) -> None:
    require_writable(path, inputs)
    if Path(path).resolve() == Path(output).resolve():
        raise ConfigError(f"{path}: is the model to write too; choose another name for the checkpoint")


def _learn_and_save(run: TrainingRun, output: str) -> int:
    """Train, write the model, then score it; returns the size of the file."""
    model = run.learn()
    with run.clock.phase("save"):
        model.save(output)
    passes = f"{len(model.spec.history)} passes, kept pass {model.spec.best_epoch}"
    log(f"saved {output}: {', '.join(f'{count:,} {name}' for name, count in run.sizes().items())}, {passes}")
    if not run.interrupted:
        run.evaluate()
    return Path(output).stat().st_size
