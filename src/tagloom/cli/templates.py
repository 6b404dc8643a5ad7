"""``tagloom templates``: the shipped template sets, to look at and to start from."""

from __future__ import annotations

from importlib import resources
from typing import Annotated

import typer

from tagloom.cli.console import put, put_rich, table


def templates(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME|FILE", help="Set to print. Left out: list the sets.")
    ] = None,
) -> None:
    """List the shipped template sets, or print one.

    A template file is printed with its braces expanded.

    \b
    Examples:
      tagloom templates
      tagloom templates chunking > my.templates
    """
    from tagloom.features import load_templates, template_set_names

    names = template_set_names()
    if name is None:
        put_rich(table(("name", "for"), [(known, _text(known).splitlines()[0].removeprefix("# ")) for known in names]))
    else:
        put(_text(name) if name in names else str(load_templates(name)))


def _text(name: str) -> str:
    return resources.files("tagloom.features.sets").joinpath(f"{name}.templates").read_text("utf-8")
