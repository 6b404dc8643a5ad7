"""Annotations as spaCy documents.

A ``Doc`` is its words and whether a blank follows each, so that other blanks become tokens, as in spaCy's own
tokenizers; ``doc.text`` is the text of the annotation. Words that a multiword token hides are words of the document:
then its text has the words instead of the surface.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tagloom.errors import ConfigError, unknown_name
from tagloom.text.annotation import Annotation, SpanLayer
from tagloom.text.checks import list_hidden_words

# spaCy refuses other values of ``token.pos_``.
_UPOS = frozenset(["ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT",
                   "SCONJ", "SYM", "VERB", "X"])  # fmt: skip
_TAGS = ("xpos", "pos", "tag")  # the column of ``token.tag_``, best first
_FEATURES = re.compile(r"[^=|]+=[^=|]+(\|[^=|]+=[^=|]+)*")


@dataclass
class _Words:
    """The words of the document: those of the annotation, and blanks between them."""

    words: list[str] = field(default_factory=list)
    spaces: list[bool] = field(default_factory=list)
    numbers: list[int | None] = field(default_factory=list)  # token of the annotation, None for blanks

    def add(self, word: str, number: int | None = None) -> None:
        self.words.append(word)
        self.spaces.append(False)
        self.numbers.append(number)

    def add_gap(self, gap: str) -> None:
        """Add what stands between two words: one blank belongs to the word before it."""
        if gap.startswith(" ") and self.words and not self.spaces[-1]:
            self.spaces[-1] = True
            gap = gap[1:]
        if gap:
            last = len(gap) > 1 and gap.endswith(" ")
            self.add(gap[:-1] if last else gap)
            self.spaces[-1] = last


def build_doc(annotation: Annotation, vocab: Any, entities: str | None) -> Any:
    """Build the document; see ``Annotation.to_spacy``."""
    try:
        from spacy.tokens import Doc
        from spacy.vocab import Vocab
    except ImportError:
        raise ConfigError("a spaCy Doc needs spaCy: pip install spacy") from None
    words = _list_words(annotation)
    owners = words.numbers
    layer = _choose_entities(annotation, entities)
    labels = [] if layer is None else layer.to_labels(len(annotation))
    doc = Doc(
        Vocab() if vocab is None else vocab,
        words=words.words,
        spaces=words.spaces,
        ents=_spread_entities(labels, owners) if layer is not None else None,
        **_spread_columns(annotation, owners),
        **(_spread_heads(annotation, owners) if annotation.heads else _spread_sentences(annotation, owners)),
    )
    _add_groups(doc, annotation, owners)
    return doc


def _list_words(annotation: Annotation) -> _Words:
    found, at = _Words(), 0
    hidden = list_hidden_words(annotation)
    places = zip(annotation.words, annotation.starts.tolist(), annotation.ends.tolist())
    for token, (word, start, end) in enumerate(places):
        found.add_gap(annotation.text[at:start] if start >= at or token not in hidden else " ")
        found.add(word, token)
        at = end
    found.add_gap(annotation.text[at:])
    return found


def _choose_entities(annotation: Annotation, name: str | None) -> SpanLayer | None:
    if name is None:
        return annotation.get_entity_layer()
    layer = next((each for each in annotation.layers if each.name == name), None)
    if layer is None:
        raise unknown_name("layer of the annotation", name, [each.name for each in annotation.layers])
    if layer.has_overlaps():
        raise ConfigError(f"layer {name!r} has overlapping spans, which doc.ents cannot hold; use doc.spans[{name!r}]")
    return layer


def _spread(values: Sequence[str], owners: Sequence[int | None]) -> list[str]:
    return ["" if owner is None else values[owner] for owner in owners]


def _spread_entities(labels: Sequence[str], owners: Sequence[int | None]) -> list[str]:
    """IOB2 labels; blanks inside an entity belong to it."""
    spread = []
    for place, owner in enumerate(owners):
        label = "O" if owner is None else labels[owner]
        after = next((labels[number] for number in owners[place:] if number is not None), "O") if owner is None else ""
        spread.append(after if after.startswith("I-") else label)
    return spread


def _spread_columns(annotation: Annotation, owners: Sequence[int | None]) -> dict[str, list[str]]:
    columns = annotation.columns
    found = {"tags": next((columns[name] for name in _TAGS if name in columns), None)}
    found |= {"lemmas": columns.get("lemma")}
    if "upos" in columns:
        found["pos"] = [tag if tag in _UPOS else "" for tag in columns["upos"]]
    if "feats" in columns:
        found["morphs"] = [feats if _FEATURES.fullmatch(feats) else "" for feats in columns["feats"]]
    return {name: _spread(values, owners) for name, values in found.items() if values is not None}


def _spread_sentences(annotation: Annotation, owners: Sequence[int | None]) -> dict[str, Any]:
    firsts = set(annotation.sentences.tolist())
    return {"sent_starts": [owner in firsts for owner in owners]}


def _spread_heads(annotation: Annotation, owners: Sequence[int | None]) -> dict[str, Any]:
    """Heads as places in the document; a root is its own head, and blanks depend on the word before them."""
    assert annotation.heads is not None
    heads = annotation.column(annotation.heads)
    relations = annotation.column(annotation.relations) if annotation.relations else ["dep"] * len(annotation)
    places = {owner: place for place, owner in enumerate(owners) if owner is not None}
    found = []
    for place, owner in enumerate(owners):
        if owner is None:
            found.append(max(place - 1, 0) if place or len(owners) == 1 else min(place + 1, len(owners) - 1))
            continue
        head = int(heads[owner])
        found.append(places[annotation.sentence_of(owner).first + head - 1] if head else place)
    deps = ["dep" if owner is None else "ROOT" if int(heads[owner]) == 0 else relations[owner] for owner in owners]
    return {"heads": found, "deps": deps}


def _add_groups(doc: Any, annotation: Annotation, owners: Sequence[int | None]) -> None:
    from spacy.tokens import Span

    places = {owner: place for place, owner in enumerate(owners) if owner is not None}
    for layer in annotation.layers:
        doc.spans[layer.name] = [
            Span(doc, places[first], places[last - 1] + 1, label=label) for first, last, label, _ in layer.iterate()
        ]
