"""``tagloom reproduce``: the experiments of papers on your corpora, their numbers beside ours, and the best models."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

from tagloom.cli.console import build_table, log, put, put_json, put_rich
from tagloom.cli.parameters import Json, Ray, argument, flag, option
from tagloom.errors import ConfigError
from tagloom.experiments.grid import pick
from tagloom.recipes import BEST, PAPERS, Experiment, Finished, Recipe, RowCache, get_default_cache, get_recipe, select
from tagloom.recipes import reproduce as run_recipe
from tagloom.recipes.layout import number
from tagloom.recipes.page import grids, rows_to_dict, write_page
from tagloom.report.files import open_folder

Tell = Callable[[str], None]


def reproduce(
    paper: Annotated[
        str | None, argument("PAPER", "Key of the paper, such as he-wang-2012, or of a task, such as best-conll2000.")
    ] = None,
    data: Annotated[Path | None, option("DIR", "Folder that holds the corpora.", envvar="TAGLOOM_DATA")] = None,
    only: Annotated[
        list[str] | None,
        option("NAME", "Corpus, system or corpus/system to run; several are joined by commas. Repeatable."),
    ] = None,
    tables: Annotated[list[str] | None, option("N", "Run only this table of the paper. Repeatable.", "--table")] = None,
    listing: Annotated[bool, flag("--list", "List what can be run, with the numbers of the paper, and stop.")] = False,
    output: Annotated[Path | None, option("DIR", "Folder for tables, rows and figures.", "--output", "-o")] = None,
    jobs: Annotated[int, option("N", "Number of rows of a corpus to run at the same time.", min=1)] = 1,
    ray: Ray = None,
    cache: Annotated[
        Path | None, option("DIR", "Folder that keeps finished rows. Default: the cache folder of the user.")
    ] = None,
    fresh: Annotated[bool, flag("--fresh", "Run finished rows again.")] = False,
    json: Json = False,
) -> None:
    """Run the experiments of a paper and print its numbers beside ours.

    best-TASK trains and scores the best model of a task. Finished rows are
    kept, so that the same command continues after it was stopped. Corpora
    that are not in DIR are skipped.

    \b
    Examples:
      tagloom reproduce --list
      tagloom reproduce he-wang-2012 --list --data DIR
      tagloom reproduce he-wang-2012 --data DIR --only conll2000,pku/DCA
      tagloom reproduce he-wang-2012 --data DIR --table 5 --json
      tagloom reproduce best-conll2003-en --data DIR
    """
    if paper is None:
        _put_papers(listing, json)
        return
    recipe = get_recipe(paper)
    experiments = select(recipe, only or [], tables or [])
    if listing:
        _put_list(recipe, experiments, data, json)
        return
    if output is not None:
        open_folder(output)
    if data is None:
        raise ConfigError(f"name the folder that holds the corpora: tagloom reproduce {recipe.key} --data DIR")
    rows = RowCache((cache or get_default_cache()) / recipe.key)
    with _show_rows() as (tell, status):
        try:
            finished = run_recipe(
                recipe, experiments, data, rows, fresh=fresh, jobs=jobs, ray=ray, tell=tell, status=status
            )
        except KeyboardInterrupt:
            tell("stopped; finished rows are kept: the same command continues from there")
            raise
    if output is not None:
        files, note = write_page(recipe, finished, output)
        log(*(f"wrote {file}" for file in files), *([note] if note else []))
    _put_rows(recipe, finished, json)


@contextmanager
def _show_rows() -> Iterator[tuple[Tell, Tell]]:
    """Yield functions that tell of finished rows, and of rows in work: one changing line on a terminal."""
    if not sys.stderr.isatty():
        yield log, lambda _: None
        return
    from rich.console import Console
    from rich.markup import escape

    console = Console(file=sys.stderr, highlight=False)
    with console.status("reading") as line:
        yield lambda text: console.print(text, markup=False), lambda text: line.update(escape(text))


def _put_rows(recipe: Recipe, finished: Sequence[Finished], json: bool) -> None:
    if json:
        put_json(rows_to_dict(recipe, finished))
        return
    for position, grid in enumerate(grids(recipe, finished)):
        put(f"\n{grid.title}" if position else grid.title)
        put_rich(build_table(grid.headers, grid.lines, right=grid.headers[1:]))
    for note in recipe.notes(finished):
        put(f"\n{note}")


def _put_papers(listing: bool, json: bool) -> None:
    titles = {**{key: paper.title for key, paper in PAPERS.items()}, **BEST}
    if not listing:
        raise ConfigError(f"name a paper or a task: {', '.join(titles)}; or --list")
    if json:
        put_json({"papers": [{"paper": key, "title": title, "recipe": True} for key, title in titles.items()]})
        return
    put_rich(build_table(["name", "title"], [[key, title] for key, title in titles.items()]))


def _put_list(recipe: Recipe, experiments: Sequence[Experiment], data: Path | None, json: bool) -> None:
    there = {
        e.corpus: "? (name --data)" if data is None else recipe.datasets[e.corpus].missing(data) or "there"
        for e in experiments
    }
    if json:
        names = "name table corpus system metric paper"
        is_there = {corpus: None if data is None else text == "there" for corpus, text in there.items()}
        listed = [{**pick(e, names), "data": is_there[e.corpus]} for e in experiments]
        put_json({"paper": recipe.key, "experiments": listed})
        return
    rows = [[e.table, e.name, e.metric, number(e.paper), there[e.corpus]] for e in experiments]
    put_rich(build_table(["table", "name", "metric", "paper", "data"], rows, right=["paper"]))
