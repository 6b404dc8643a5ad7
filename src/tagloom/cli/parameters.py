"""How commands declare their options and arguments, and those that several commands share."""

from __future__ import annotations

from typing import Annotated, Any

import typer


def option(metavar: str | None, text: str, *names: str, **others: Any) -> Any:
    """Describe an option that takes a value; without names it is called like its parameter."""
    return typer.Option(*names, metavar=metavar, help=text, **others)


def flag(name: str, text: str) -> Any:
    """Describe an option without a value, which has no opposite."""
    return typer.Option(name, help=text)


def argument(metavar: str, text: str) -> Any:
    """Describe an argument."""
    return typer.Argument(metavar=metavar, help=text)


ModelFile = Annotated[str, argument("MODEL", "Model file made by tagloom train.")]
TrainFile = Annotated[str, argument("TRAIN", "Corpus to learn from.")]
TrainFiles = Annotated[list[str], argument("TRAIN...", "Corpus to learn from, or several that are learned as one.")]
Format = Annotated[
    str | None, option("NAME", "Format of the files, see tagloom convert --help. Default: guessed.", "--format")
]
Columns = Annotated[str | None, option("NAMES", 'Names of the columns of the files, such as "form pos chunk".')]
Normalise = Annotated[
    str | None, option("FORM", "Unicode normal form of the words: NFKC (full-width digits become plain ones) or NFC.")
]
TokenizerName = Annotated[
    str | None,
    option(
        "NAME|FILE",
        "What cuts text into sentences and tokens: unicode, ptb, whitespace, character, or the file of a tokenizer "
        "or pipeline.",
        "--tokenizer",
    ),
]
Threads = Annotated[int, option("N", "Number of threads. Does not change the result.")]
Json = Annotated[bool, flag("--json", "Print one JSON object instead of text.")]
Ray = Annotated[
    str | None,
    option(
        "[ADDRESS]",
        "Run on the workers of a Ray cluster. Without an address (before another option, or last): the cluster of "
        "RAY_ADDRESS, or workers on this machine.",
        "--ray",
    ),
]
_SET = "Any option by its name in Python, such as epochs=5, or tagger.epochs=5 for the tagger of a parser. Repeatable."
Settings = Annotated[list[str] | None, option("KEY=VALUE", _SET, "--set")]


def select_given(**values: object) -> dict[str, Any]:
    """Select the options that were given; the others have the defaults of the library."""
    return {name: value for name, value in values.items() if value is not None}
