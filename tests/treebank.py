"""Small treebanks for tests: sentences of a toy grammar with tags, heads and relations, some with crossing arcs."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tagloom.corpus import Corpus, to_string

_NOUNS = ("dog", "cat", "man", "park", "telescope", "saw")
_VERBS = ("saw", "likes", "sleeps", "finds")
_DETERMINERS, _ADJECTIVES, _PREPOSITIONS = ("the", "a"), ("old", "red", "small"), ("with", "in", "of")


@dataclass
class Word:
    """A word with its children on both sides, nearest last."""

    form: str
    tag: str
    relation: str = "root"
    left: list[Word] = field(default_factory=list)
    right: list[Word] = field(default_factory=list)

    def as_(self, relation: str) -> Word:
        self.relation = relation
        return self

    def spelled(self) -> list[Word]:
        before = [word for child in self.left for word in child.spelled()]
        return [*before, self, *(word for child in self.right for word in child.spelled())]


def _noun_phrase(draw: random.Random, depth: int = 0) -> Word:
    noun = Word(draw.choice(_NOUNS), "NOUN")
    noun.left.append(Word(draw.choice(_DETERMINERS), "DET", "det"))
    if draw.random() < 0.3:
        noun.left.append(Word(draw.choice(_ADJECTIVES), "ADJ", "amod"))
    if depth < 2 and draw.random() < 0.25:
        noun.right.append(_modifier(draw, depth + 1).as_("nmod"))
    return noun


def _modifier(draw: random.Random, depth: int = 1) -> Word:
    noun = _noun_phrase(draw, depth)
    noun.left.insert(0, Word(draw.choice(_PREPOSITIONS), "ADP", "case"))
    return noun


def rows(draw: random.Random, crossing: bool = False) -> list[tuple[str, str, int, str]]:
    """One sentence: form, tag, head (from 1, 0 for the root), relation; if ``crossing`` a modifier of the subject
    stands behind the verb."""
    verb, subject = Word(draw.choice(_VERBS), "VERB"), _noun_phrase(draw).as_("nsubj")
    verb.left.append(subject)
    if draw.random() < 0.6:
        verb.right.append(_noun_phrase(draw).as_("obj"))
    if draw.random() < 0.4:
        verb.right.append(_modifier(draw).as_("obl"))
    verb.right.append(Word(".", "PUNCT", "punct"))
    late = [_modifier(draw).as_("nmod")] if crossing else []
    spelled = [*verb.spelled(), *(word for each in late for word in each.spelled())]
    number = {id(word): place for place, word in enumerate(spelled, 1)}
    head = {id(child): number[id(word)] for word in spelled for child in (*word.left, *word.right)}
    head |= {id(word): number[id(subject)] for word in late}
    return [(word.form, word.tag, head.get(id(word), 0), word.relation) for word in spelled]


def treebank(sentences: int, seed: int = 1, *, crossing: float = 0.0, tag: str = "upos") -> Corpus:
    """A corpus with columns form, upos, head, deprel; ``crossing``: the share of trees that are not projective."""
    draw = random.Random(seed)
    drawn = [rows(draw, draw.random() < crossing) for _ in range(sentences)]
    columns = zip(*(row for sentence in drawn for row in sentence), strict=True)
    names = ("form", tag, "head", "deprel")
    texts = {name: list(map(str, column)) for name, column in zip(names, columns, strict=True)}
    return Corpus.from_columns(texts, list(map(len, drawn)))


def conllu(sentences: int, seed: int = 1, *, crossing: float = 0.0) -> str:
    return to_string(treebank(sentences, seed, crossing=crossing), "conllu")
