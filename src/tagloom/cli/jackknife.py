"""``tagloom jackknife``: a training corpus with the annotation that models give to it as unseen text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tagloom.cli.console import log, put, put_json
from tagloom.cli.inputs import Input, require_labels, require_writable
from tagloom.cli.options import Columns, Format, Json, Normalise, Settings, TrainFile, read_options
from tagloom.cli.progress import show_trials
from tagloom.errors import ConfigError
from tagloom.systems.registry import DEFAULT_SYSTEM

if TYPE_CHECKING:
    from tagloom.corpus import Corpus
    from tagloom.experiments.jackknife import Jackknifed
    from tagloom.systems import OracleReport


def jackknife(
    train_file: TrainFile,
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="FILE", help="Corpus to write; stdout if -. Its name tells the format."),
    ],
    nbest: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Taggers only. Write the N best labellings with their scores instead, as tag --nbest does.",
        ),
    ] = None,
    folds: Annotated[
        int, typer.Option(metavar="N", help="Number of parts of TRAIN, each annotated by a model of the others.")
    ] = 10,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="What folds are made of: documents, drawn by the seed, or sentences, in stretches. "
            "Default: documents, if TRAIN has any.",
        ),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", help="Folds at the same time. Default: as many as there are cores.")
    ] = None,
    cache: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Folder that keeps finished folds, so that a killed run can continue."),
    ] = None,
    system: str = DEFAULT_SYSTEM,
    columns: Columns = None,
    format_name: Format = None,
    normalise: Normalise = None,
    set_: Settings = None,
    json: Json = False,
    **given: Any,
) -> None:
    """Annotate a training corpus as if it were unseen: every fold by a model of the others.

    Writes TRAIN with predicted columns in the place of the gold ones, in any
    format, and prints their score. A model that reads predicted tags in use,
    such as a parser, should learn from such tags.
    With --nbest N it writes TRAIN as tag --nbest does, in the format of TRAIN
    and with gold labels, which is what a re-ranker learns from. It also prints
    the score of the best candidates (oracle).
    The result does not depend on --jobs. Ctrl-C ends every training after its
    current pass (exit code 130); with --cache the same command continues.

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
    chosen = read_options(system, given, set_)
    if "folds" in chosen.options:
        raise ConfigError("--set folds: --folds are those of jackknifing; those of re-ranking cannot be set here")
    if nbest is not None:
        _require_nbest(nbest)
    notes: list[str] = []
    corpus = require_labels(Input(train_file, format_name, columns, notes, normalise).read())
    if nbest is None:
        _require_format(corpus, output)
    options = {"folds": folds, "by": by, "jobs": jobs, "cache": cache, "nbest": nbest, "normalise": normalise}
    found = _jackknife(corpus, notes, {**options, "system": system, **chosen.options})
    if nbest is None:
        _write(found, output)
    else:
        _write_lists(found, output)
    if json:
        put_json(_report(found, output))
    else:
        (log if output == "-" else put)("\n".join(_list_lines(found)))


def _jackknife(corpus: Corpus, notes: list[str], options: dict[str, Any]) -> Jackknifed:
    from tagloom.experiments.jackknife import jackknife

    with show_trials(notes) as show:
        try:
            return jackknife(corpus, on_progress=show, **options)
        except KeyboardInterrupt:
            kept = "" if options["cache"] is None else "; finished folds are kept: the same command continues"
            log(f"interrupted{kept}")
            raise


def _require_nbest(n: int) -> None:
    from tagloom.systems.options import MOST_CANDIDATES, check_whole_number

    check_whole_number("--nbest", n, 1, MOST_CANDIDATES)


def _require_format(corpus: Corpus, output: str) -> None:
    """Refuse, before hours of work, a format that cannot hold the corpus."""
    from tagloom.corpus.io import format_for, to_string

    to_string(corpus, format_for(corpus, output))


def _write(found: Jackknifed, output: str) -> None:
    from tagloom.corpus import write

    write(found.annotated, output)
    if output != "-":
        names = f"column{'s' * (len(found.columns) > 1)} {' '.join(found.columns)}"
        log(f"wrote {output}: {names} jackknifed in {found.folds} folds of {found.by}")


def _write_lists(found: Jackknifed, output: str) -> None:
    from tagloom.corpus.formats import get_format
    from tagloom.corpus.streams import store

    assert found.lists is not None
    by_document = len(found.candidates) != len(found.corpus)
    annotate = get_format(found.corpus).annotate_nbest
    store(output, annotate(found.corpus, found.candidates, found.layers[-1], found.main, by_document=by_document))
    if output != "-":
        log(f"wrote {output}: {found.lists.n} best jackknifed in {found.folds} folds of {found.by}")


def _list_lines(found: Jackknifed) -> list[str]:
    lists = [] if found.lists is None else [str(found.lists.report), str(found.oracle.signature)]
    return [str(found.score), *lists]


def _report(found: Jackknifed, output: str) -> dict[str, object]:
    facts = {"output": output, "folds": found.folds, "by": found.by, "columns": list(found.columns)}
    lists = {} if found.lists is None else {"nbest": {"n": found.lists.n, **report_lists(found.lists.report)}}
    return {**facts, **found.score.to_dict(), **lists}


def report_lists(report: OracleReport) -> dict[str, object]:
    """Build a report on lists of candidates: how many hold gold, nothing, or one candidate; first and best scores."""
    return {
        "lists": report.lists,
        "with_gold": report.with_gold,
        "without_gold": report.lists - report.with_gold,
        "empty": report.empty,
        "single": report.single,
        "first": report.first.to_dict(),
        "oracle": report.oracle.to_dict(),
    }
