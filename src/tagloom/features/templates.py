"""Templates: which attributes of which neighbouring tokens are joined into a feature.

There is one template per line. A part is an attribute at a relative position; parts on one line are joined. ``/ edge``
at the end makes a feature of the pair (previous label, label) rather than of the label; a line ``/ edge`` stands for
plain transitions. ``bias`` is a feature of every token. Braces expand as in a shell::

    form[{-2..2}]              # five templates
    form[-1] form[0]           # a bigram of words
    suffix{1..4}[0]            # suffix1[0], suffix2[0], ...
    prefix3(lemma)[0]          # of another column
    brown4:web[0]              # over the resource brown:web
    pos[-1] pos[0] / edge
    / edge
    pos[0] if pos              # only where there is a column or a resource of that name
    suffix5[0] unless pos      # only where there is none
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Annotated

from tagloom._core import MAX_OFFSET
from tagloom.arguments import check_arguments, check_methods
from tagloom.errors import ConfigError, show_value
from tagloom.schema import Field, limits

# An attribute in all kinds of templates. A number has no leading 0: the name of a column such as x01 is read as a name.
# Numbers have a bounded number of digits, so that no text takes more than linear time.
ATTRIBUTE = (
    r"(?P<name>[^\W\d][\w-]*?)(?P<number>0|[1-9][0-9]{0,24})?(?::(?P<resource>[\w-]+))?(?:\((?P<column>[\w#-]+)\))?"
)
_PART = re.compile(ATTRIBUTE + r"\[(?P<offset>[+-]?[0-9]{1,9})\]")
_BRACES = re.compile(r"\{([^{}]*)\}")
_RANGE = re.compile(r"(-?[0-9]{1,9})\.\.(-?[0-9]{1,9})")
_CONDITION = re.compile(r"(?:if|unless) [^\s\[\]/]+")
_MOST_CONDITIONS = 8
_MOST_TEMPLATES = limits.MOST_TEMPLATES
_MOST_CHARACTERS = 2_000_000  # that one line expands to
_LARGEST_NUMBER = 10**25  # one more digit than a template can have
#: Stands for every macro in the tag of a template.
MACRO = "%x"


@dataclass(frozen=True)
class Part:
    """An attribute at a position relative to the current token; of the column of words unless another is named."""

    name: Annotated[str, Field("Name of the attribute, without its number.", length=limits.LONGEST_NAME)]
    offset: Annotated[int, Field("Position relative to the current token.", low=-MAX_OFFSET, high=MAX_OFFSET)]
    number: Annotated[int | None, Field("Number of the attribute, if it has one.", low=0, high=_LARGEST_NUMBER)] = None
    column: Annotated[str | None, Field("Column that it reads, if it is not that of the words.")] = None
    resource: Annotated[
        str | None, Field("Name of its resource after the kind, if it has one.", length=limits.LONGEST_NAME)
    ] = None

    @classmethod
    def from_match(cls, match: re.Match[str], offset: int = 0) -> Part:
        """Build a part from a match of ``ATTRIBUTE``."""
        number = None if match["number"] is None else int(match["number"])
        return cls(match["name"], offset, number, match["column"], match["resource"])

    @property
    def attribute(self) -> str:
        """The attribute as it is written: ``suffix3(lemma)``, ``brown4:web``."""
        number = "" if self.number is None else self.number
        resource = f":{self.resource}" if self.resource else ""
        return f"{self.name}{number}{resource}" + (f"({self.column})" if self.column else "")

    @property
    def macro(self) -> str:
        """The part as CRF++ and Wapiti write it: ``%x[-1,0]``."""
        return f"{MACRO}[{self.offset},{(self.column or '')[1:]}]"

    def __str__(self) -> str:
        return f"{self.attribute}[{self.offset}]"


@dataclass(frozen=True)
class Template:
    """Parts that are joined into one feature; without parts, a feature of every token or every label pair."""

    parts: tuple[Part, ...]
    edge: bool = False
    tag: str = ""  # for CRF++ and Wapiti the line with blank macros, such as U05:%x/%x

    def __repr__(self) -> str:
        return f"Template({str(self)!r})"

    @property
    def prefix(self) -> str:
        """The text before the names of its parts: that before the first macro of a line of CRF++ or Wapiti."""
        return self.tag.partition(MACRO)[0]

    @property
    def seed(self) -> str:
        """The text that distinguishes its features; CRF++ lines that differ only in rows and columns share features."""
        return self.tag or str(self)

    def __str__(self) -> str:
        if self.tag:
            macros = iter([part.macro for part in self.parts])
            return re.sub(MACRO, lambda _: next(macros), self.tag)
        body = " ".join(map(str, self.parts)) or "bias"
        return f"{body} / edge" if self.edge else body


@dataclass(frozen=True)
class ConditionalTemplate(Template):
    """A template for where there is a column or a resource of some name, or for where there is none."""

    conditions: tuple[str, ...] = ()  # such as "if pos" and "unless brown:web", all of which must hold

    def __repr__(self) -> str:
        return f"ConditionalTemplate({str(self)!r})"

    def __str__(self) -> str:
        return " ".join([super().__str__(), *self.conditions])

    def holds(self, names: Container[str]) -> bool:
        """Whether the conditions hold for some names of columns and resources."""
        pairs = map(str.split, self.conditions)
        return all((name in names) == (kind == "if") for kind, name in pairs)


@check_methods()
@dataclass(frozen=True)
class TemplateSet:
    """The templates of a model, with the name that its signature shows."""

    name: str
    templates: tuple[Template, ...]
    transitions: bool  # whether plain label pairs have weights

    @classmethod
    def of_parts(cls, name: str, parts: Iterable[Part | None]) -> TemplateSet:
        """Build a set in which each distinct part is a template of its own; None is left out."""
        given = [part for part in parts if part is not None]
        if wrong := [part for part in given if not isinstance(part, Part)]:
            raise ConfigError(f"{name}: expected parts of templates, got {show_value(wrong[0])}")
        return cls(name, tuple(Template((part,)) for part in dict.fromkeys(given)), transitions=False)

    def __repr__(self) -> str:
        edges = f", {len(self.edges)} of label pairs" if self.edges else ""
        transitions = ", transitions" if self.transitions else ""
        return f"TemplateSet({self.name!r}, {len(self.templates)} templates{edges}{transitions})"

    def fit(self, names: Container[str]) -> TemplateSet:
        r"""Keep the templates whose condition holds for some columns and resources, and drop the conditions.

        >>> print(parse_templates("form[0]\npos[0] if pos\nsuffix3[0] unless pos", "mine").fit(["form"]), end="")
        form[0]
        suffix3[0]
        """
        fitting = [
            Template(each.parts, each.edge) if isinstance(each, ConditionalTemplate) else each
            for each in self.templates
            if not isinstance(each, ConditionalTemplate) or each.holds(names)
        ]
        return replace(self, templates=tuple(dict.fromkeys(fitting)))

    def list_columns(self, columns: Iterable[str]) -> list[str]:
        """List those of some columns that a template names."""
        named = {name for each in self.templates for part in each.parts for name in (part.name, part.column)}
        return [name for name in columns if isinstance(name, str) and name in named]

    @property
    def nodes(self) -> tuple[Template, ...]:
        """The templates of labels."""
        return tuple(t for t in self.templates if not t.edge)

    @property
    def edges(self) -> tuple[Template, ...]:
        """The templates of label pairs."""
        return tuple(t for t in self.templates if t.edge)

    def __str__(self) -> str:
        """The text that loads as this set; for a file of CRF++ or Wapiti its lines without comments."""
        # A line of Wapiti that begins with * is a template of labels and one of label pairs.
        lines = [str(each) for each in self.templates if not (each.tag.startswith("*") and each.edge)]
        if self.transitions and not any(each.tag.startswith("*") and not each.parts for each in self.templates):
            lines.append("B" if any(template.tag for template in self.templates) else "/ edge")
        return "\n".join(lines) + "\n"


@check_arguments
def parse_templates(text: str, name: str) -> TemplateSet:
    r"""Parse a template text, one template per line; ``name`` is the name of the set, which error messages show.

    >>> print(parse_templates("form[{-1..0}]\nform[0] pos[0] / edge", "mine"), end="")
    form[-1]
    form[0]
    form[0] pos[0] / edge
    """
    lines = ((where, strip_comment(line)) for where, line in iterate_lines(text, name))
    parsed = (_parse_line(expanded, where) for where, line in lines for expanded in expand_line(line, where))
    return build_set(name, dict.fromkeys(parsed), "one per line, such as form[0]")


def build_set(name: str, templates: Iterable[Template], example: str) -> TemplateSet:
    """Build a set from the templates of a text; one of label pairs without parts stands for plain transitions."""
    found = tuple(templates)
    if not found:
        raise ConfigError(f"{name}: no templates found; write {example}")
    kept = tuple(template for template in found if template.parts or not template.edge)
    return TemplateSet(name, kept, transitions=len(kept) < len(found))


def iterate_lines(text: str, name: str) -> Iterator[tuple[str, str]]:
    """Iterate over the lines of a text of templates, with where each stands; the core takes valid Unicode only."""
    for number, line in enumerate(text.splitlines(), start=1):
        if not (line.isascii() or line.encode(errors="ignore").decode() == line):
            raise ConfigError(f"{name}:{number}: expected text of valid Unicode, found half of a surrogate pair")
        yield f"{name}:{number}", line


def strip_comment(line: str) -> str:
    """Remove the comment of a line: a ``#`` that begins a word, and what follows."""
    return re.split(r"(?:^|\s)#", line, maxsplit=1)[0].strip()


def expand_line(line: str, where: str) -> Iterator[str]:
    """Expand braces: ``{a..b}`` is a range, ``{x,y}`` a list."""
    if not line:
        return
    pieces = _BRACES.split(line)
    choices = [[piece] if i % 2 == 0 else _alternatives(piece, where) for i, piece in enumerate(pieces)]
    count = math.prod(map(len, choices))
    if count > _MOST_TEMPLATES:
        raise ConfigError(f"{where}: the braces expand to more than {_MOST_TEMPLATES} templates")
    if count * len(line) > _MOST_CHARACTERS:
        raise ConfigError(f"{where}: the braces expand to more than {_MOST_CHARACTERS} characters")
    yield from map("".join, itertools.product(*choices))


def _alternatives(body: str, where: str) -> list[str]:
    if match := _RANGE.fullmatch(body):
        first, last = int(match[1]), int(match[2])
        if abs(last - first) >= _MOST_TEMPLATES:
            raise ConfigError(f"{where}: the range {{{body}}} is too long")
        return [str(i) for i in range(first, last + 1)] or [str(i) for i in range(first, last - 1, -1)]
    return body.split(",")


def _parse_line(line: str, where: str) -> Template:
    words, conditions = line.split(), list[str]()
    while len(words) > 2 and _CONDITION.fullmatch(condition := " ".join(words[-2:])):
        conditions.insert(0, condition)
        del words[-2:]
        if len(conditions) > _MOST_CONDITIONS:
            raise ConfigError(f"{where}: expected at most {_MOST_CONDITIONS} conditions, if or unless, in a template")
    body, slash, kind = " ".join(words).partition("/")
    if slash and kind.strip() != "edge":
        raise ConfigError(f"{where}: expected '/ edge' at the end, found '/{kind}'")
    parts = tuple(_parse_part(word, where) for word in body.split() if word != "bias")
    if not conditions:
        return Template(parts, edge=bool(slash))
    if slash and not parts:
        raise ConfigError(f"{where}: plain label pairs have no condition; write / edge")
    return ConditionalTemplate(parts, edge=bool(slash), conditions=tuple(conditions))


def _parse_part(word: str, where: str) -> Part:
    match = _PART.fullmatch(word)
    if match is None:
        raise ConfigError(f"{where}: expected attribute[offset] such as form[-1], found {show_value(word, 80)}")
    offset = int(match["offset"])
    if abs(offset) > MAX_OFFSET:
        raise ConfigError(f"{where}: expected an offset from -{MAX_OFFSET} to {MAX_OFFSET}, found {offset}")
    return Part.from_match(match, offset)
