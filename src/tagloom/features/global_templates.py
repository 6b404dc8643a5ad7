"""Global templates: which parts of a whole labelling are joined into a feature (collins-2002, section 3.2, Figure 1).

There is one template per line: a name, and parts separated by blanks. A part is an attribute at a place. Places are
relative to an entity (``start``, ``end``: its first and last token), with one feature for every entity of a labelling;
or to a quotation (``open``, ``close``: its marks; ``last``: the last word inside that begins with a letter or digit)::

    WE = form[start..end]                        # all words of the entity
    BO01 = form[start-1] short_shape[start]      # the token before it, its first token
    PF = short_shape[start..]                    # every prefix of the entity
    SF = short_shape[..end]                      # every suffix, from the end backwards
    LEN = size                                   # number of tokens
    Q = short_shape[open..close] label[open..close] / <= 10
    QF = filled upper lower short_shape[last]

Neighbouring parts with the same place are read together, token by token. ``label`` is the label of a token. Numbers
have no place: ``size``; for quotations also ``filled`` (whether one entity fills it), ``upper`` and ``lower`` (how many
words begin with an upper-case or lower-case letter) and ``mostly_upper``. ``/ <= 10`` limits the tokens of a range.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from tagloom._core import MAX_OFFSET
from tagloom.errors import ConfigError, show_value
from tagloom.features.sets import load_set
from tagloom.features.stored_templates import TemplateText
from tagloom.features.templates import ATTRIBUTE, Part, TemplateSet, iterate_lines, strip_comment

GLOBAL_SUFFIX = ".globals"
LABEL = "label"
RANGE, PREFIXES, SUFFIXES = "range", "prefixes", "suffixes"
_KINDS = (RANGE, PREFIXES, SUFFIXES, "size", "filled", "upper", "lower", "mostly_upper")  # as the core numbers them
_NUMBERS = _KINDS[3:]
_OF_QUOTATION = _KINDS[4:]
_SPOTS = {"start": 0, "end": 1, "open": 0, "close": 1, "last": 2}  # as the core numbers them
_QUOTATION = ("open", "close", "last")
_LIMIT, _MOST_TOKENS, _MOST_TEMPLATES = 50, 1000, 1000

_LINE = re.compile(r"(?P<name>[^\W\d][\w-]*)\s*=(?P<parts>[^/]*)(?:/\s*<=\s*(?P<limit>[1-9][0-9]{0,8})\s*)?")
_PART = re.compile(ATTRIBUTE + r"\[(?P<place>[^\[\]]*)\]")
_SPOT = re.compile(r"(?P<name>start|end|open|close|last)(?P<offset>[+-][0-9]{1,4})?")


@dataclass(frozen=True)
class Spot:
    """A token relative to an entity or a quotation."""

    name: str
    offset: int = 0

    def __str__(self) -> str:
        return f"{self.name}{self.offset:+}" if self.offset else self.name


@dataclass(frozen=True)
class Place:
    """Where a part looks: at a token or a range, at every prefix or suffix; or a number of the whole entity."""

    kind: str
    first: Spot = Spot("start")
    last: Spot = Spot("end")

    @property
    def of_quotation(self) -> bool:
        """Whether the place is relative to a quotation."""
        return self.kind in _OF_QUOTATION or self.first.name in _QUOTATION

    def __str__(self) -> str:
        if self.kind == PREFIXES:
            return f"{self.first}.."
        if self.kind == SUFFIXES:
            return f"..{self.last}"
        return str(self.first) if self.first == self.last else f"{self.first}..{self.last}"


@dataclass(frozen=True)
class GlobalPart:
    """What a part looks at, and where."""

    place: Place
    attribute: Part | None = None  # None: the label of the token, or a number

    def __str__(self) -> str:
        if self.place.kind in _NUMBERS:
            return self.place.kind
        return f"{LABEL if self.attribute is None else self.attribute.attribute}[{self.place}]"


@dataclass(frozen=True)
class GlobalTemplate:
    """Parts that are joined into one feature."""

    name: str
    parts: tuple[GlobalPart, ...]
    limit: int = _LIMIT  # largest number of tokens of a range

    def __repr__(self) -> str:
        return f"GlobalTemplate({str(self)!r})"

    @property
    def of_quotation(self) -> bool:
        """Whether the template describes quotations rather than entities."""
        return any(part.place.of_quotation for part in self.parts)

    def groups(self) -> list[tuple[Place, list[GlobalPart]]]:
        """Neighbouring parts with the same place, which are read together."""
        return [(place, list(parts)) for place, parts in itertools.groupby(self.parts, lambda part: part.place)]

    def __str__(self) -> str:
        limit = "" if self.limit == _LIMIT else f" / <= {self.limit}"
        return f"{self.name} = {' '.join(map(str, self.parts))}{limit}"


@dataclass(frozen=True)
class GlobalTemplateSet:
    """Templates of global features, with the name that signatures show."""

    name: str
    templates: tuple[GlobalTemplate, ...]

    def __repr__(self) -> str:
        return f"GlobalTemplateSet({self.name!r}, {len(self.templates)} templates)"

    @property
    def has_quotations(self) -> bool:
        """Whether a template describes quotations."""
        return any(template.of_quotation for template in self.templates)

    def attributes(self) -> TemplateSet:
        """The distinct attributes, each as a template of its own."""
        return TemplateSet.of_parts(self.name, (part.attribute for each in self.templates for part in each.parts))

    def compiled(self) -> list[tuple[str, bool, int, list[tuple[int, int, int, int, int, list[int]]]]]:
        """The templates for the core, which numbers attributes in the order of ``attributes``."""
        numbers = {template.parts[0]: number for number, template in enumerate(self.attributes().templates)}
        groups = [[_compile(place, parts, numbers) for place, parts in each.groups()] for each in self.templates]
        return [(each.name, each.of_quotation, each.limit, its) for each, its in zip(self.templates, groups)]

    def __str__(self) -> str:
        return "\n".join(map(str, self.templates)) + "\n"

    def to_json(self) -> dict[str, str]:
        """Return what a model file holds: name and text."""
        return {"name": self.name, "text": str(self)}

    @classmethod
    def restore(cls, stored: TemplateText) -> GlobalTemplateSet:
        """Restore templates from what a model file holds: name and text."""
        stored.check()
        return parse_global_templates(stored.text, stored.name)


def _compile(
    place: Place, parts: list[GlobalPart], numbers: Mapping[Part, int]
) -> tuple[int, int, int, int, int, list[int]]:
    is_number = place.kind in _NUMBERS
    values = [-1 if part.attribute is None else numbers[part.attribute] for part in parts if not is_number]
    spots = (_SPOTS[place.first.name], place.first.offset, _SPOTS[place.last.name], place.last.offset)
    return (_KINDS.index(place.kind), *spots, values)


def parse_global_templates(text: str, name: str) -> GlobalTemplateSet:
    r"""Parse a text of global templates.

    >>> print(parse_global_templates("WE = form[start..end]\nQF = filled upper form[last]", "mine"), end="")
    WE = form[start..end]
    QF = filled upper form[last]
    """
    templates: dict[str, GlobalTemplate] = {}
    for where, line in iterate_lines(text, name):
        if stripped := strip_comment(line):
            template = _parse_line(stripped, where)
            if template.name in templates:
                raise ConfigError(f"{where}: another template has the name {template.name}; rename one of them")
            templates[template.name] = template
    if not templates:
        raise ConfigError(f"{name}: no templates found; write one per line, such as WE = form[start..end]")
    if len(templates) > _MOST_TEMPLATES:
        raise ConfigError(f"{name}: expected at most {_MOST_TEMPLATES} global templates, got {len(templates)}")
    return GlobalTemplateSet(name, tuple(templates.values()))


def _parse_line(line: str, where: str) -> GlobalTemplate:
    match = _LINE.fullmatch(line)
    if match is None or not match["parts"].strip():
        raise ConfigError(f"{where}: expected NAME = parts such as WE = form[start..end], found {show_value(line, 80)}")
    limit = _LIMIT if match["limit"] is None else int(match["limit"])
    if limit > _MOST_TOKENS:
        raise ConfigError(f"{where}: expected a limit of at most {_MOST_TOKENS} tokens, found {limit}")
    template = GlobalTemplate(match["name"], tuple(_parse_part(word, where) for word in match["parts"].split()), limit)
    _check(template, where)
    return template


def _check(template: GlobalTemplate, where: str) -> None:
    anchors = {part.place.of_quotation for part in template.parts if part.place.kind != "size"}
    if len(anchors) > 1:
        raise ConfigError(f"{where}: expected places of entities or of quotations, found both in {template}")
    grown = [place for place, _ in template.groups()[:-1] if place.kind in (PREFIXES, SUFFIXES)]
    if grown:
        raise ConfigError(
            f"{where}: expected prefixes and suffixes at the end of a template, found [{grown[0]}] before other parts"
        )


def _parse_part(word: str, where: str) -> GlobalPart:
    if word in _NUMBERS:
        return GlobalPart(Place(word))
    match = _PART.fullmatch(word)
    if match is None:
        numbers = ", ".join(_NUMBERS)
        raise ConfigError(
            f"{where}: expected attribute[place] such as form[start-1], or one of {numbers}, "
            f"found {show_value(word, 80)}"
        )
    place = _parse_place(match["place"], where)
    attribute = Part.from_match(match)
    return GlobalPart(place, None if attribute == Part(LABEL, 0) else attribute)


def _parse_place(text: str, where: str) -> Place:
    if text == "start..":
        return Place(PREFIXES)
    if text == "..end":
        return Place(SUFFIXES)
    first, dots, last = text.partition("..")
    spots = [_parse_spot(each, text, where) for each in ((first, last) if dots else (first, first))]
    if len({spot.name in _QUOTATION for spot in spots}) > 1:
        raise ConfigError(f"{where}: expected a range of an entity or of a quotation, found [{text}]")
    return Place(RANGE, *spots)


def _parse_spot(text: str, place: str, where: str) -> Spot:
    match = _SPOT.fullmatch(text)
    if match is None:
        raise ConfigError(
            f"{where}: expected a place such as start, end+1, start..end, start.., ..end, open..close, found [{place}]"
        )
    offset = int(match["offset"] or 0)
    if abs(offset) > MAX_OFFSET:
        raise ConfigError(f"{where}: expected an offset from -{MAX_OFFSET} to {MAX_OFFSET}, found {offset}")
    return Spot(match["name"], offset)


def load_global_templates(source: str | os.PathLike[str] | GlobalTemplateSet) -> GlobalTemplateSet:
    """Load a shipped set by name, a file by path, or a text with a line break or an equals sign."""
    if isinstance(source, GlobalTemplateSet):
        return source
    return load_set(source, GLOBAL_SUFFIX, "global templates", "set of global templates", "\n=", parse_global_templates)
