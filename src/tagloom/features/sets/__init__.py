"""Named template sets, shipped as data: one ``NAME.templates`` file each; those of parsers are ``NAME.states``,
those of whole labellings ``NAME.globals``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from tagloom.errors import ConfigError, unknown_name
from tagloom.features.crfpp import looks_like_crfpp, parse_crfpp
from tagloom.features.templates import TemplateSet, parse_templates

if TYPE_CHECKING:
    from importlib.abc import Traversable

_SUFFIX = ".templates"


def _folder() -> Traversable:
    from importlib import resources  # here, because a model that is loaded has its templates already

    return resources.files(__package__)


def template_set_names() -> list[str]:
    """Names of the shipped sets.

    >>> "chunking" in template_set_names()
    True
    """
    return shipped_names(_SUFFIX)


def shipped_names(suffix: str) -> list[str]:
    """Names of the shipped files of one kind."""
    return sorted(file.name.removesuffix(suffix) for file in _folder().iterdir() if file.name.endswith(suffix))


def shipped_text(name: str) -> str:
    """The text of a shipped file."""
    return _folder().joinpath(name).read_text("utf-8")


def load_templates(source: str | os.PathLike[str] | TemplateSet) -> TemplateSet:
    """A shipped set by name, a template file (ours or CRF++'s) by path, or a template text with a line break."""
    if isinstance(source, TemplateSet):
        return source
    if isinstance(source, str) and ("\n" in source or "[" in source):
        return _parse(source, "templates")
    if isinstance(source, str) and source in template_set_names():
        return parse_templates(shipped_text(source + _SUFFIX), source)
    path = Path(source)
    if not path.is_file():
        raise unknown_name("template set or file", str(source), template_set_names())
    try:
        return _parse(path.read_text("utf-8-sig"), path.name)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read as a template file: {error}") from None


def _parse(text: str, name: str) -> TemplateSet:
    return parse_crfpp(text, name) if looks_like_crfpp(text) else parse_templates(text, name)
