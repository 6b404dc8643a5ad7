"""Template sets as model files hold them: the schema of their JSON, and the sets that it becomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tagloom.features.templates import MACRO, Part, Template, TemplateSet
from tagloom.features.wapiti import MacroPart
from tagloom.schema import Field, Misfit, limits


@dataclass(frozen=True)
class StoredTemplate:
    """Parts that are joined into one feature."""

    parts: Annotated[tuple[Part | MacroPart, ...], Field("The parts that are joined.", most=limits.MOST_PARTS)]
    edge: Annotated[bool, Field("Whether it is a feature of label pairs.")]
    tag: Annotated[str, Field("For CRF++ and Wapiti the line, with `%x` in the place of every part; else empty.")]


@dataclass(frozen=True)
class StoredTemplates:
    """A set of templates."""

    name: Annotated[str, Field("Name of the set, as signatures show it.")]
    templates: Annotated[tuple[StoredTemplate, ...], Field("The templates.", most=limits.MOST_TEMPLATES)]
    transitions: Annotated[bool, Field("Whether plain label pairs have weights.")]


@dataclass(frozen=True)
class TemplateText:
    """A set of templates of a parser or a re-ranker, as text."""

    name: Annotated[str, Field("Name of the set, as signatures show it.")]
    text: Annotated[str, Field("One template per line, without braces.", length=limits.LONGEST_TEXT)]

    def check(self) -> None:
        """Raise :class:`Misfit` for braces, which could make many templates of few characters."""
        if "{" in self.text:
            raise Misfit("spec.templates.text", "templates without braces", self.text)


def restore_templates(stored: StoredTemplates) -> TemplateSet:
    """Build a template set; raises :class:`Misfit` if a line does not fit its parts."""
    for number, each in enumerate(stored.templates):
        if each.tag and each.tag.count(MACRO) != len(each.parts):
            raise Misfit(f"spec.templates.templates.{number}.tag", f"{MACRO} once per part", each.tag)
    templates = tuple(Template(each.parts, each.edge, each.tag) for each in stored.templates)
    return TemplateSet(stored.name, templates, stored.transitions)


#: The type of the templates of words in a spec.
Templates = Annotated[
    TemplateSet,
    Field("Templates of words.", stored=StoredTemplates, restore=restore_templates, most=limits.MOST_TEMPLATES),
]
