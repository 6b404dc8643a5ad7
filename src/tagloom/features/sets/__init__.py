"""The shipped template sets, one file each.

Sets of taggers are in ``NAME.templates``, of parsers in ``NAME.states``, of global features in ``NAME.globals``.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from tagloom.arguments import check_arguments
from tagloom.errors import ConfigError, show_value, unknown_name
from tagloom.features.crfpp import looks_like_crfpp, parse_crfpp
from tagloom.features.templates import TemplateSet, parse_templates
from tagloom.features.wapiti import looks_like_wapiti, parse_wapiti

if TYPE_CHECKING:
    from importlib.abc import Traversable

_SUFFIX = ".templates"
_Set = TypeVar("_Set")


def _folder() -> Traversable:
    from importlib import resources  # not at the top: a loaded model already has its templates

    return resources.files(__package__)


def list_template_sets() -> list[str]:
    """List the names of the shipped sets.

    >>> "chunking" in list_template_sets()
    True
    """
    return list_shipped(_SUFFIX)


def list_shipped(suffix: str) -> list[str]:
    """List the names of the shipped files with a suffix.

    >>> list_shipped(".states"), list_shipped(".globals")  # doctest: +NORMALIZE_WHITESPACE
    (['huang-sagae', 'parsing', 'parsing-extended', 'parsing-hybrid', 'parsing-relations', 'zhang-nivre'],
     ['collins-2002', 'entities'])
    """
    return sorted(file.name.removesuffix(suffix) for file in _folder().iterdir() if file.name.endswith(suffix))


def read_shipped(name: str) -> str:
    """Read a shipped file."""
    return _folder().joinpath(name).read_text("utf-8")


@check_arguments
def load_templates(source: str | os.PathLike[str] | TemplateSet) -> TemplateSet:
    """Load a shipped set by name, a template file by path, or a template text with a line break.

    Template files of CRF++ and pattern files of Wapiti are recognised.

    Raises:
        ConfigError: There is no such set or file, or a line is not legal.
    """
    if isinstance(source, TemplateSet):
        return source
    return load_set(source, _SUFFIX, "templates", "template set", "\n[", _parse)


def _parse(text: str, name: str) -> TemplateSet:
    if looks_like_wapiti(text):
        return parse_wapiti(text, name)
    return parse_crfpp(text, name) if looks_like_crfpp(text) else parse_templates(text, name)


def load_set(source: object, suffix: str, noun: str, title: str, marks: str, parse: Callable[[str, str], _Set]) -> _Set:
    """Load templates of any kind: a shipped set by name, a file by path, or a text that has one of the ``marks``."""
    if not isinstance(source, (str, os.PathLike)):
        raise ConfigError(f"{noun}: expected a name, a file or template text, got {show_value(source)}")
    if isinstance(source, str) and not set(marks).isdisjoint(source):
        return parse(source, "templates")
    if isinstance(source, str) and source in list_shipped(suffix):
        return parse(read_shipped(source + suffix), source)
    path = Path(source)
    if not _is_file(path):
        raise unknown_name(f"{title} or file", f"{source!s:.80}", list_shipped(suffix), most=24)
    try:
        return parse(path.read_text("utf-8-sig"), path.name)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read as a template file: {error}") from None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False
