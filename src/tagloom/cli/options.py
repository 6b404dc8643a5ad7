"""Options that several commands share, each with its help text."""

from __future__ import annotations

from typing import Annotated

import typer

ModelFile = Annotated[
    str, typer.Argument(metavar="MODEL", help="Model file made by tagloom train.", show_default=False)
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help="Format of the files: conll, conllu, segmented, characters, slashed, crfsuite, jsonl or text. "
        "Guessed from the content if not named.",
    ),
]
Columns = Annotated[
    str | None,
    typer.Option("--columns", metavar="NAMES", help='Names of the columns of the files, such as "form pos chunk".'),
]
Normalise = Annotated[
    str | None,
    typer.Option(
        "--normalise",
        metavar="FORM",
        help="Unicode normal form to put words into when reading: NFKC (full-width digits become plain) or NFC.",
    ),
]
Threads = Annotated[int, typer.Option("--threads", metavar="N", help="Threads to tag with. The result is the same.")]
Candidates = Annotated[
    int | None,
    typer.Option(
        "--candidates",
        metavar="N",
        help="Labellings among which features of documents, or a re-ranker, choose (1 to 100,000). Default: the "
        "model's.",
    ),
]
Depth = Annotated[
    int | None,
    typer.Option(
        "--depth", metavar="N", help="Decide by lookahead of N labels or actions (0 to 1,000). Default: the model's."
    ),
]
Beam = Annotated[
    int | None,
    typer.Option("--beam", metavar="N", help="Decide with a beam of N (1 to 100,000). Default: the model's."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
