"""The commands of ``tagloom``, wired together."""

from __future__ import annotations

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
from tagloom.cli.reproduce import reproduce
from tagloom.cli.rerank import rerank
from tagloom.cli.tag import tag
from tagloom.cli.templates import templates
from tagloom.cli.train import train
from tagloom.cli.tune import tune

app = typer.Typer(
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command()(train)
app.command()(tag)
app.command("eval")(evaluate)
app.command()(compare)
app.command()(tune)
app.command()(jackknife)
app.command()(rerank)
app.command()(inspect)
app.command()(explain)
app.command()(convert)
app.command()(draw)
app.command()(templates)
app.command()(reproduce)
app.command()(demo)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tagloom {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the stack of an error; may stand anywhere.")] = False,
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
