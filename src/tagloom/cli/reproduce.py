"""``tagloom reproduce``: the experiments of a paper on the user's corpora, the paper's numbers beside ours."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tagloom.cli.console import log, put, put_json, put_rich, table
from tagloom.cli.options import Json
from tagloom.errors import ConfigError

if TYPE_CHECKING:
    from tagloom.recipes import Experiment, Finished, Recipe

Tell = Callable[[str], None]


def reproduce(
    paper: Annotated[
        str | None,
        typer.Argument(metavar="PAPER", help="Key of the paper, such as he-wang-2012.", show_default=False),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", envvar="TAGLOOM_DATA", help="Folder that holds the corpora."),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="NAME", help="Corpus, system or corpus/system; several: a,b or --only again."),
    ] = None,
    tables: Annotated[
        list[str] | None, typer.Option("--table", metavar="N", help="Only this table of the paper; repeatable.")
    ] = None,
    listing: Annotated[
        bool, typer.Option("--list", help="Show what can be run, with the paper's numbers, and stop.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Write tables, rows and figures there too.")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", metavar="N", min=1, help="Rows of a corpus to run at once.")] = 1,
    cache: Annotated[
        Path | None,
        typer.Option("--cache", metavar="DIR", help="Where finished rows are kept. Default: the user's cache folder."),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run finished rows again.")] = False,
    json: Json = False,
) -> None:
    """Run the experiments of a paper and print its numbers beside ours.

    Finished rows are kept, so that a run that was stopped goes on. Corpora that are not in DIR are skipped.

    \b
    Examples:
      tagloom reproduce --list
      tagloom reproduce he-wang-2012 --list --data DIR
      tagloom reproduce he-wang-2012 --data DIR --only conll2000,pku/DCA
      tagloom reproduce he-wang-2012 --data DIR --table 5 --json
    """
    from tagloom.recipes import recipe_of, select
    from tagloom.recipes.page import make_folder, write_page

    if paper is None:
        _put_papers(listing, json)
        return
    recipe = recipe_of(paper)
    experiments = select(recipe, only or [], tables or [])
    if listing:
        _put_list(recipe, experiments, data, json)
        return
    if output is not None:
        make_folder(output)
    finished = _run(recipe, experiments, data, cache, fresh, jobs)
    if output is not None:
        files, note = write_page(recipe, finished, output)
        log(*(f"wrote {file}" for file in files), *([note] if note else []))
    _put_rows(recipe, finished, json)


def _run(
    recipe: Recipe, experiments: Sequence[Experiment], data: Path | None, cache: Path | None, fresh: bool, jobs: int
) -> list[Finished]:
    from tagloom.recipes import RowCache, default_cache
    from tagloom.recipes import reproduce as run_recipe

    if data is None:
        raise ConfigError(f"name the folder that holds the corpora: tagloom reproduce {recipe.key} --data DIR")
    rows = RowCache((cache or default_cache()) / recipe.key)
    with _shown() as (tell, status):
        try:
            return run_recipe(recipe, experiments, data, rows, fresh=fresh, jobs=jobs, tell=tell, status=status)
        except KeyboardInterrupt:
            tell("stopped; finished rows are kept: the same command goes on from there")
            raise


@contextmanager
def _shown() -> Iterator[tuple[Tell, Tell]]:
    """Where to tell of finished rows and of rows in work; the latter are one changing line on a terminal."""
    if not sys.stderr.isatty():
        yield log, lambda _: None
        return
    from rich.console import Console
    from rich.markup import escape

    console = Console(file=sys.stderr, highlight=False)
    with console.status("reading") as line:
        yield lambda text: console.print(text, markup=False), lambda text: line.update(escape(text))


def _put_rows(recipe: Recipe, finished: Sequence[Finished], json: bool) -> None:
    from tagloom.recipes.page import grids, rows_object

    if json:
        put_json(rows_object(recipe, finished))
        return
    for position, grid in enumerate(grids(recipe, finished)):
        put(f"\n{grid.title}" if position else grid.title)
        put_rich(table(grid.headers, grid.lines, right=grid.headers[1:]))
    for note in recipe.notes(finished):
        put(f"\n{note}")


def _put_papers(listing: bool, json: bool) -> None:
    from tagloom.recipes import PAPERS

    if not listing:
        raise ConfigError(f"name a paper: {', '.join(PAPERS)}; or --list")
    if json:
        papers = [{"paper": key, "title": p.title, "recipe": p.module is not None} for key, p in PAPERS.items()]
        put_json({"papers": papers})
        return
    rows = [[key, "yes" if paper.module else "not yet", paper.title] for key, paper in PAPERS.items()]
    put_rich(table(["paper", "recipe", "title"], rows))


def _put_list(recipe: Recipe, experiments: Sequence[Experiment], data: Path | None, json: bool) -> None:
    from tagloom.recipes.layout import number

    there = {e.corpus: _presence(recipe, e.corpus, data) for e in experiments}
    if json:
        listed = [
            {"name": e.name, "table": e.table, "corpus": e.corpus, "system": e.system, "metric": e.metric,
             "paper": e.paper, "data": None if data is None else there[e.corpus] == "there"}
            for e in experiments
        ]  # fmt: skip
        put_json({"paper": recipe.key, "experiments": listed})
        return
    rows = [[e.table, e.name, e.metric, number(e.paper), there[e.corpus]] for e in experiments]
    put_rich(table(["table", "name", "metric", "paper", "data"], rows, right=["paper"]))


def _presence(recipe: Recipe, corpus: str, data: Path | None) -> str:
    return "? (name --data)" if data is None else recipe.datasets[corpus].missing(data) or "there"
