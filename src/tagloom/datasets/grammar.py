"""A phrase-structure grammar with heads: one derivation gives forms, tags, chunks, entities and a dependency tree.

Each production has one head item and each constituent is contiguous, so the tree of the head words has one root and
is projective. The file format is described in ``data/newswire.grammar``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from tagloom.datasets.draft import Draft
from tagloom.datasets.lexicon import Lexicon, WordList, blocks

_CHUNKS = {"NP", "VP", "PP", "ADVP", "ADJP", "SBAR", "PRT"}
_TYPES = ("PER", "LOC", "ORG", "MISC")


class Symbol(Protocol):
    """What a production consists of."""

    def derive(self, draft: Draft) -> int:
        """Append the tokens of the symbol to the draft; return the position of its head token."""


@dataclass(frozen=True)
class Literal:
    """A fixed word."""

    form: str
    tag: str

    def derive(self, draft: Draft) -> int:
        """Append the tokens; return the position of the head."""
        return draft.append(self.form, self.tag)


@dataclass(frozen=True)
class Word:
    """A word from a list."""

    words: WordList

    def derive(self, draft: Draft) -> int:
        """Append the tokens; return the position of the head."""
        label = f"B-{self.words.label}" if self.words.label else "O"
        return draft.append(draft.lexicon.word(self.words, draft.draw), self.words.tag, label)


@dataclass(frozen=True)
class Mention:
    """A name of the document; with ``label`` None any of them, so that the context does not tell its type."""

    label: str | None
    full: bool = False

    def derive(self, draft: Draft) -> int:
        """Append the tokens; return the position of the head."""
        entity = draft.choose(self.label)
        return draft.append_name(entity.full if self.full else entity.short, entity.label)


@dataclass(frozen=True)
class SameMention:
    """A name of the same type as the name before it."""

    def derive(self, draft: Draft) -> int:
        """Append the tokens; return the position of the head."""
        entity = draft.choose_same()
        return draft.append_name(entity.short, entity.label)


@dataclass(frozen=True)
class Production:
    """One way to write a phrase."""

    items: tuple[Symbol, ...]
    head: int


@dataclass(frozen=True)
class Category:
    """The ways to write one phrase, each as often in the list as its weight says."""

    chunk: str | None
    productions: list[Production] = field(default_factory=list)

    def derive(self, draft: Draft) -> int:
        """Append the tokens; return the position of the head."""
        production = self.productions[int(len(self.productions) * draft.draw())]
        start = len(draft.forms)
        heads = [item.derive(draft) for item in production.items]
        head = heads[production.head]
        for dependent in heads:
            draft.attach(dependent, head)
        if self.chunk:
            draft.bracket(self.chunk, start)
        return head


def parse_grammar(text: str, lexicon: Lexicon) -> dict[str, Category]:
    """The categories by name."""
    bodies = dict(blocks(text))
    categories = {name: Category(_chunk_of(name)) for name in bodies}
    symbols: dict[str, Symbol] = {**_mentions(), **_words(lexicon), **categories}
    for name, lines in bodies.items():
        for line in lines:
            weight, production = _production(line, symbols)
            categories[name].productions.extend([production] * weight)
    return categories


def _chunk_of(category: str) -> str | None:
    kind = category.partition(".")[0]
    return kind if kind in _CHUNKS else None


def _mentions() -> dict[str, Symbol]:
    short = {label: Mention(label) for label in _TYPES}
    full = {f"{label}.full": Mention(label, full=True) for label in _TYPES}
    return {**short, **full, "ANY": Mention(None), "SAME": SameMention()}


def _words(lexicon: Lexicon) -> dict[str, Symbol]:
    return {name: Word(words) for name, words in lexicon.lists.items()}


def _production(line: str, symbols: Mapping[str, Symbol]) -> tuple[int, Production]:
    items = line.split()
    weight = int(items.pop(0)) if items[0].isdigit() else 1
    head = next((i for i, item in enumerate(items) if item.endswith("*")), 0)
    names = [item.rstrip("*") for item in items]
    return weight, Production(tuple(_literal(name) if "/" in name else symbols[name] for name in names), head)


def _literal(item: str) -> Literal:
    form, _, tag = item.rpartition("/")
    return Literal(form, tag)
