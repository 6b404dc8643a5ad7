"""Attributes: what a template part looks at, and where its values come from.

A name is looked up in this order: a user function, a resource, a column of the corpus, a built-in function of the word.
``form`` is the column of that name, or the first column if there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NoReturn

from tagloom._core import attribute_functions, lexical_attributes
from tagloom.errors import ConfigError, unknown_name
from tagloom.features.masking import CLUSTERS, FUNCTIONS, LISTS, WORDS
from tagloom.features.matched import MATCHED, STAGE
from tagloom.features.resources import KINDS, Resource, split_name
from tagloom.features.templates import Part
from tagloom.features.wapiti import MacroPart

#: What an attribute function may return for a word or a token: nothing, one value, several values, or weighted values.
Value = str | Iterable[str] | Mapping[str, float] | None
WordFunction = Callable[[str], Value]
SentenceFunction = Callable[[Sequence[str]], Sequence[Value]]
#: Gets the sentences of a document; returns for every sentence a value per token.
DocumentAttribute = Callable[[Sequence[Sequence[str]]], Sequence[Sequence[Value]]]

BUILT_IN: dict[str, bool] = {name: numbered for name, numbered, _ in attribute_functions()}
#: Attributes that look the word up in a list or table -> the kind of its resource.
LISTED = {"lowercased": "lowercased", "functional": "functional", "word_type": "functional", "casing": "casing"}
#: Attributes that are the beginning of the word's value, and may have a number -> the kind of their resource.
LOOKUPS = {"brown": "brown", "brown_folded": "brown"}
_MOST_NAMES = 24  # that a message lists
_LONGEST = 1000  # characters of an affix or n-gram, bits of the path of a cluster
Kind = Literal["native", "lookup", "listed", "word", "sentence", "document", "matched", "bag", "macro", "place"]
#: Built-in attributes that tell which word it is; the others tell what it looks like.
LEXICAL = frozenset(lexical_attributes())
#: Kind -> the group of word dropout that its attributes belong to; others say so one by one, or are never masked.
_GROUPS: Mapping[Kind, str] = {"lookup": CLUSTERS, "listed": LISTS, "word": FUNCTIONS}


@dataclass(frozen=True)
class AttributeSpec:
    """One attribute of a model: how it is written, where its values come from, and which column it reads."""

    text: str
    kind: Kind
    name: str
    number: int
    column: str
    macro: MacroPart | None = None
    resource: str = ""  # name of the resource that it looks in


@dataclass(frozen=True)
class Vocabulary:
    """Everything an attribute name can refer to."""

    columns: tuple[str, ...]
    bags: frozenset[str] = frozenset()  # columns with several strings per token
    word_functions: Mapping[str, WordFunction | None] = field(default_factory=dict)
    sentence_functions: Mapping[str, SentenceFunction | None] = field(default_factory=dict)
    resources: Mapping[str, Resource] = field(default_factory=dict)
    document_attributes: Mapping[str, DocumentAttribute | None] = field(default_factory=dict)

    def __repr__(self) -> str:
        functions = [*self.word_functions, *self.sentence_functions, *self.document_attributes]
        return f"Vocabulary(columns={list(self.columns)}, functions={functions}, resources={list(self.resources)})"

    @property
    def main(self) -> str:
        """The column of the words, which attributes read unless another column is named."""
        return "form" if "form" in self.columns else self.columns[0]

    def resolve(self, part: Part) -> AttributeSpec:
        """Find where the values of a part come from."""
        spec = self._find(part)
        if spec.column in self.bags and spec.kind != "bag":
            raise ConfigError(
                f"template {part}: column {spec.column!r} has several strings per token; use {spec.column}[0] instead"
            )
        if spec.number > _LONGEST:
            raise ConfigError(f"template {part}: expected a number of at most {_LONGEST}")
        return spec

    def find_group(self, spec: AttributeSpec) -> str | None:
        """Find the group of word dropout that an attribute belongs to; None: it is never masked.

        Columns other than those of words stay, and so do shapes, and values that are those of the whole sentence.
        """
        if spec.kind == "matched":
            return MATCHED[spec.name].group
        if spec.kind not in ("native", "macro"):
            is_type = spec.kind == "listed" and spec.name in BUILT_IN  # of a word, with or without a list
            return None if is_type else _GROUPS.get(spec.kind)
        is_lexical = spec.name in LEXICAL if spec.macro is None else spec.macro.is_lexical
        return WORDS if is_lexical and spec.column in (self.main, "lemma") else None

    def _find(self, part: Part) -> AttributeSpec:
        name, column = part.name, self._column(part)
        if isinstance(part, MacroPart):
            kind: Kind = "macro" if part.place is None else "place"
            return AttributeSpec(part.attribute, kind, name, 0, column, part)
        if part.resource is not None:
            return self._look_up(part, column) or self._refuse_resource(part)
        # The name of a column or function may end in a digit.
        whole = f"{name}{'' if part.number is None else part.number}"
        if whole in self.word_functions:
            return AttributeSpec(part.attribute, "word", whole, 0, column)
        if whole in self.sentence_functions:
            return AttributeSpec(part.attribute, "sentence", whole, 0, column)
        if whole in self.document_attributes:
            return AttributeSpec(part.attribute, "document", whole, 0, column)
        if found := self._look_up(part, column):
            return found
        if whole in self.columns and part.column is None:
            return self._column_itself(part, whole)
        if name == "form" and part.number is None:
            return self._column_itself(part, column)
        return self._built_in(part, column)

    def _look_up(self, part: Part, column: str) -> AttributeSpec | None:
        """Find an attribute over a resource that is there."""
        name, number = part.name, part.number
        whole = f"{name}{'' if number is None else number}"
        if (resource := _name_resource(LOOKUPS.get(name), part)) in self.resources:
            return AttributeSpec(part.attribute, "lookup", name, number or 0, column, resource=resource)
        if (resource := _name_resource(LISTED.get(whole), part)) in self.resources:
            return AttributeSpec(part.attribute, "listed", whole, 0, column, resource=resource)
        if (resource := _name_resource(_kind_of_matched(name), part)) in self.resources:
            return self._match(part, column, resource)
        return None

    def _refuse_resource(self, part: Part) -> NoReturn:
        kind = LOOKUPS.get(part.name) or LISTED.get(part.name) or _kind_of_matched(part.name)
        if kind is None:
            known = {*LOOKUPS, *LISTED, *(row.name for row in MATCHED.values() if row.resource is not None)}
            error = unknown_name(f"attribute over a resource in template {str(part)[:40]}:", part.name, known)
        else:
            same = [name for name in self.resources if split_name(name)[0] == kind]
            error = unknown_name(f"resource in template {str(part)[:40]}:", _name_resource(kind, part), same)
        raise error

    def _column(self, part: Part) -> str:
        if part.column is None:
            return self.main
        if part.column.startswith("#") and part.column[1:].isdecimal():  # CRF++ names columns by their number
            if int(part.column[1:]) >= len(self.columns):
                raise ConfigError(f"template {part}: expected one of the {len(self.columns)} columns without the label")
            return self.columns[int(part.column[1:])]
        if part.column not in self.columns:
            raise unknown_name(f"column in template {part}:", part.column, self.columns)
        return part.column

    def _match(self, part: Part, column: str, resource: str = "") -> AttributeSpec:
        row = MATCHED[part.name]
        if row.of_stage and STAGE not in self.bags:
            raise ConfigError(
                f"template {part}: {part.name} is of the second stage; train with stages=2, and write 'if {STAGE}' "
                "after it"
            )
        if row.number == "none" and part.number is not None:
            raise _takes_no_number(part)
        if row.number == "must" and not part.number:
            raise _needs_number(part, row.numbers)
        if row.numbers and part.number not in row.numbers:
            known = ", ".join(f"{part.name}{number}" for number in row.numbers)
            raise ConfigError(f"template {part}: expected one of {known}")
        return AttributeSpec(part.attribute, "matched", part.name, part.number or 0, column, resource=resource)

    def _column_itself(self, part: Part, column: str) -> AttributeSpec:
        return AttributeSpec(part.attribute, "bag" if column in self.bags else "native", "form", 0, column)

    def _built_in(self, part: Part, column: str) -> AttributeSpec:
        if part.name in MATCHED and MATCHED[part.name].resource is None:
            return self._match(part, column)
        if part.name not in BUILT_IN:
            where = f"attribute or column in template {str(part)[:40]}:"
            error = unknown_name(where, part.name, self._names(part), most=_MOST_NAMES)
            raise ConfigError(f"{error}{self._hint(part.name)}")
        if BUILT_IN[part.name] and not part.number:
            raise _needs_number(part)
        if not BUILT_IN[part.name] and part.number is not None:
            raise _takes_no_number(part)
        return AttributeSpec(part.attribute, "native", part.name, part.number or 0, column)

    def _names(self, part: Part) -> set[str]:
        """The names that a part could have."""
        matched = {row.name for row in MATCHED.values() if row.resource is None or row.resource in self.resources}
        listed = {name for name, kind in {**LOOKUPS, **LISTED}.items() if kind in self.resources}
        functions = {*self.word_functions, *self.sentence_functions, *self.document_attributes}
        known = {*BUILT_IN, *functions, *matched, *listed}
        return known | set(self.columns) if part.column is None else known

    def _hint(self, name: str) -> str:
        """Say which resource an attribute needs."""
        kind = LOOKUPS.get(name) or LISTED.get(name) or _kind_of_matched(name) or name
        if kind not in KINDS:
            return ""
        named = [label for each, label in map(split_name, self.resources) if each == kind]
        other = f", or write {name}:{named[0]} for the resource {kind}:{named[0]}" if named else ""
        return f"; {KINDS[kind].hint}{other}"


def _kind_of_matched(name: str) -> str | None:
    return MATCHED[name].resource if name in MATCHED else None


def _name_resource(kind: str | None, part: Part) -> str:
    """Name the resource of a kind that a part looks in."""
    return "" if kind is None else kind if part.resource is None else f"{kind}:{part.resource}"


def _needs_number(part: Part, numbers: Sequence[int] = ()) -> ConfigError:
    example = f"{part.name}{numbers[0] if numbers else 3}"
    return ConfigError(f"template {part}: {part.name} needs a number, such as {example}")


def _takes_no_number(part: Part) -> ConfigError:
    return ConfigError(f"template {part}: {part.name} takes no number")
