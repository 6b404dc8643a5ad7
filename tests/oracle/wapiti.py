"""Wapiti's patterns spelled out: the observation of a line at a token is the line with its macros replaced by texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from tests.oracle.attributes import classes, lower

Row = Sequence[str]
Item = tuple[Callable[[str], bool], str]  # whether a character fits, and how often it stands: once, * or ?

_CLASSES = {"a": "ULX", "d": "D", "l": "L", "u": "U", "w": "ULXD", "p": "P"}
_WHITE = " \t\n\v\f\r\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_ITEM = re.compile(r"(\\.|[^\\*?])([*?]?)", re.DOTALL)
_MACRO = re.compile(r'%([xXtTmM])\[\s*(@?)\s*([+-]?\d+)\s*,\s*(\d+)\s*(?:,\s*"((?:\\.|[^"\\])*)"\s*)?\]')


def fits(item: str) -> Callable[[str], bool]:
    if item == ".":
        return lambda _: True
    name = item[-1].lower()
    if item[0] == "\\" and name == "s":
        return lambda c: (c in _WHITE) != item[-1].isupper()
    if item[0] == "\\" and name in _CLASSES:
        return lambda c: (classes(c) in _CLASSES[name]) != item[-1].isupper()
    return lambda c: c == item[-1]


def ends(items: Sequence[Item], text: str, at: int) -> Iterator[int]:
    """Where a match can end, in the order in which they are tried."""
    if not items:
        yield at
        return
    (is_fit, repeat), rest = items[0], items[1:]
    taken = at < len(text) and is_fit(text[at])
    if repeat == "*":
        yield from ends(rest, text, at)
        yield from ends(items, text, at + 1) if taken else ()
        return
    yield from ends(rest, text, at + 1) if taken else ()
    yield from ends(rest, text, at) if repeat == "?" else ()


def find(regex: str, text: str) -> str | None:
    """The first match."""
    at_start = regex.startswith("^")
    body = regex[at_start:]
    at_end = re.search(r"(?<!\\)(?:\\\\)*\$\Z", body) is not None
    items = [(fits(item), repeat) for item, repeat in _ITEM.findall(body[: len(body) - at_end])]
    for start in [0] if at_start else range(len(text) + 1):
        for stop in ends(items, text, start):
            if stop == len(text) or not at_end:
                return text[start:stop]
    return None


def apply(command: str, regex: str, word: str) -> str:
    kind = command.lower()
    found = find(regex, word) if kind != "x" else word
    value = ("false" if found is None else "true") if kind == "t" else found or ""
    return value if command == kind else lower(value)


def word_at(sentence: Sequence[Row], at: int, column: int) -> str:
    if 0 <= at < len(sentence):
        return sentence[at][column]
    sign, far = ("-", -at) if at < 0 else ("+", at - len(sentence) + 1)
    return f"_x{sign}{'#' if far > 4 else far}"


def observe(line: str, sentence: Sequence[Row], token: int) -> str:
    """The observation of a pattern at a token."""

    def replace(match: re.Match[str]) -> str:
        command, absolute, row, column, regex = match.groups()
        place = int(row)
        at = token + place if not absolute else place - 1 if place >= 0 else place + len(sentence)
        return apply(command, regex or "", word_at(sentence, at, int(column)))

    return line[0].lower() + _MACRO.sub(replace, line[1:])
