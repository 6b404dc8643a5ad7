"""``tagloom jackknife``: a training corpus with the labels that a tagger gives to it unseen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tagloom.cli.console import log, put, put_json
from tagloom.cli.inputs import Input
from tagloom.cli.learning_options import (
    Cutoff,
    Direction,
    DocumentFeatures,
    Epochs,
    FoldCache,
    FoldJobs,
    FoldUnit,
    History,
    Label,
    LearnerName,
    LearningBeam,
    LearningDepth,
    LearningThreads,
    Resources,
    Scheme,
    Seed,
    SequenceKind,
    Templates,
    given,
)
from tagloom.cli.lists import lists_to_dict
from tagloom.cli.options import Columns, Format, Json, Normalise
from tagloom.cli.outputs import require_writable
from tagloom.cli.progress import shown_trials
from tagloom.cli.settings import resource_sources, typed_settings
from tagloom.cli.training import labelled
from tagloom.errors import ConfigError

if TYPE_CHECKING:
    from tagloom.corpus import Corpus
    from tagloom.systems import Jackknifed, TaggerSpec


def jackknife(
    train_file: Annotated[str, typer.Argument(metavar="TRAIN", help="Corpus to learn from.", show_default=False)],
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="FILE", help="Corpus to write; stdout if -. Its name tells the format."),
    ],
    nbest: Annotated[
        int | None,
        typer.Option(metavar="N", help="Write the N best labellings with their scores instead, as tag --nbest does."),
    ] = None,
    folds: Annotated[int, typer.Option(metavar="N", help="Parts of TRAIN, each tagged by a model of the others.")] = 10,
    by: FoldUnit = None,
    jobs: FoldJobs = None,
    cache: FoldCache = None,
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
    direction: Direction = None,
    history: History = None,
    depth: LearningDepth = None,
    beam: LearningBeam = None,
    epochs: Epochs = None,
    seed: Seed = None,
    threads: LearningThreads = None,
    cutoff: Cutoff = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Any other option of tagloom.train. Repeatable.",
            rich_help_panel="Learning",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Tag a training corpus as if it were unseen: every fold by a model of the others.

    Writes TRAIN with predicted labels in the place of the gold ones, in
    any format, and prints how many of them are right. What reads
    predicted tags in use, such as a parser, should learn from such tags.
    With --nbest N it writes TRAIN as tag --nbest does, in the format of TRAIN,
    gold labels included: what a re-ranker learns from. Then it prints the
    score of the best candidates (oracle), too.
    The tags do not depend on --jobs. Ctrl-C ends every training after
    its pass (exit code 130); with --cache the same command goes on.

    \b
    Examples:
      tagloom jackknife train.conllu -o train.tagged.conllu --label upos
      tagloom jackknife train.txt -o tagged.txt --columns "form pos" \\
          --templates pos --folds 20 --cache folds/
      tagloom jackknife train.txt -o lists.txt --nbest 20 --folds 5
    """
    require_writable(output, [train_file])
    if json and output == "-":
        raise ConfigError("--json: stdout takes the corpus; name a file with -o")
    settings = typed_settings(set_ or [])
    if "folds" in settings:
        raise ConfigError("--set folds: --folds are those of jackknifing; those of re-ranking cannot be set here")
    options = given(
        templates=templates, learner=learner, scheme=scheme, label=label, epochs=epochs, seed=seed, threads=threads,
        cutoff=cutoff, sequences=sequences, document_features=document_features, direction=direction, history=history,
        depth=depth, beam=beam,
    )  # fmt: skip
    options |= settings | {"resources": resource_sources(resource or []), "folds": folds, "by": by, "jobs": jobs}
    notes: list[str] = []
    source = Input.load(train_file, format_name, columns, notes, normalise)
    corpus = labelled(source.read())
    if nbest is None:
        _require_format(corpus, output)
    else:
        _require_number(nbest)
    found = _jackknifed(corpus, notes, {**options, "cache": cache, "nbest": nbest})
    if nbest is None:
        _write(found, output)
    else:
        _write_lists(found, output, source.data)
    if json:
        put_json(_to_dict(found, output))
    else:
        (log if output == "-" else put)("\n".join(_lines(found)))


def _lines(found: Jackknifed) -> list[str]:
    lists = [] if found.lists is None else [str(found.lists.report), str(found.oracle.signature)]
    return [str(found.score), *lists]


def _to_dict(found: Jackknifed, output: str) -> dict[str, object]:
    told = {"output": output, "folds": found.folds, "by": found.by, "label": found.label, **found.score.to_dict()}
    if found.lists is None:
        return told
    return {**told, "nbest": {"n": found.lists.n, **lists_to_dict(found.lists.report)}}


def _jackknifed(corpus: Corpus, notes: list[str], options: dict[str, Any]) -> Jackknifed:
    from tagloom.systems import jackknife

    with shown_trials(notes) as show:
        try:
            return jackknife(corpus, on_progress=show, **options)
        except KeyboardInterrupt:
            kept = "" if options["cache"] is None else "; finished folds are kept: the same command goes on"
            log(f"interrupted{kept}")
            raise


def _require_number(n: int) -> None:
    from tagloom.systems.checks import MOST_CANDIDATES, check_whole_number

    check_whole_number("--nbest", n, 1, MOST_CANDIDATES)


def _require_format(corpus: Corpus, output: str) -> None:
    """Refuse, before hours of work, a format that cannot hold the corpus."""
    from tagloom.corpus.io import format_for, to_string

    to_string(corpus, format_for(corpus, output))


def _write(found: Jackknifed, output: str) -> None:
    from tagloom.corpus import write

    write(found.tagged, output)
    if output != "-":
        log(f"wrote {output}: column {found.label!r} jackknifed in {found.folds} folds of {found.by}")


@dataclass(frozen=True)
class _Models:
    """Those of all folds, as a writer sees them."""

    spec: TaggerSpec
    main: str


def _write_lists(found: Jackknifed, output: str, data: bytes) -> None:
    from tagloom.cli.nbest import nbest_text
    from tagloom.corpus.streams import store

    assert found.lists is not None
    store(output, nbest_text(_Models(found.lists.spec, found.main), found.corpus, found.candidates, data))
    if output != "-":
        log(f"wrote {output}: {found.lists.n} best jackknifed in {found.folds} folds of {found.by}")
