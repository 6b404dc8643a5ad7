"""State templates: which attributes of words on the stack and in the queue of a parser are joined into a feature.

There is one template per line, with parts separated by blanks. A part is an attribute of the word at an address::

    s0.form s0.tag             # form and tag of the word on top of the stack
    s1.tag s1.lc.tag s0.tag    # lc, rc: the outermost child on the left or right; lc2, rc2: the child next to it
    q0.suffix3                 # the first word of the queue; attributes are those of taggers
    s1.rc.relation             # relation of the arc between a child and its head
    s0.tag s0.vl               # vl, vr: number of children on the left or right (0, 1, 2, more)
    distance s0.tag s1.tag     # distance from s1 to s0, in classes
    gap s0.tag q0.tag          # distance from s0 to q0, in classes
    q0.lc.tag                  # arc-hybrid only: there the first word of the queue has children on its left

``tag`` is the column of part-of-speech tags, whatever its name. Places are s0 to s3 and q0 to q3, with at most two
steps down to children.
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
from tagloom.features.templates import ATTRIBUTE, Part, TemplateSet, expand_line, iterate_lines, strip_comment
from tagloom.schema import limits

STATE_SUFFIX = ".states"
TAG = "tag"
DISTANCE = "distance"
_PLACES = ("s0", "s1", "s2", "s3", "q0", "q1", "q2", "q3")
_STEPS = ("", "lc", "rc", "lc2", "rc2")
GAP = "gap"
_KINDS = ("attribute", "relation", DISTANCE, "vl", "vr", GAP)  # as the core numbers them
_PART = re.compile(r"(?P<place>[sq][0-3])(?P<steps>(?:\.[lr]c2?){0,2})\." + ATTRIBUTE)
#: Names in templates that are not attributes.
RESERVED = (TAG, *_KINDS[1:])
_MOST_TEMPLATES = 255  # the core keeps the template of every feature in a byte


@dataclass(frozen=True)
class StatePart:
    """What a part looks at, and where."""

    place: str
    steps: tuple[str, ...] = ()
    kind: str = "attribute"
    attribute: Part | None = None  # if it is one

    def __str__(self) -> str:
        if self.kind in (DISTANCE, GAP):
            return self.kind
        what = self.kind if self.attribute is None else self.attribute.attribute
        return ".".join([self.place, *self.steps, what])

    @property
    def address(self) -> tuple[int, int, int]:
        """The numbers of place and steps in the core."""
        first, second, *_ = [*(_STEPS.index(step) for step in self.steps), 0, 0]
        return _PLACES.index(self.place), first, second


@dataclass(frozen=True)
class StateTemplate:
    """Parts that are joined into one feature."""

    parts: tuple[StatePart, ...]

    def __repr__(self) -> str:
        return f"StateTemplate({str(self)!r})"

    def __str__(self) -> str:
        return " ".join(map(str, self.parts))


@dataclass(frozen=True)
class StateTemplateSet:
    """The templates of a parser, with the name that its signature shows."""

    name: str
    templates: tuple[StateTemplate, ...]

    def __repr__(self) -> str:
        return f"StateTemplateSet({self.name!r}, {len(self.templates)} templates)"

    def __str__(self) -> str:
        return "\n".join(map(str, self.templates)) + "\n"

    def attributes(self, tag: str) -> TemplateSet:
        """The distinct attributes, each as a template of its own; ``tag`` is replaced by the column of tags."""
        return TemplateSet.of_parts(self.name, (p.attribute and resolve_tag(p.attribute, tag) for p in self._parts()))

    @property
    def reads_queue_children(self) -> bool:
        """Whether a template looks at children of the first word of the queue, which it has in arc-hybrid only."""
        return any(part.place.startswith("q") and (part.steps or part.kind == "vl") for part in self._parts())

    def compile(self, tag: str) -> _core.StateTemplates:
        """Compile for the core, which numbers attributes in the order of ``attributes``."""
        numbers = {template.parts[0]: number for number, template in enumerate(self.attributes(tag).templates)}
        addresses = {part.address: None for part in self._parts()}
        places = {address: number for number, address in enumerate(addresses)}

        def atom(part: StatePart) -> tuple[int, int, int]:
            attribute = 0 if part.attribute is None else numbers[resolve_tag(part.attribute, tag)]
            return _KINDS.index(part.kind), places[part.address], attribute

        atoms = {each: number for number, each in enumerate(dict.fromkeys(map(atom, self._parts())))}
        compiled = [(str(template), [atoms[atom(part)] for part in template.parts]) for template in self.templates]
        return _core.StateTemplates(list(addresses), list(atoms), compiled)

    def _parts(self) -> Iterator[StatePart]:
        for template in self.templates:
            yield from template.parts


def resolve_tag(part: Part, tag: str) -> Part:
    """Replace ``tag`` by the column of tags in the attribute of a part."""
    if part.name == TAG and part.number is None and part.column is None:
        return Part(tag, 0)
    return part


def parse_state_templates(text: str, name: str) -> StateTemplateSet:
    r"""Parse a text of state templates.

    >>> print(parse_state_templates("s{0..1}.tag\ndistance s1.lc.form", "mine"), end="")
    s0.tag
    s1.tag
    distance s1.lc.form
    """
    templates: dict[StateTemplate, None] = {}
    for where, line in iterate_lines(text, name):
        for expanded in expand_line(strip_comment(line), where):
            templates[_parse_line(expanded, where)] = None
    if not templates:
        raise ConfigError(f"{name}: no templates found; write one per line, such as s0.form s0.tag")
    if len(templates) > _MOST_TEMPLATES:
        raise ConfigError(f"{name}: expected at most {_MOST_TEMPLATES} state templates, got {len(templates)}")
    return StateTemplateSet(name, tuple(templates))


def _parse_line(line: str, where: str) -> StateTemplate:
    words = line.split()
    if len(words) > limits.MOST_PARTS:
        raise ConfigError(f"{where}: expected at most {limits.MOST_PARTS} parts in a template, found {len(words)}")
    return StateTemplate(tuple(_parse_part(word, where) for word in words))


def _parse_part(word: str, where: str) -> StatePart:
    if word in (DISTANCE, GAP):
        return StatePart("s0", kind=word)
    match = _PART.fullmatch(word)
    if match is None:
        raise ConfigError(
            f"{where}: expected a place and an attribute such as s0.form or s1.lc.tag, found {word!r:.80}"
        )
    steps = tuple(match["steps"].split(".")[1:])
    name, is_attribute = match["name"], match["name"] not in _KINDS[1:] or bool(match["number"] or match["column"])
    if name == "relation" and not is_attribute and not steps:
        raise ConfigError(f"{where}: only children have a relation to their head, found {word!r}")
    if match["place"].startswith("q") and (steps or not is_attribute) and not _can_hold(match["place"], steps, name):
        raise ConfigError(f"{where}: words of the queue have no children yet, found {word!r}")
    if not is_attribute:
        return StatePart(match["place"], steps, name)
    return StatePart(match["place"], steps, attribute=Part.from_match(match))


def _can_hold(place: str, steps: tuple[str, ...], name: str) -> bool:
    """Whether a word of the queue can have such children: the first word on its left, in arc-hybrid."""
    return place == "q0" and steps[:1] != ("rc",) and steps[:1] != ("rc2",) and (bool(steps) or name == "vl")


def load_state_templates(source: str | os.PathLike[str] | StateTemplateSet) -> StateTemplateSet:
    """Load a shipped set by name, a file by path, or a text with a line break."""
    if isinstance(source, StateTemplateSet):
        return source
    return load_set(source, STATE_SUFFIX, "templates", "set of state templates", "\n", parse_state_templates)


def restore_state_templates(stored: TemplateText) -> StateTemplateSet:
    """Restore templates from what a model file holds: name and text."""
    stored.check()
    return parse_state_templates(stored.text, stored.name)
