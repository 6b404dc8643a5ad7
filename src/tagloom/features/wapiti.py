"""Pattern files of Wapiti: ``u:word=%x[0,0]``, ``*:suffix=%m[0,0,".?.?$"]``, ``b``.

``u`` lines are features of the label, ``b`` lines of the label pair, ``*`` lines of both; a line ``b`` stands for plain
transitions. ``%x[row,column]`` is a value as in CRF++, ``%t[row,column,"regex"]`` is ``true`` or ``false``, and
``%m[row,column,"regex"]`` is the first match. Capital letters (``%X``, ``%M``) lower-case the value. ``[@1,0]`` is the
first token of the sentence and ``[@-1,0]`` the last one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from tagloom._core import MAX_OFFSET, Macro
from tagloom.errors import ConfigError
from tagloom.features.templates import MACRO, Part, Template, TemplateSet, build_set, iterate_lines
from tagloom.schema import Field

_MACRO = re.compile(
    r'%(?P<command>[xXtTmM])\[\s*(?P<place>@?)\s*(?P<row>[+-]?\d{1,9})\s*,\s*(?P<column>\d{1,6})\s*'
    r'(?:,\s*"(?P<pattern>(?:\\.|[^"\\])*)"\s*)?\]'
)  # fmt: skip
_WITHOUT_MACROS = re.compile(r"[uUbB*](?::.*)?")
_EXAMPLES = 'a macro such as %x[-1,0] or %m[0,0,"..$"]'
_FARTHEST = 1_000_000  # place in a sentence
_TOLD_APART = 5  # distances from the sentence that have a word of their own, or stand for all that are farther


@dataclass(frozen=True)
class MacroPart(Part):
    """A macro of Wapiti at a position relative to the current token, or at a fixed place of the sentence."""

    command: Annotated[str, Field("Command of the macro.", choices=("x", "X", "t", "T", "m", "M"))] = "x"
    pattern: Annotated[str, Field("Regular expression of `t` and `m`.")] = ""
    place: Annotated[
        int | None, Field("Place in the sentence: 1 is the first token, -1 the last.", low=-_FARTHEST, high=_FARTHEST)
    ] = None

    def __post_init__(self) -> None:
        """Refuse a pattern or place that the core cannot read."""
        if self.place is not None and abs(self.place) > _FARTHEST:
            raise ConfigError(f"{self.macro}: expected a place of at most {_FARTHEST:,}")
        self.compile()

    def compile(self) -> Macro:
        """Compile the macro for the core."""
        try:
            return Macro(self.command, self.pattern)
        except ValueError as error:
            raise ConfigError(f"{self.macro}: {error}") from None

    @property
    def is_lexical(self) -> bool:
        """Whether the value is the word or a part of it, not the answer to a test."""
        return self.command in "xXmM"

    @property
    def attribute(self) -> str:
        """The macro without its row."""
        return self._write("" if self.place is None else f"@{self.place}")

    @property
    def macro(self) -> str:
        """The macro as it stands in a pattern."""
        return self._write(str(self.offset) if self.place is None else f"@{self.place}")

    def _write(self, row: str) -> str:
        pattern = f',"{self.pattern}"' if self.command in "tTmM" else ""
        return f"%{self.command}[{row},{(self.column or '')[1:]}{pattern}]"

    def __str__(self) -> str:
        return self.macro


def looks_like_wapiti(text: str) -> bool:
    """Whether lines are patterns, and one of them is none of CRF++: in its first letter, or in a macro."""
    lines = _strip_lines(text)
    if not any(_MACRO.search(line) for line in lines):
        return any(line[0] in "ub*" for line in lines) and all(map(_WITHOUT_MACROS.fullmatch, lines))
    macros = [macro for line in lines for macro in _MACRO.finditer(line)]
    return any(line[0] in "ub*" for line in lines) or any(each["command"] != "x" or each["place"] for each in macros)


def parse_wapiti(text: str, name: str) -> TemplateSet:
    r"""Parse a pattern file of Wapiti.

    >>> [str(part) for part in parse_wapiti('u:last=%X[-1,0]\n*:up=%t[0,0,"^\\u"]\nb', "ner.pat").templates[1].parts]
    ['%t[0,0,"^\\u"]']
    """
    lines = ((where, _strip(line)) for where, line in iterate_lines(text, name))
    parsed = [template for where, line in lines if line for template in _parse_line(line, where)]
    return build_set(name, parsed, "patterns such as u:%x[0,0]")


def _strip_lines(text: str) -> list[str]:
    return [stripped for line in text.splitlines() if (stripped := _strip(line))]


def _strip(line: str) -> str:
    """Remove a comment, which begins at any ``#``, and blanks around the rest."""
    return line.partition("#")[0].strip()


def _parse_line(line: str, where: str) -> Iterator[Template]:
    kind, body = line[0].lower(), line[1:]
    if kind not in ("u", "b", "*"):
        raise ConfigError(f"{where}: expected a pattern that begins with u, b or *, found {line!r}")
    rest = _MACRO.sub("", body)
    if "%" in rest:
        raise ConfigError(f"{where}: expected {_EXAMPLES}, found {rest[rest.index('%') :]!r}")
    parts = tuple(_parse_macro(match, where) for match in _MACRO.finditer(body))
    tag = kind + _MACRO.sub(MACRO, body)
    for edge in (False, True):
        if kind in ("*", "b" if edge else "u"):
            yield Template(parts, edge, tag)


def _parse_macro(match: re.Match[str], where: str) -> Part:
    command, row, column = match["command"], int(match["row"]), f"#{int(match['column'])}"
    if (match["pattern"] is None) != (command in "xX"):
        raise ConfigError(f"{where}: expected {_EXAMPLES}, found {match[0]!r}")
    if match["place"]:
        return _build_part(where, offset=0, column=column, command=command, pattern=match["pattern"] or "", place=row)
    if abs(row) > MAX_OFFSET:
        raise ConfigError(f"{where}: expected a row from -{MAX_OFFSET} to {MAX_OFFSET}, found {row}")
    if command == "x" and abs(row) <= _TOLD_APART:
        return Part("form", row, column=column)
    return _build_part(where, offset=row, column=column, command=command, pattern=match["pattern"] or "")


def _build_part(where: str, **fields: object) -> MacroPart:
    try:
        return MacroPart("macro", **fields)  # type: ignore[arg-type]
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None
