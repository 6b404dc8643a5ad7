"""A phrase-structure grammar with heads: one derivation gives forms, tags, chunks, entities and a dependency tree.

Each production has one head item and each constituent is contiguous, so the tree of the head words has one root and
is projective. The file format is described in ``data/newswire.grammar``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tagloom.datasets.draft import Draft
from tagloom.datasets.lexicon import Lexicon, WordList, blocks

_CHUNKS = {"NP", "VP", "PP", "ADVP", "ADJP", "SBAR", "PRT"}
_TYPES = ("PER", "LOC", "ORG", "MISC")

# Appends the tokens of a symbol to a draft, and returns the position of its head token.
Symbol = Callable[[Draft], int]


def _literal(item: str) -> Symbol:
    """Build the symbol of a fixed word."""
    form, _, tag = item.rpartition("/")
    return lambda draft: draft.append(form, tag)


def _word(words: WordList) -> Symbol:
    """Build the symbol of a word from a list."""
    label = f"B-{words.label}" if words.label else "O"
    return lambda draft: draft.append(draft.lexicon.word(words, draft.draw), words.tag, label)


def _mention(label: str | None, *, full: bool = False) -> Symbol:
    """Build the symbol of a name of the document; of any type for None, so that the context does not tell it."""

    def derive(draft: Draft) -> int:
        entity = draft.choose(label)
        return draft.append_name(entity.full if full else entity.short, entity.label)

    return derive


def _mention_same(draft: Draft) -> int:
    """Append a name of the same type as the name before it."""
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

    def __call__(self, draft: Draft) -> int:
        """Append the tokens of one of them, as symbols do."""
        production = self.productions[int(len(self.productions) * draft.draw())]
        start = len(draft.forms)
        heads = [item(draft) for item in production.items]
        head = heads[production.head]
        for dependent in heads:
            draft.attach(dependent, head)
        if self.chunk:
            draft.bracket(self.chunk, start)
        return head


def parse_grammar(text: str, lexicon: Lexicon) -> dict[str, Category]:
    """The categories by name."""
    bodies = dict(blocks(text))
    kinds = {name: name.partition(".")[0] for name in bodies}
    categories = {name: Category(kind if kind in _CHUNKS else None) for name, kind in kinds.items()}
    short = {label: _mention(label) for label in _TYPES}
    full = {f"{label}.full": _mention(label, full=True) for label in _TYPES}
    words = {name: _word(words) for name, words in lexicon.lists.items()}
    symbols: dict[str, Symbol] = {**short, **full, "ANY": _mention(None), "SAME": _mention_same, **words, **categories}
    for name, lines in bodies.items():
        for line in lines:
            weight, production = _production(line, symbols)
            categories[name].productions.extend([production] * weight)
    return categories


def _production(line: str, symbols: Mapping[str, Symbol]) -> tuple[int, Production]:
    items = line.split()
    weight = int(items.pop(0)) if items[0].isdigit() else 1
    head = next((i for i, item in enumerate(items) if item.endswith("*")), 0)
    names = [item.rstrip("*") for item in items]
    return weight, Production(tuple(_literal(name) if "/" in name else symbols[name] for name in names), head)
