"""The commands of ``tagloom``, wired together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated

import typer

from tagloom._version import __version__
from tagloom.cli.compare import compare
from tagloom.cli.convert import convert
from tagloom.cli.demo import demo
from tagloom.cli.draw import draw
from tagloom.cli.eval import evaluate
from tagloom.cli.explain import explain
from tagloom.cli.inspect import inspect
from tagloom.cli.jackknife import jackknife
from tagloom.cli.options import (
    Command,
    OptionsBySystem,
    add_flags,
    collect_flags,
    list_rerank_options,
    list_search_options,
    list_training_options,
)
from tagloom.cli.reproduce import reproduce
from tagloom.cli.rerank import rerank
from tagloom.cli.tag import tag
from tagloom.cli.templates import templates
from tagloom.cli.train import train
from tagloom.cli.tune import tune

COMMANDS: dict[str, Command] = {
    "train": train,
    "tag": tag,
    "eval": evaluate,
    "compare": compare,
    "tune": tune,
    "jackknife": jackknife,
    "rerank": rerank,
    "inspect": inspect,
    "explain": explain,
    "convert": convert,
    "draw": draw,
    "templates": templates,
    "reproduce": reproduce,
    "demo": demo,
}
#: The options of systems that a command takes.
_GENERATED: dict[str, Callable[[], OptionsBySystem]] = {
    **dict.fromkeys(("train", "compare", "tune", "jackknife"), list_training_options),
    **dict.fromkeys(("tag", "eval"), list_search_options),
    "rerank": list_rerank_options,
}


def build_app(arguments: Sequence[str]) -> typer.Typer:
    """Build the command line for some arguments.

    Options are generated for the command that the arguments name, and for no other one: this imports the systems.
    """
    app = typer.Typer(
        add_completion=False, rich_markup_mode="rich", context_settings={"help_option_names": ["-h", "--help"]}
    )
    app.callback(invoke_without_command=True)(tagloom)
    called = next((argument for argument in arguments if not argument.startswith("-")), None)
    for name, command in COMMANDS.items():
        list_options = _GENERATED.get(name) if name == called else None
        app.command(name)(add_flags(command, [] if list_options is None else collect_flags(list_options())))
    return app


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
