"""``tagloom jackknife``: a training corpus with the annotation that models give to it as unseen text."""

from __future__ import annotations

from typing import Annotated, Any

import tagloom
from tagloom.cli.console import log, put, put_json
from tagloom.cli.inputs import require_labels, require_writable
from tagloom.cli.options import read_options
from tagloom.cli.parameters import Columns, Format, Json, Normalise, Ray, Settings, TrainFile, option
from tagloom.cli.progress import show_trials
from tagloom.corpus import write
from tagloom.corpus.formats import get_format
from tagloom.corpus.io import format_for, to_content
from tagloom.corpus.streams import store
from tagloom.errors import ConfigError
from tagloom.experiments.jackknife import Jackknifed
from tagloom.systems import OracleReport
from tagloom.systems.inputs import Input
from tagloom.systems.options import MOST_CANDIDATES, check_whole_number
from tagloom.systems.registry import DEFAULT_SYSTEM


def jackknife(
    train_file: TrainFile,
    output: Annotated[
        str, option("FILE", "Corpus to write; stdout if -. Its name tells the format.", "--output", "-o")
    ],
    nbest: Annotated[
        int | None,
        option("N", "Taggers only. Write the N best labellings with their scores instead, as tag --nbest does."),
    ] = None,
    folds: Annotated[int, option("N", "Number of parts of TRAIN, each annotated by a model of the others.")] = 10,
    by: Annotated[
        str | None,
        option(
            "NAME",
            "What folds are made of: documents, drawn by the seed, or sentences, in stretches. "
            "Default: documents, if TRAIN has any.",
        ),
    ] = None,
    jobs: Annotated[int | None, option("N", "Folds at the same time. Default: as many as there are cores.")] = None,
    ray: Ray = None,
    cache: Annotated[
        str | None, option("DIR", "Folder that keeps finished folds, so that a killed run can continue.")
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
        check_whole_number("--nbest", nbest, 1, MOST_CANDIDATES)
    notes: list[str] = []
    corpus = require_labels(Input(train_file, format_name, columns, notes, normalise).read())
    if nbest is None:
        to_content(corpus, format_for(corpus, output))  # before hours of work: a format may not hold the corpus
    with show_trials(notes) as show:
        try:
            found = tagloom.jackknife(
                corpus, system=system, nbest=nbest, folds=folds, by=by, jobs=jobs, ray=ray, cache=cache,
                normalise=normalise, on_progress=show, **chosen.options
            )  # fmt: skip
        except KeyboardInterrupt:
            log(f"interrupted{'' if cache is None else '; finished folds are kept: the same command continues'}")
            raise
    if nbest is None:
        _write(found, output)
    else:
        _write_lists(found, output)
    if json:
        put_json(_report(found, output))
    else:
        lists = [] if found.lists is None else [found.lists.report, found.oracle.signature]
        (log if output == "-" else put)("\n".join(map(str, [found.score, *lists])))


def _write(found: Jackknifed, output: str) -> None:
    write(found.annotated, output)
    if output != "-":
        names = f"column{'s' * (len(found.columns) > 1)} {' '.join(found.columns)}"
        log(f"wrote {output}: {names} jackknifed in {found.folds} folds of {found.by}")


def _write_lists(found: Jackknifed, output: str) -> None:
    assert found.lists is not None
    by_document = len(found.candidates) != len(found.corpus)
    annotate = get_format(found.corpus).annotate_nbest
    store(output, annotate(found.corpus, found.candidates, found.layers[-1], found.main, by_document=by_document))
    if output != "-":
        log(f"wrote {output}: {found.lists.n} best jackknifed in {found.folds} folds of {found.by}")


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
