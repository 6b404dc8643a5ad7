"""State templates: which attributes of words on the stack and in the queue of a parser are joined into a feature.

There is one template per line, with parts separated by blanks. A part is an attribute of the word at an address::

    s0.form s0.tag             # form and tag of the word on top of the stack
    s1.tag s1.lc.tag s0.tag    # lc, rc: the outermost child on the left or right; lc2, rc2: the child next to it
    q0.suffix3                 # the first word of the queue; attributes are those of taggers
    s1.rc.relation             # relation of the arc between a child and its head
    s0.tag s0.vl               # vl, vr: number of children on the left or right (0, 1, 2, more)
    distance s0.tag s1.tag     # distance from s1 to s0, in classes

``tag`` is the column of part-of-speech tags, whatever its name. Places are s0 to s3 and q0 to q3, with at most two
steps down to children.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import tagloom._core as _core
from tagloom.errors import ConfigError, unknown_name
from tagloom.features.sets import list_shipped, read_shipped
from tagloom.features.templates import Part, Template, TemplateSet, expand_line, strip_comment

STATE_SUFFIX = ".states"
TAG = "tag"
DISTANCE = "distance"
_PLACES = ("s0", "s1", "s2", "s3", "q0", "q1", "q2", "q3")
_STEPS = ("", "lc", "rc", "lc2", "rc2")
_KINDS = ("attribute", "relation", DISTANCE, "vl", "vr")  # as the core numbers them
_PART = re.compile(
    r"(?P<place>[sq][0-3])(?P<steps>(?:\.[lr]c2?){0,2})\."
    r"(?P<name>[^\W\d][\w-]*?)(?P<number>0|[1-9][0-9]*)?(?:\((?P<column>[\w#-]+)\))?"
)
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
        if self.kind == DISTANCE:
            return DISTANCE
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
        parts = {resolve_tag(part.attribute, tag): None for part in self._parts() if part.attribute is not None}
        return TemplateSet(self.name, tuple(Template((part,)) for part in parts), transitions=False)

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

    Raises:
        ConfigError: A line is not legal; the message names it.

    Examples:
        >>> for template in parse_state_templates("s{0..1}.tag\ndistance s1.lc.form", "mine").templates:
        ...     print(template)
        s0.tag
        s1.tag
        distance s1.lc.form
    """
    templates: dict[StateTemplate, None] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        where = f"{name}:{number}"
        for expanded in expand_line(strip_comment(line), where):
            templates[StateTemplate(tuple(_parse_part(word, where) for word in expanded.split()))] = None
    if not templates:
        raise ConfigError(f"{name}: no templates found; write one per line, such as s0.form s0.tag")
    if len(templates) > _MOST_TEMPLATES:
        raise ConfigError(f"{name}: expected at most {_MOST_TEMPLATES} state templates, got {len(templates)}")
    return StateTemplateSet(name, tuple(templates))


def _parse_part(word: str, where: str) -> StatePart:
    if word == DISTANCE:
        return StatePart("s0", kind=DISTANCE)
    match = _PART.fullmatch(word)
    if match is None:
        raise ConfigError(f"{where}: expected a place and an attribute such as s0.form or s1.lc.tag, found {word!r}")
    steps = tuple(match["steps"].split(".")[1:])
    if match["place"].startswith("q") and steps:
        raise ConfigError(f"{where}: words of the queue have no children yet, found {word!r}")
    name = match["name"]
    if name in _KINDS[1:] and match["number"] is None and match["column"] is None:
        if name == "relation" and not steps:
            raise ConfigError(f"{where}: only children have a relation to their head, found {word!r}")
        if match["place"].startswith("q"):
            raise ConfigError(f"{where}: words of the queue have no children yet, found {word!r}")
        return StatePart(match["place"], steps, name)
    number = None if match["number"] is None else int(match["number"])
    return StatePart(match["place"], steps, attribute=Part(name, 0, number, match["column"]))


def list_state_template_sets() -> list[str]:
    """List the names of the shipped sets of state templates.

    >>> list_state_template_sets()
    ['huang-sagae', 'zhang-nivre']
    """
    return list_shipped(STATE_SUFFIX)


def load_state_templates(source: str | os.PathLike[str] | StateTemplateSet) -> StateTemplateSet:
    """Load a shipped set by name, a file by path, or a text with a line break.

    Raises:
        ConfigError: There is no such set or file, or a line is not legal.
    """
    if isinstance(source, StateTemplateSet):
        return source
    if not isinstance(source, (str, os.PathLike)):
        raise ConfigError(f"templates: expected a name, a file or template text, got {source!r}")
    if isinstance(source, str) and "\n" in source:
        return parse_state_templates(source, "templates")
    if isinstance(source, str) and source in list_state_template_sets():
        return parse_state_templates(read_shipped(source + STATE_SUFFIX), source)
    path = Path(source)
    if not path.is_file():
        raise unknown_name("set of state templates or file", str(source), list_state_template_sets())
    try:
        return parse_state_templates(path.read_text("utf-8-sig"), path.name)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read as a template file: {error}") from None


def restore_state_templates(values: Mapping[str, object]) -> StateTemplateSet:
    """Restore templates from what a model file holds: name and text."""
    return parse_state_templates(str(values["text"]), str(values["name"]))
