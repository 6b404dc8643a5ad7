"""The rule files of the generator: nothing unused or undefined, and contexts that tell a name's type, or do not."""

from __future__ import annotations

import importlib.resources
import re
from collections import Counter
from collections.abc import Callable

import pytest

from tagloom.datasets import documents
from tagloom.datasets.cast import Entity
from tagloom.datasets.draft import Draft
from tagloom.datasets.grammar import Category, parse_grammar
from tagloom.datasets.lexicon import Lexicon, blocks

DATA = importlib.resources.files("tagloom.datasets") / "data"
GRAMMAR, LEXICON = ((DATA / f"newswire.{name}").read_text(encoding="utf-8") for name in ("grammar", "lexicon"))
STARTS = ("HEADLINE.", "BODY.", "ABOUT.")
DRAWN_BY_CAST = {"ambiguous", "person", "place", "company", "work", "country", "agency", "holiday"} | {
    "first", "firm", "feature", "event",
}  # fmt: skip


class RecordingDraft(Draft):
    """Notes for each mention whether its context tells the type; a name in a list shares the context of the first."""

    mentions: list[tuple[Entity, bool]]

    def choose(self, label: str | None) -> Entity:
        entity = super().choose(label)
        self.mentions = [*getattr(self, "mentions", []), (entity, label is not None)]
        return entity

    def choose_same(self) -> Entity:
        told = self.mentions[-1][1]
        entity = super().choose_same()
        self.mentions[-1] = (entity, told)
        return entity


@pytest.fixture
def mentions(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], list[tuple[Entity, bool]]]:
    """All mentions of a document whose recurring names are all ambiguous."""
    monkeypatch.setattr(documents, "Draft", RecordingDraft)

    def of(number: int) -> list[tuple[Entity, bool]]:
        drafts = documents._document(documents._generator(1, number), ambiguity=1.0)
        found = [(draft, mention) for draft in drafts for mention in getattr(draft, "mentions", [])]
        return [mention for draft, mention in found if mention[0] in draft._cast.members]

    return of


def test_ambiguous_names_stand_in_both_kinds_of_context(mentions: Callable[[int], list[tuple[Entity, bool]]]) -> None:
    told: Counter[bool] = Counter()
    for number in range(100):
        found = mentions(number)
        told.update(tells for _, tells in found)
        assert {entity for entity, _ in found} == {entity for entity, tells in found if tells}
    assert 0.5 < told[False] / told.total() < 0.6


def test_each_production_marks_one_head() -> None:
    for name, lines in blocks(GRAMMAR):
        for line in lines:
            symbols = [item for item in line.split() if not item.isdigit()]
            assert sum(item.endswith("*") for item in symbols) == (len(symbols) > 1), f"{name}: {line}"


def test_a_chunk_holds_no_category() -> None:
    for name, category in parse_grammar(GRAMMAR, Lexicon.parse(LEXICON)).items():
        inside = [item for production in category.productions for item in production.items]
        assert not (category.chunk and any(isinstance(item, Category) for item in inside)), name


def test_each_category_and_list_is_defined_once_and_used() -> None:
    used = {item.rstrip("*") for _, lines in blocks(GRAMMAR) for line in lines for item in line.split()}
    categories = [name for name, _ in blocks(GRAMMAR)]
    lists = [header.split()[0] for header, _ in blocks(LEXICON)]
    parts = {part.lower() for part in re.findall(r"\{(\w+)\}", LEXICON)}
    assert len(set(categories)) == len(categories)
    assert len(set(lists)) == len(lists)
    assert {name for name in categories if not name.startswith(STARTS)} <= used
    assert set(lists) <= DRAWN_BY_CAST | parts | {item.partition(".")[0] for item in used}


def test_lexicon_tables_are_complete() -> None:
    for header, lines in blocks(LEXICON):
        assert len(" ".join(lines).split()) % max(1, len(header.split()) - 1) == 0, header
