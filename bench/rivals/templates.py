"""The features of a shipped template set, for tools that take features: strings, dicts, and patterns over columns.

The set is read from its file without importing tagloom, so that a process that measures another tool holds nothing of
ours. The function that extracts features is generated, so that it is as fast as one written by hand: one f-string per
template, and attributes of a word computed once per distinct word.
"""

from __future__ import annotations

import functools
import itertools
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bench import ROOT

SETS = ROOT / "src" / "tagloom" / "features" / "sets"
WINDOW = 2  # no template of the sets looks further
_BRACES = re.compile(r"\{([^{}]+)\}")
_PART = re.compile(r"([a-z_]+?)(\d*)\[(-?\d+)\]")

Rows = Sequence[tuple[str, ...]]  # a sentence; the first field is the word


@dataclass(frozen=True)
class Part:
    """An attribute of the token at an offset, such as ``suffix3[0]``."""

    attribute: str  # the name of a column, or of a function of the word with its number
    offset: int

    def __str__(self) -> str:
        return f"{self.attribute}[{self.offset}]"


Template = tuple[Part, ...]  # without parts: the bias


def read_templates(name: str, columns: Sequence[str]) -> list[Template]:
    """Read a shipped set for data with these columns; templates of label pairs are left out."""
    lines = (line.split("#")[0].strip() for line in (SETS / f"{name}.templates").read_text("utf-8").splitlines())
    chosen = (_choose(line, columns) for line in lines if line and not line.endswith("/ edge"))
    return [tuple(_parse(text)) for line in chosen if line for text in _expand(line)]


def _choose(line: str, columns: Sequence[str]) -> str:
    """Drop the condition of a line, or the line if the condition does not hold."""
    for word, wanted in ((" if ", True), (" unless ", False)):
        if word in line:
            line, _, column = line.partition(word)
            return line if (column.strip() in columns) is wanted else ""
    return line


def _expand(line: str) -> Iterator[str]:
    """Expand the first pair of braces, and those after it."""
    found = _BRACES.search(line)
    if found is None:
        yield line
        return
    low, _, high = found[1].partition("..")
    values: Iterable[object] = range(int(low), int(high) + 1) if high else found[1].split(",")
    for value in values:
        yield from _expand(line[: found.start()] + str(value) + line[found.end() :])


def _parse(text: str) -> Iterator[Part]:
    if text != "bias":
        for item in text.split():
            name, number, offset = _PART.fullmatch(item).groups()  # type: ignore[union-attr]
            yield Part(name + number, int(offset))


# -- attributes of a word; a test compares them with those of the core --------------------------------------------


def _write_shape(character: str) -> str:
    kind = unicodedata.category(character)
    return {"Lu": "A", "Lt": "A", "Ll": "a", "Lo": "x", "Lm": "x", "Nd": "0"}.get(kind, character)


def prefix(n: int, word: str) -> str | None:
    return word[:n] if n <= len(word) else None


def suffix(n: int, word: str) -> str | None:
    return word[-n:] if n <= len(word) else None


def shape(word: str) -> str:
    return "".join(map(_write_shape, word))


def short_shape(word: str) -> str:
    return "".join(character for character, _ in itertools.groupby(shape(word)))


def case(word: str) -> str:
    kinds = [unicodedata.category(character) for character in word]
    upper, lower = sum(map(kinds.count, UPPER)), kinds.count(LOWER)
    if upper == 0:
        return "lower" if lower else "none"
    if upper == 1 and kinds[0] in UPPER:
        return "title"
    return "mixed" if lower else "upper"


def digits(word: str) -> str:
    kinds = [unicodedata.category(character) for character in word]
    count = kinds.count("Nd")
    if count == 0:
        return "none"
    if count == len(word):
        return "all"
    return "letters" if any(kind in LETTERS for kind in kinds) else "marks"


UPPER, LOWER, LETTERS = ("Lu", "Lt"), "Ll", ("Lu", "Lt", "Ll", "Lo", "Lm")
FUNCTIONS: dict[str, Callable[[str], str | None]] = {
    "lower": lambda word: "".join(character.lower()[0] for character in word),
    "shape": shape,
    "short_shape": short_shape,
    "case": case,
    "digits": digits,
    "hyphen": lambda word: "yes" if "-" in word else None,
    **{f"prefix{n}": functools.partial(prefix, n) for n in range(1, 7)},
    **{f"suffix{n}": functools.partial(suffix, n) for n in range(1, 7)},
}
#: Attributes that some words do not have; a template with one of them then gives no feature.
OPTIONAL = tuple(name for name in FUNCTIONS if name == "hyphen" or name.startswith(("prefix", "suffix")))


# -- what tools take ---------------------------------------------------------------


@dataclass(frozen=True)
class FeatureSet:
    """The templates of a task over the columns of its data."""

    templates: tuple[Template, ...]
    columns: tuple[str, ...]

    @classmethod
    def load(cls, name: str, columns: Sequence[str]) -> FeatureSet:
        return cls(tuple(read_templates(name, columns)), tuple(columns))

    @property
    def attributes(self) -> list[str]:
        """The attributes in use, columns of the data first."""
        used = {part.attribute for template in self.templates for part in template}
        return [*self.columns, *(name for name in FUNCTIONS if name in used)]

    @functools.cached_property
    def extract_strings(self) -> Callable[[Rows], list[list[str]]]:
        """The function of a sentence that returns a list of strings for every token.

        They are what CRFsuite makes of the dicts, so that models of one also read the other.
        """
        return self._compile("[{}]", 'f"{name}:{value}"', "found.append(f'{name}:{value}')")

    @functools.cached_property
    def extract_dicts(self) -> Callable[[Rows], list[dict[str, str]]]:
        """The same with a dict for every token."""
        return self._compile("{{{}}}", '"{name}": f"{value}"', 'found["{name}"] = f"{value}"')

    def _compile(self, literal: str, item: str, statement: str) -> Callable[[Rows], Any]:
        """Generate a function that builds one literal per token and adds what only some words have."""
        always, sometimes = [], []
        for template in self.templates:
            name = "|".join(map(str, template)) or "bias"
            value = "|".join(f"{{{_index(part)}}}" for part in template) or "1"
            missing = [part for part in template if part.attribute in OPTIONAL]
            if missing:
                test = " and ".join(f"{_index(part)} is not None" for part in missing)
                sometimes.append(f"if {test}: {statement.format(name=name, value=value)}")
            else:
                always.append(item.format(name=name, value=value))
        width = len(self.columns)
        lines = [
            "def extract(rows):",
            *(f"    {name} = pad([row[{n}] for row in rows])" for n, name in enumerate(self.columns)),
            *(f"    {name} = pad([of_word_{name}(row[0]) for row in rows])" for name in self.attributes[width:]),
            "    out = []",
            f"    for t in range({WINDOW}, {WINDOW} + len(rows)):",
            f"        found = {literal.format(', '.join(always))}",
            *(f"        {each}" for each in sometimes),
            "        out.append(found)",
            "    return out",
        ]
        known: dict[str, Any] = {f"of_word_{name}": functools.cache(each) for name, each in FUNCTIONS.items()}
        built: dict[str, Callable[[Rows], Any]] = {}
        exec("\n".join(lines), known | {"pad": _pad}, built)
        return built["extract"]

    # -- columns -----------------------------------------------------------------------------------------------------

    @functools.cached_property
    def write_columns(self) -> Callable[[Rows], list[str]]:
        """The function that writes the tokens of a sentence as lines of columns, one per attribute."""
        functions = [functools.cache(FUNCTIONS[name]) for name in self.attributes[len(self.columns) :]]
        width = len(self.columns)

        def write(rows: Rows) -> list[str]:
            return ["\t".join([*row[:width], *(each(row[0]) or "_" for each in functions)]) for row in rows]

        return write

    def write_patterns(self, unigram: str, bigram: str) -> str:
        """Write the templates over these columns as CRF++ (``U``, ``B``) and Wapiti (``u``, ``b``) read them."""
        places = {name: number for number, name in enumerate(self.attributes)}
        lines = []
        for number, template in enumerate(self.templates):
            parts = "/".join(f"%x[{part.offset},{places[part.attribute]}]" for part in template)
            lines.append(f"{unigram}{number:02}:{parts}" if parts else f"{unigram}{number:02}")
        return "\n".join([*lines, bigram]) + "\n"


def _index(part: Part) -> str:
    return f"{part.attribute}[t{part.offset:+}]" if part.offset else f"{part.attribute}[t]"


def _pad(values: list[Any]) -> list[Any]:
    """Put what stands outside a sentence around its values."""
    return [*(f"_B-{n}" for n in range(WINDOW, 0, -1)), *values, *(f"_B+{n}" for n in range(1, WINDOW + 1))]
