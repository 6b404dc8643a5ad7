"""``tagloom draw``: dependency trees as text or SVG."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from tagloom.cli.console import log, put
from tagloom.cli.inputs import Input
from tagloom.cli.options import Columns, Format
from tagloom.cli.outputs import require_writable
from tagloom.errors import ConfigError, DataError

if TYPE_CHECKING:
    from tagloom.corpus import Corpus


def draw(
    source: Annotated[
        str, typer.Argument(metavar="FILE", help="Corpus with trees, such as CoNLL-U; stdin if -.", show_default=False)
    ],
    sentence: Annotated[
        int | None, typer.Option(metavar="N", help="Sentence to draw, counted from 1. Default: all of them.")
    ] = None,
    svg: Annotated[
        str | None, typer.Option(metavar="OUT", help="Write one sentence as SVG to this file; stdout if -.")
    ] = None,
    style: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="arcs or indented. Default: arcs, unless they are wider than the terminal."),
    ] = None,
    plain: Annotated[bool, typer.Option("--ascii", help="Draw with ASCII characters.")] = False,
    tags: Annotated[
        str | None, typer.Option(metavar="NAME", help="Column of the tags to show. Default: upos, xpos, pos or tag.")
    ] = None,
    format_name: Format = None,
    columns: Columns = None,
) -> None:
    """Draw dependency trees.

    The heads stand in the column head, relations in deprel, as in CoNLL-U;
    the columns of other files are named with --columns.

    \b
    Examples:
      tagloom draw en.conllu --sentence 3
      tagloom draw en.conllu --sentence 3 --svg tree.svg
      tagloom draw wsj.dep.tsv --columns "form pos head" | less
    """
    from tagloom.corpus import trees_of
    from tagloom.corpus.files import store
    from tagloom.report import SentenceTree, tree_svg, tree_text

    if svg is not None:
        require_writable(svg, [source])
    notes: list[str] = []
    corpus = Input.load(source, format_name, columns, notes).read()
    trees = trees_of(corpus)
    chosen = _chosen(corpus, sentence, svg)
    drawn = [SentenceTree.from_corpus(corpus, trees, index, tags) for index in chosen]
    if svg is not None:
        store(svg, tree_svg(drawn[0]))
    else:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        put("\n\n".join(tree_text(tree, style, width=width, plain=plain) for tree in drawn))
    log(*notes)


def _chosen(corpus: Corpus, sentence: int | None, svg: str | None) -> range:
    """The sentences to draw, counted from 0."""
    if sentence is not None:
        if not 1 <= sentence <= len(corpus):
            raise DataError(f"{corpus.source}: no sentence {sentence}; it has sentences 1 to {len(corpus)}")
        return range(sentence - 1, sentence)
    if svg is not None and len(corpus) > 1:
        raise ConfigError(f"--svg draws one sentence, {corpus.source} has {len(corpus)}; choose with --sentence N")
    return range(len(corpus))
