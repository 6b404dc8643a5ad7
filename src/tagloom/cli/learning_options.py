"""Options of the commands that learn, each with its help text."""

from __future__ import annotations

from typing import Annotated

import typer

_LEARNING = "Learning"

Label = Annotated[
    str | None,
    typer.Option("--label", metavar="NAME", help="Column to learn. Default: label, or the last; CoNLL-U: upos."),
]
Templates = Annotated[
    str | None,
    typer.Option(
        "--templates",
        metavar="NAME|FILE",
        help="Shipped set (see tagloom templates) or template file, CRF++ files too. Default: by the columns.",
        rich_help_panel=_LEARNING,
    ),
]
Resources = Annotated[
    list[str] | None,
    typer.Option(
        "--resource",
        metavar="NAME=PATH",
        help="File or folder: brown, gazetteer, entities, lexicon, lowercased, functional, category or statistics; "
        "gazetteer:ORG=FILE for one list; gazetteer, entities, lexicon, lowercased, functional and statistics =train "
        "are made of TRAIN. Repeatable.",
        rich_help_panel=_LEARNING,
    ),
]
LearnerName = Annotated[
    str | None,
    typer.Option(
        "--learner",
        metavar="NAME",
        help="averaged-perceptron (default), perceptron, pa, pa2, dca, sgd, adf, madf, sgd-l1, lbfgs, owlqn, "
        "margin-perceptron, lookahead-perceptron, beam-perceptron, maxent, maxent-gis, maxent-sgd; of documents: "
        "nonlocal-perceptron, "
        "candidate-perceptron, reranking-1, reranking-2. Of parsers: lookahead-perceptron (default), beam-perceptron.",
        rich_help_panel=_LEARNING,
    ),
]
Scheme = Annotated[
    str | None,
    typer.Option(
        "--scheme",
        metavar="NAME",
        help="Label scheme to decide on, such as BIOES. The model writes the scheme of TRAIN all the same. "
        "Of phrase chunkers: the scheme of TRAIN.",
        rich_help_panel=_LEARNING,
    ),
]
SequenceKind = Annotated[
    str | None,
    typer.Option(
        "--sequences",
        metavar="NAME",
        help="What is labelled as one: sentences, documents, or joined: documents as long sentences. "
        "Default: documents for learners of documents, else sentences.",
        rich_help_panel=_LEARNING,
    ),
]
Direction = Annotated[
    str | None,
    typer.Option(
        "--direction",
        metavar="NAME",
        help="left-to-right (default) or right-to-left, of lookahead-perceptron, beam-perceptron and maxent taggers.",
        rich_help_panel=_LEARNING,
    ),
]
History = Annotated[
    int | None,
    typer.Option(
        "--history",
        metavar="N",
        help="Labels decided before that these see: 1, or 2 for label triples. Default: 1; maxent taggers: 2.",
        rich_help_panel=_LEARNING,
    ),
]
LearningDepth = Annotated[
    int | None,
    typer.Option(
        "--depth",
        metavar="N",
        help="Labels, or actions of a parser, that lookahead-perceptron looks ahead (0 to 1,000). Default: 1.",
        rich_help_panel=_LEARNING,
    ),
]
LearningBeam = Annotated[
    int | None,
    typer.Option(
        "--beam",
        metavar="N",
        help="Hypotheses (1 to 100,000) of beam-perceptron, by default 8, and of maxent taggers, by default 20.",
        rich_help_panel=_LEARNING,
    ),
]
DocumentFeatures = Annotated[
    str | None,
    typer.Option(
        "--document-features",
        metavar="NAMES",
        help="Of phrase, subphrase, phrase-majority, subphrase-majority and conjunction, joined by commas; or none. "
        "Default: all, for learners of documents.",
        rich_help_panel=_LEARNING,
    ),
]
Epochs = Annotated[
    int | None,
    typer.Option(
        "--epochs",
        metavar="N",
        help="Most passes over the data. Default: 10; lbfgs, owlqn, maxent: 200; margin perceptrons, re-ranking and "
        "maxent-gis: 100. Of phrase chunkers: 5.",
        rich_help_panel=_LEARNING,
    ),
]
Patience = Annotated[
    int | None,
    typer.Option(
        "--patience",
        metavar="N",
        help="With --dev, stop after N passes without gain. Default: 5.",
        rich_help_panel=_LEARNING,
    ),
]
Seed = Annotated[
    int | None,
    typer.Option("--seed", metavar="N", help="Fixes the order of the examples. Default: 1.", rich_help_panel=_LEARNING),
]
LearningThreads = Annotated[
    int | None,
    typer.Option(
        "--threads", metavar="N", help="Threads. The model is the same. Default: 1.", rich_help_panel=_LEARNING
    ),
]
Cutoff = Annotated[
    int | None,
    typer.Option(
        "--cutoff",
        metavar="N",
        help="Drop features seen less often. Default: 1. Of phrase chunkers: 5.",
        rich_help_panel=_LEARNING,
    ),
]
FoldUnit = Annotated[
    str | None,
    typer.Option(
        "--by",
        metavar="NAME",
        help="documents: drawn by the seed; sentences: in stretches. Default: documents, if TRAIN has any.",
    ),
]
FoldJobs = Annotated[
    int | None,
    typer.Option("--jobs", metavar="N", help="Folds at the same time. Default: as many as there are cores."),
]
FoldCache = Annotated[
    str | None,
    typer.Option("--cache", metavar="DIR", help="Keeps finished folds: the same command goes on after it was killed."),
]


def given(**options: object) -> dict[str, object]:
    """The options that were given; the others have the defaults of the library."""
    return {name: value for name, value in options.items() if value is not None}
