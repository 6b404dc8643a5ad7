"""Segment templates: what is known about a segment of tokens as a whole, joined into features.

There is one template per line, with parts separated by blanks. A part is the length of the segment, or an attribute of
tokens at a place of it; attributes are those of taggers::

    length                     # the number of tokens
    form[all]                  # all words of the segment, in their order
    form[first] form[last]     # its first and its last word
    pos[inside]                # every token but the first and the last
    lower[before] lower[after] # the tokens beside it; a border of the sentence counts as one
    gazetteer[entry]           # the lists of a resource that have the whole segment as an entry
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

import tagloom._core as _core
from tagloom.errors import ConfigError
from tagloom.features.sets import load_set
from tagloom.features.stored_templates import TemplateText
from tagloom.features.templates import ATTRIBUTE, Part, expand_line, iterate_lines, strip_comment
from tagloom.schema import limits

SEGMENT_SUFFIX = ".segments"
LENGTH, ENTRY = "length", "entry"
_PLACES = (LENGTH, "all", "first", "last", "inside", "before", "after", ENTRY)  # as the core numbers them
_PART = re.compile(ATTRIBUTE + r"\[(?P<place>[a-z]+)\]")
_MOST_TEMPLATES = 1000
#: A template of the core: the seed of its keys, and place and source of every part.
CompiledTemplate = tuple[int, list[tuple[int, int]]]


@dataclass(frozen=True)
class SegmentPart:
    """What a part looks at: the length, an attribute of tokens at a place, or the entries of a resource."""

    place: str
    attribute: Part | None = None  # none for lengths; for entries its name is that of the resource

    def __str__(self) -> str:
        return LENGTH if self.attribute is None else f"{self.attribute.attribute}[{self.place}]"


@dataclass(frozen=True)
class SegmentTemplate:
    """Parts that are joined into one feature."""

    parts: tuple[SegmentPart, ...]

    def __repr__(self) -> str:
        return f"SegmentTemplate({str(self)!r})"

    def __str__(self) -> str:
        return " ".join(map(str, self.parts))


@dataclass(frozen=True)
class SegmentTemplateSet:
    """The segment templates of a model, with the name that its signature shows."""

    name: str
    templates: tuple[SegmentTemplate, ...]

    def __repr__(self) -> str:
        return f"SegmentTemplateSet({self.name!r}, {len(self.templates)} templates)"

    def __str__(self) -> str:
        return "\n".join(map(str, self.templates)) + "\n"

    @property
    def attributes(self) -> tuple[Part, ...]:
        """The distinct attributes of tokens."""
        return tuple(dict.fromkeys(p.attribute for p in self._parts() if p.attribute and p.place != ENTRY))

    @property
    def resources(self) -> tuple[str, ...]:
        """The resources whose entries count."""
        return tuple(dict.fromkeys(p.attribute.name for p in self._parts() if p.attribute and p.place == ENTRY))

    def compile(self) -> list[CompiledTemplate]:
        """Compile for the core, which numbers attributes and resources in their order here."""
        attributes = {part: number for number, part in enumerate(self.attributes)}
        resources = {name: number for number, name in enumerate(self.resources)}

        def source(part: SegmentPart) -> int:
            if part.attribute is None:
                return 0
            return resources[part.attribute.name] if part.place == ENTRY else attributes[part.attribute]

        return [
            (_core.hash_string(str(each)), [(_PLACES.index(part.place), source(part)) for part in each.parts])
            for each in self.templates
        ]

    def _parts(self) -> Iterator[SegmentPart]:
        for template in self.templates:
            yield from template.parts


def parse_segment_templates(text: str, name: str) -> SegmentTemplateSet:
    r"""Parse a text of segment templates.

    >>> print(parse_segment_templates("length\n{form,shape}[all] length", "mine"), end="")
    length
    form[all] length
    shape[all] length
    """
    templates: dict[SegmentTemplate, None] = {}
    for where, line in iterate_lines(text, name):
        for expanded in expand_line(strip_comment(line), where):
            templates[_parse_line(expanded, where)] = None
    if not templates:
        raise ConfigError(f"{name}: no templates found; write one per line, such as form[all]")
    if len(templates) > _MOST_TEMPLATES:
        raise ConfigError(f"{name}: expected at most {_MOST_TEMPLATES:,} segment templates, got {len(templates):,}")
    return SegmentTemplateSet(name, tuple(templates))


def _parse_line(line: str, where: str) -> SegmentTemplate:
    words = line.split()
    if len(words) > limits.MOST_PARTS:
        raise ConfigError(f"{where}: expected at most {limits.MOST_PARTS} parts in a template, found {len(words)}")
    parts = tuple(_parse_part(word, where) for word in words)
    if sum(part.place in ("inside", ENTRY) for part in parts) > 1:
        raise ConfigError(f"{where}: expected at most one part with several values, inside or entry, found {line!r}")
    return SegmentTemplate(parts)


def _parse_part(word: str, where: str) -> SegmentPart:
    if word == LENGTH:
        return SegmentPart(LENGTH)
    match = _PART.fullmatch(word)
    if match is None or match["place"] not in _PLACES[1:]:
        places = ", ".join(_PLACES[1:])
        raise ConfigError(
            f"{where}: expected length or attribute[place] such as form[all] (places: {places}), found {word!r:.80}"
        )
    part = Part.from_match(match)
    if match["place"] == ENTRY and (part.number is not None or part.column is not None):
        raise ConfigError(f"{where}: expected the name of a resource before [entry], found {word!r:.80}")
    return SegmentPart(match["place"], part)


def load_segment_templates(source: str | os.PathLike[str] | SegmentTemplateSet) -> SegmentTemplateSet:
    """Load a shipped set by name, a file by path, or a text with a line break or a bracket."""
    if isinstance(source, SegmentTemplateSet):
        return source
    title = "set of segment templates"
    return load_set(source, SEGMENT_SUFFIX, "segment_templates", title, "\n[", parse_segment_templates)


def restore_segment_templates(stored: TemplateText) -> SegmentTemplateSet:
    """Restore templates from what a model file holds: name and text."""
    stored.check()
    return parse_segment_templates(stored.text, stored.name)
