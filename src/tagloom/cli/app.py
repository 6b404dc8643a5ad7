"""The commands of ``tagloom``, wired together. A module of this package holds each; only the one called is imported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Annotated

import typer

from tagloom._version import __version__

#: The first lines of the commands' help texts.
COMMANDS = {
    "train": "Train a model.",
    "tag": "Tag, or parse, a corpus or running text.",
    "eval": "Score predicted labels, trees, or treebanks made from raw text.",
    "report": "Report what a model gets right and wrong, as one HTML page.",
    "compare": "Compare learners: the same features, encoded once, and the score of each learner on test data.",
    "tune": "Find the best options: train with every combination, compare on DEV.",
    "jackknife": "Annotate a training corpus as if it were unseen: every fold by a model of the others.",
    "suggest": "Suggest sentences of a pool to annotate next.",
    "rerank": "Train a re-ranker: it chooses among the N best labellings of a tagger by features of whole labellings.",
    "ensemble": "Join taggers to one model, which decides by the mean of their probabilities.",
    "inspect": "Show what a model was made of, how training went, and the heaviest weights.",
    "verify": "Check model files and checkpoints completely.",
    "explain": "Explain the labels, or the tree, of a sentence.",
    "serve": "Serve models over HTTP, with a page to try them on.",
    "clusters": "Make clusters of words from raw text, or from dense vectors.",
    "convert": "Convert a corpus: format, columns, label scheme.",
    "draw": "Draw dependency trees.",
    "crfpp-learn": "Train a tagger as crf_learn of CRF++ does.",
    "crfpp-test": "Tag column files as crf_test of CRF++ does.",
    "card": "Write a model folder with a model card, for the Hugging Face Hub.",
    "templates": "List the shipped template sets, or print one.",
    "reproduce": "Run the experiments of a paper and print its numbers beside ours.",
    "demo": "Train a part-of-speech tagger on bundled Indonesian news, score it, show a sentence.",
}


def build_app(arguments: Sequence[str]) -> typer.Typer:
    """Build the command line for some arguments; the command that they name is imported and gets its options."""
    app = typer.Typer(
        add_completion=False, rich_markup_mode="rich", context_settings={"help_option_names": ["-h", "--help"]}
    )
    app.callback(invoke_without_command=True)(tagloom)
    called = next((argument for argument in arguments if not argument.startswith("-")), None)
    for name, line in COMMANDS.items():
        if name == called:
            app.command(name)(_load_command(name))
        else:
            app.command(name, help=line)(lambda: None)
    return app


def _load_command(name: str) -> Callable[..., None]:
    from tagloom.cli.options import GENERATED, add_flags, collect_flags

    file = name.replace("-", "_")
    module = import_module(f"tagloom.cli.{file}")
    command = module.evaluate if name == "eval" else getattr(module, file)  # eval is a function of Python
    return add_flags(command, collect_flags(GENERATED[name]()) if name in GENERATED else ())


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tagloom {__version__}")
        raise typer.Exit


def tagloom(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the stack trace of an error. Can stand anywhere.")
    ] = False,
) -> None:
    """Fast linear models of structured output: POS tags, chunks, named entities, word segmentation, trees.

    \b
    Examples:
      tagloom demo
      tagloom train train.txt --dev dev.txt -o model.tagloom
      tagloom tag model.tagloom text.txt
      tagloom eval model.tagloom test.txt
      tagloom train en.conllu --system parser -o en.parser
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
