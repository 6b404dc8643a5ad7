"""Template files of CRF++: ``U05:%x[-1,0]/%x[0,0]``, ``B``, ``B01:%x[0,1]``.

``%x[row,column]`` is the value of a column (counted from 0) at a relative token. ``U`` lines are features of the label,
``B`` lines are features of the label pair; a line ``B`` stands for plain transitions. As in CRF++, a feature is the
line with its macros replaced by values: equal macros are different features if the identifiers of their lines differ,
and lines without an identifier (``U:%x[-1,0]``, ``U:%x[0,0]``) share their features, whatever the position.
"""

from __future__ import annotations

import re

from tagloom._core import MAX_OFFSET
from tagloom.errors import ConfigError
from tagloom.features.templates import Part, Template, TemplateSet, build_set, iterate_lines

_LINE = re.compile(r"[UB][^\s:]*(?::.*)?")
_MACRO = re.compile(r"%x\[\s*(-?[0-9]{1,9})\s*,\s*([0-9]{1,9})\s*\]")


def looks_like_crfpp(text: str) -> bool:
    """Whether a line that is not a comment has a macro, or all lines are like ``B``."""
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    return any("%x" in line for line in lines) or (bool(lines) and all(re.fullmatch(r"[UB]\w*:?", s) for s in lines))


def parse_crfpp(text: str, name: str) -> TemplateSet:
    r"""Parse a CRF++ template file.

    >>> [str(part) for part in parse_crfpp("U05:%x[-1,0]/%x[0,0]\nB", "chunk.tpl").templates[0].parts]
    ['form(#0)[-1]', 'form(#0)[0]']
    """
    lines = ((where, line.strip()) for where, line in iterate_lines(text, name))
    parsed = (_parse_line(line, where) for where, line in lines if line and not line.startswith("#"))
    return build_set(name, parsed, "lines such as U00:%x[0,0]")


def _parse_line(line: str, where: str) -> Template:
    if _LINE.fullmatch(line) is None:
        raise ConfigError(f"{where}: expected a CRF++ line such as U00:%x[0,0] or B, found {line!r}")
    identifier, _, body = line.partition(":")
    if "%" in identifier:
        raise ConfigError(f"{where}: expected macros after a colon, found {line!r}")
    if "%" in _MACRO.sub("", body):
        raise ConfigError(f"{where}: expected macros of the form %x[row,column], found {body!r}")
    parts = []
    for row, column in _MACRO.findall(body):
        if abs(int(row)) > MAX_OFFSET:
            raise ConfigError(f"{where}: expected a row from -{MAX_OFFSET} to {MAX_OFFSET}, found {row}")
        parts.append(Part("form", int(row), column=f"#{column}"))
    return Template(tuple(parts), edge=identifier[0] == "B", tag=f"{identifier}:{_MACRO.sub('%x', body)}")
