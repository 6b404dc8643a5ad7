"""``tagloom templates``: the shipped template sets, to read and to start from."""

from __future__ import annotations

from typing import Annotated

from tagloom._core import attribute_functions
from tagloom.cli.console import build_table, put, put_rich
from tagloom.cli.parameters import argument, flag
from tagloom.features import load_templates
from tagloom.features.global_templates import GLOBAL_SUFFIX, load_global_templates
from tagloom.features.matched import MATCHED
from tagloom.features.sets import list_shipped, read_shipped


def templates(
    name: Annotated[str | None, argument("NAME|FILE", "Set to print. Default: list the sets.")] = None,
    attributes: Annotated[bool, flag("--attributes", "List what a template can look at.")] = False,
) -> None:
    """List the shipped template sets, or print one.

    A template file is printed with its braces expanded.

    \b
    Examples:
      tagloom templates
      tagloom templates chunking > my.templates
      tagloom templates zhang-nivre > my.states
      tagloom templates collins-2002.globals > my.globals
      tagloom templates --attributes
    """
    files = {name: name + suffix for suffix in (".templates", ".states") for name in list_shipped(suffix)}
    files |= {name: name for name in (set_ + ".globals" for set_ in list_shipped(".globals"))}
    if attributes:
        put_rich(build_table(("attribute", "resource", "value"), _list_attributes()))
    elif name is None:
        rows = [(known, read_shipped(file).splitlines()[0].removeprefix("# ")) for known, file in files.items()]
        put_rich(build_table(("name", "for"), rows))
    else:
        put(read_shipped(files[name]) if name in files else str(_read(name)))


def _read(path: str) -> object:
    """Read a template file; global templates are told by the ending of its name."""
    return load_global_templates(path) if path.endswith(GLOBAL_SUFFIX) else load_templates(path)


def _list_attributes() -> list[tuple[str, str, str]]:
    """List attributes of words, then those of tokens in a sentence; N stands for a number, n in the text."""
    of_word = [(f"{name}{'N' * numbered}", "", text) for name, numbered, text in attribute_functions()]
    brown = ("brownN", "brown", "first n bits of the path of the word's cluster")
    folded = ("brown_foldedN", "brown", "the same; other spellings in case stand for words without a cluster")
    casing = ("casing", "casing", "how a text writes the word: lower/title, title/upper and frequency as levels")
    listed = ("lowercased", "lowercased", "1 if the word is mostly written with a small letter, else 0")
    functional = ("functional", "functional", "yes if the word stands in the list as it is written, else none")
    of_token = [(f"{row.name}{'N' * (row.number != 'none')}", row.resource or "", row.help) for row in MATCHED.values()]
    return [*of_word, brown, folded, listed, functional, casing, *of_token]
