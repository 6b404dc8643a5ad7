"""One tag per token: parts of speech, features, lemmas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from tagloom.corpus import Column
from tagloom.corpus.corpus import IntArray
from tagloom.evaluate import Counts
from tagloom.report.diagnosis.background import Background
from tagloom.report.diagnosis.buckets import FREQUENCIES, SENTENCE_LENGTHS, Units, count_tokens_by
from tagloom.report.diagnosis.task import NOTHING, TAGS, Error, Group, Matrix, Task, build_matrix

WRONG, NO_TOKEN = "wrong tag", "no such token"
_MOST_TAGS = 25  # in a table of pairs
_KNOWN = ("known words", "unknown words")


class TagTask(Task):
    """Tags, gold and predicted. A token that the model did not make itself has no tag (``NOTHING``)."""

    kind = TAGS
    kinds: ClassVar[Mapping[str, str]] = {
        WRONG: "The tag is not that of gold.",
        NO_TOKEN: "The model cut the text otherwise, so that this token has no tag.",
    }

    def __init__(
        self, name: str, gold: Column, guess: Column, sentences: IntArray, words: Sequence[str],
        present: np.ndarray[tuple[int], np.dtype[np.bool_]] | None = None,
    ) -> None:  # fmt: skip
        """``present`` marks the tokens that the model made, if it made them itself."""
        self.name, self.title, self.unit = name, f"Tags of {name}", "tokens"
        self.sentences, self.words, self._count = sentences, words, len(sentences) - 1
        names = dict.fromkeys([*gold.strings.strings(), *guess.strings.strings()])
        self.names = list(names)
        number = {each: place for place, each in enumerate(self.names)}
        self.gold, self.guess = (
            np.array([number[text] for text in side.strings.strings()], np.int32)[side.codes] for side in (gold, guess)
        )
        self.present = np.ones(len(self.gold), np.bool_) if present is None else present
        self.right = (self.gold == self.guess) & self.present
        self.sentence = np.repeat(np.arange(self._count), np.diff(sentences))

    @cached_property
    def counts(self) -> Counts:
        """Tokens by tag."""
        mine, there = self.present, self.sentence
        units = Units(self.gold, there, self.guess[mine], there[mine], self.right)
        return units.count(self.names, self._count)

    def list_errors(self) -> Sequence[Error]:
        """List all tokens with another tag than in gold."""
        return self._errors

    @cached_property
    def _errors(self) -> list[Error]:
        found = []
        for token in np.flatnonzero(~self.right).tolist():
            sentence, present = int(self.sentence[token]), bool(self.present[token])
            place = self.place_of(token, token + 1, sentence)
            guess = self.names[self.guess[token]] if present else None
            kind = WRONG if present else NO_TOKEN
            found.append(Error(sentence, kind, self.names[self.gold[token]], guess, place, place if present else None))
        return found

    def list_matrices(self) -> list[Matrix]:
        """List what tags are taken for which."""
        pairs = Counter((error.gold or NOTHING, error.guess or NOTHING) for error in self._errors)
        right = Counter(self.gold[self.right].tolist())
        pairs.update({(self.names[tag], self.names[tag]): count for tag, count in right.items()})
        return [
            build_matrix("Confusion of tags", pairs, _MOST_TAGS, "Rows are tags of gold, columns those of the model.")
        ]

    def list_groups(self, background: Background) -> list[Group]:
        """List accuracies of known and unknown words, by frequency in training and by length of the sentence."""
        groups = []
        known = background.mark_known(self.words)
        if known is not None:
            unknown = (~known).astype(np.int32)
            groups.append(self._group("Known and unknown words", unknown, _KNOWN, background.note))
        often = background.count_words(self.words)
        if often is not None:
            note = f"How often the word occurs in {background.source}."
            groups.append(self._group("Frequency in training", FREQUENCIES.number(often), FREQUENCIES.names, note))
        sizes = np.repeat(np.diff(self.sentences), np.diff(self.sentences))
        buckets = SENTENCE_LENGTHS
        return [*groups, self._group("Length of the sentence in tokens", buckets.number(sizes), buckets.names)]

    def _group(self, title: str, part: Any, names: Sequence[str], note: str = "") -> Group:
        counts = count_tokens_by(part, names, self.right, self.sentence, self._count)
        return Group(title, counts, "accuracy", "accuracy", note)

    def show(self, sentence: int, *, gold: bool) -> Any:
        """Return the tags of a sentence."""
        first, last = self.sentences[sentence : sentence + 2].tolist()
        side = self.gold if gold else np.where(self.present, self.guess, -1)
        return [self.names[tag] if tag >= 0 else None for tag in side[first:last].tolist()]
