"""Dependency trees: heads and relations, gold and predicted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tagloom.corpus import Column
from tagloom.corpus.corpus import IntArray
from tagloom.corpus.schemes import BoolArray
from tagloom.evaluate import Counts
from tagloom.report.diagnosis.background import Background
from tagloom.report.diagnosis.buckets import ARC_LENGTHS, SENTENCE_LENGTHS, Buckets, Units, count_tokens_by
from tagloom.report.diagnosis.task import TREES, Error, Group, Matrix, Task, build_matrix

HEAD, RELATION, BOTH, NO_TOKEN = "wrong head", "wrong relation", "wrong head and relation", "no such token"
ABSENT = -1  # a head that is no word of the gold sentence
_MOST_RELATIONS = 25  # in a table of pairs
_DIRECTIONS = ("head to the left", "root", "head to the right")
_NO_RELATION = "arc"  # stands for the relations of trees without any


@dataclass(frozen=True)
class Arcs:
    """One side: the head of every token, counted from 1 in its sentence, 0 for the root; and relations."""

    heads: NDArray[np.int32]  # [N]
    relations: Column | None  # [N]

    def texts(self) -> list[str]:
        """List the relations."""
        return [_NO_RELATION] * len(self.heads) if self.relations is None else self.relations.texts()


class TreeTask(Task):
    """Arcs from words to their heads."""

    kind = TREES
    metric = "recall"
    kinds: ClassVar[Mapping[str, str]] = {
        HEAD: "The relation is right, the head is not.",
        RELATION: "The head is right, the relation is not.",
        BOTH: "Neither head nor relation are right.",
        NO_TOKEN: "The model cut the text otherwise, so that this token has no head.",
    }

    def __init__(
        self, gold: Arcs, guess: Arcs, sentences: IntArray, words: Sequence[str], tags: Column | None = None,
        present: BoolArray | None = None,
    ) -> None:  # fmt: skip
        self.name, self.title, self.unit, self.sentences = "trees", "Trees", "words", sentences
        self.gold, self.guess, self.words, self.tags = gold, guess, words, tags
        self._count = len(sentences) - 1
        self.present = np.ones(len(gold.heads), np.bool_) if present is None else present
        self.names = list(dict.fromkeys([*gold.texts(), *guess.texts()]))
        number = {name: place for place, name in enumerate(self.names)}
        self.relation, self.guessed = (
            np.array([number[text] for text in side.texts()], np.int32) for side in (gold, guess)
        )
        self.attached = (gold.heads == guess.heads) & self.present
        self.right = self.attached & (self.relation == self.guessed)
        self.sentence = np.repeat(np.arange(self._count), np.diff(sentences))
        self.metric_name = "LAS" if gold.relations is not None else "UAS"

    @cached_property
    def counts(self) -> Counts:
        """Arcs by relation; one is right if head and relation are."""
        return self._count_by(self.relation, self.right)

    @property
    def beside(self) -> tuple[str, Counts] | None:
        """The same with heads alone."""
        return None if self.gold.relations is None else ("UAS", self._count_by(self.relation, self.attached))

    def _count_by(self, part: NDArray[np.int32], right: BoolArray) -> Counts:
        mine = self.present
        units = Units(part, self.sentence, self.guessed[mine], self.sentence[mine], right)
        return units.count(self.names, self._count)

    # -- errors ------------------------------------------------------------------------------------------------------

    def list_errors(self) -> Sequence[Error]:
        """List all words with a wrong head or relation."""
        return self._errors

    @cached_property
    def _errors(self) -> list[Error]:
        found = []
        for token in np.flatnonzero(~self.right).tolist():
            sentence, present = int(self.sentence[token]), bool(self.present[token])
            place = self.place_of(token, token + 1, sentence)
            guess = self.names[self.guessed[token]] if present else None
            found.append(Error(sentence, self._classify(token), self.names[self.relation[token]], guess, place,
                               place if present else None))  # fmt: skip
        return found

    def _classify(self, token: int) -> str:
        if not self.present[token]:
            return NO_TOKEN
        if self.attached[token]:
            return RELATION
        return HEAD if self.relation[token] == self.guessed[token] else BOTH

    # -- tables ------------------------------------------------------------------------------------------------------

    def list_matrices(self) -> list[Matrix]:
        """List what relations are taken for which, whatever the heads are."""
        if self.gold.relations is None:
            return []
        mine = self.present
        pairs = Counter(zip(self.relation[mine].tolist(), self.guessed[mine].tolist()))
        named = {(self.names[gold], self.names[guess]): count for (gold, guess), count in pairs.items()}
        note = "Rows are relations of gold, columns those of the model, whatever the heads are."
        return [build_matrix("Confusion of relations", named, _MOST_RELATIONS, note)]

    def list_groups(self, background: Background) -> list[Group]:
        """List scores by length and direction of the arc, tag, length of the sentence, and known words."""
        own = np.arange(len(self.sentence)) - self.sentences[self.sentence] + 1
        away = np.where(self.gold.heads == 0, 0, self.gold.heads - own)
        groups = [
            self._group("Length of the arc", *_with_root(ARC_LENGTHS, np.abs(away)), "From word to head, in gold."),
            self._group("Direction of the arc", (np.sign(away) + 1).astype(np.int32), _DIRECTIONS),
        ]
        if self.tags is not None:
            groups.append(self._group("Tag of the word", self.tags.codes, self.tags.strings.strings()))
        known = background.mark_known(self.words)
        if known is not None:
            unknown, names = (~known).astype(np.int32), ("known words", "unknown words")
            groups.append(self._group("Known and unknown words", unknown, names, background.note))
        sizes = np.repeat(np.diff(self.sentences), np.diff(self.sentences))
        buckets = SENTENCE_LENGTHS
        return [*groups, self._group("Length of the sentence in tokens", buckets.number(sizes), buckets.names)]

    def _group(self, title: str, part: NDArray[np.int32], names: Sequence[str], note: str = "") -> Group:
        counts, heads = (
            count_tokens_by(part, names, right, self.sentence, self._count) for right in (self.right, self.attached)
        )
        beside = None if self.gold.relations is None else ("UAS", heads)
        return Group(title, counts, "accuracy", self.metric_name, note, beside)

    def show(self, sentence: int, *, gold: bool) -> Any:
        """Return heads and relations of a sentence; a head that gold does not have is -1."""
        first, last = self.sentences[sentence : sentence + 2].tolist()
        heads = self.gold.heads if gold else np.where(self.present, self.guess.heads, ABSENT)
        relations = self.relation if gold else self.guessed
        names = [self.names[number] for number in relations[first:last].tolist()]
        return {"heads": heads[first:last].tolist(), "relations": names}


def _with_root(buckets: Buckets, lengths: NDArray[np.integer]) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Number the buckets of arcs; the root, whose arc has no length, comes first."""
    return np.where(lengths == 0, 0, buckets.number(lengths) + 1).astype(np.int32), ("root", *buckets.names)
