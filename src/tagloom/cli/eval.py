"""``tagloom eval``: scores of a model on a file, of one file against another, or of two columns of one file."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from tagloom.cli.console import log, put, put_json
from tagloom.cli.learning_options import given
from tagloom.cli.models import OpenModels
from tagloom.cli.options import Beam, Candidates, Columns, Depth, Format, Json, Normalise, Threads
from tagloom.errors import ConfigError

if TYPE_CHECKING:
    from tagloom.cli.scorer import Scorer
    from tagloom.evaluate import Interval, Score, Significance

Options: TypeAlias = dict[str, Any]  # the fields of a Scorer


def evaluate(
    first: Annotated[str, typer.Argument(metavar="GOLD|MODEL", help="Corpus or model.", show_default=False)],
    second: Annotated[
        str | None,
        typer.Argument(metavar="PRED|FILE", help="Corpus with predicted labels, or, after a model, with gold labels."),
    ] = None,
    rule: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="conlleval: spans as conlleval reads them (default). strict: only well-formed spans. accuracy: "
            "labels only.",
        ),
    ] = None,
    label: Annotated[
        str | None, typer.Option(metavar="NAME", help="Column of the labels. Default: the model's, else the last.")
    ] = None,
    scheme: Annotated[
        str | None, typer.Option(metavar="NAME", help="Label scheme of GOLD, such as IOB1. Detected if not named.")
    ] = None,
    format_name: Format = None,
    columns: Columns = None,
    normalise: Normalise = None,
    bootstrap: Annotated[
        int, typer.Option(metavar="N", min=0, help="Confidence interval at 95 % from N samples, such as 1000.")
    ] = 0,
    compare: Annotated[
        str | None,
        typer.Option(metavar="PRED2", help="Another system, a corpus or a model: is the difference significant?"),
    ] = None,
    candidates: Candidates = None,
    depth: Depth = None,
    beam: Beam = None,
    threads: Threads = 1,
    conlleval: Annotated[bool, typer.Option("--conlleval", help="Print what conlleval.pl prints.")] = False,
    trees: Annotated[
        bool,
        typer.Option("--trees", help="Score heads and relations: columns head and deprel. Implied by a parser."),
    ] = False,
    punctuation: Annotated[
        str | None,
        typer.Option(
            metavar="RULE",
            help="Of trees, leave punctuation out: upos, penn (tags), penn-brackets or unicode (as CoNLL-X). "
            "Default: all tokens count.",
        ),
    ] = None,
    universal: Annotated[
        bool, typer.Option("--universal", help="Of trees, compare relations without subtypes (nsubj:pass as nsubj).")
    ] = False,
    json: Json = False,
) -> None:
    """Score predicted labels, or trees.

    A model and a corpus: the model tags, or parses, the corpus.
    Two corpora: they have equal tokens; their labels are compared.
    One corpus: its last two columns are gold and predicted labels.
    With --trees, two corpora: the heads and relations of their words.

    \b
    Examples:
      tagloom eval model.tagloom test.txt
      tagloom eval test.txt tagged.txt --bootstrap 1000
      tagloom eval test.txt system1.txt --compare system2.txt
      tagloom tag model.tagloom test.txt | tagloom eval - --conlleval
      tagloom eval gold.conllu parsed.conllu --trees
      tagloom eval en.parser test.conllu --compare other.parser
    """
    models = OpenModels()
    options: Options = {
        "rule": rule, "label": label, "scheme": scheme, "format": format_name, "columns": columns, "threads": threads,
        "normalise": normalise, "search": given(candidates=candidates, depth=depth, beam=beam), "models": models,
    }  # fmt: skip
    if trees or models.has_parser([first, second, compare]):
        scorer = _tree_scorer(options, punctuation, universal)
    else:
        scorer = _label_scorer(options, punctuation, universal)
    gold, system = scorer.roles(first, second)
    score = scorer.score(gold, system)
    interval = _interval(score, bootstrap) if bootstrap else None
    rival = _rival(scorer, gold, compare, score) if compare else None
    layout = conlleval_layout(score) if conlleval else "\n".join(map(str, filter(None, [score, interval, rival])))
    log(*scorer.notes)
    if json:
        put_json(_report(scorer, first, second, score, interval, rival))
    else:
        put(layout)


def _label_scorer(options: Options, punctuation: str | None, universal: bool) -> Scorer:
    from tagloom.cli.scorer import Scorer

    for option, is_given in (("--punctuation", punctuation is not None), ("--universal", universal)):
        if is_given:
            raise ConfigError(f"{option} is for trees; add --trees, or leave it out")
    return Scorer(**options)


def _tree_scorer(options: Options, punctuation: str | None, universal: bool) -> Scorer:
    from tagloom.cli.tree_scorer import TreeScorer

    return TreeScorer(**options, punctuation=punctuation, universal=universal)


def _interval(score: Score, samples: int) -> Interval:
    from tagloom.evaluate import bootstrap

    return bootstrap(score.counts_of(score.metric), score.metric, samples)


def _rival(scorer: Scorer, gold: str, path: str, score: Score) -> Significance:
    from tagloom.evaluate import compare

    other = scorer.score(gold, path)
    heads_alone = {score.metric, other.metric} == {"las", "uas"}  # one of two parsers knows no relations
    return compare(score, other, metric="uas" if heads_alone else None)


def conlleval_layout(score: Score) -> str:
    from tagloom.evaluate import conlleval_report

    if score.kind != "spans":
        raise ConfigError(f"conlleval's layout is for spans, these labels are scored as {score.kind}")
    return conlleval_report(score)


def _report(
    scorer: Scorer,
    first: str,
    second: str | None,
    score: Score,
    interval: Interval | None,
    rival: Significance | None,
) -> dict[str, object]:
    values: dict[str, object] = {"files": [name for name in (first, second) if name], **score.to_dict()}
    if interval is not None:
        values["interval"] = asdict(interval)
    if rival is not None:
        values["comparison"] = {**asdict(rival), "difference": rival.difference}
    return {**values, "seconds": scorer.clock.seconds()}
