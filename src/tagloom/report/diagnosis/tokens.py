"""Tokens and sentences that a model finds in text, as spans of its characters without white space."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from tagloom.corpus.corpus import IntArray
from tagloom.corpus.spans import Spans
from tagloom.evaluate import Counts
from tagloom.evaluate.alignment import Segmentation, match_spans
from tagloom.evaluate.counts import tally
from tagloom.report.diagnosis.background import Background
from tagloom.report.diagnosis.buckets import SPAN_LENGTHS, Units
from tagloom.report.diagnosis.spans import CUT, JOINED, SPLIT, find_clusters
from tagloom.report.diagnosis.task import TOKENS, Error, Group, Task

NO_END, WRONG_END = "sentence not ended", "sentence ended too early"


class TokenTask(Task):
    """Tokens, and ends of sentences. A place in a sentence counts its characters without white space."""

    kind = TOKENS
    kinds: ClassVar[Mapping[str, str]] = {
        SPLIT: "One token of gold was cut into several.",
        JOINED: "Several tokens of gold were joined to one.",
        CUT: "Tokens of gold were cut at other places.",
        NO_END: "A sentence of gold goes on in the output of the model.",
        WRONG_END: "The model ends a sentence inside one of gold.",
    }

    def __init__(self, gold: Segmentation, guess: Segmentation) -> None:
        self.name, self.title, self.unit = "tokens", "Tokens and sentences", "tokens"
        self.gold, self.guess = gold, guess
        self.sentences = np.append(gold.sentences[:, 0], len(gold.characters))
        self._count = len(gold.sentences)
        self.common = match_spans(gold.tokens, guess.tokens)

    @cached_property
    def counts(self) -> Counts:
        """Tokens, in the gold sentences in which they begin."""
        right = self.gold.tokens[self.common[0], 0]
        tables = (self._tally(starts) for starts in (right, self.guess.tokens[:, 0], self.gold.tokens[:, 0]))
        return Counts(("tokens",), *tables)

    def _tally(self, starts: IntArray) -> IntArray:
        sentence = self._find_sentences(starts)
        return tally(np.zeros(len(sentence), np.int32), sentence, (1, self._count))

    def _find_sentences(self, starts: IntArray) -> IntArray:
        return np.searchsorted(self.gold.sentences[:, 0], starts, side="right") - 1

    def list_errors(self) -> Sequence[Error]:
        """List all errors, in the order of the text."""
        return self._errors

    @cached_property
    def _errors(self) -> list[Error]:
        found = [*self._list_cuts(), *self._list_ends()]
        return sorted(found, key=lambda error: (error.sentence, error.place))

    def _list_cuts(self) -> Iterator[Error]:
        gold, guess = (
            _to_spans(np.delete(side.tokens, numbers, axis=0)) for side, numbers in
            zip((self.gold, self.guess), self.common)
        )  # fmt: skip
        for mine, theirs in find_clusters(gold, guess):
            kind = SPLIT if len(mine) == 1 else JOINED if len(theirs) == 1 else CUT
            start, stop = int(gold.start[mine[0]]), int(gold.stop[mine[-1]])
            sentence = int(self._find_sentences(np.array([start]))[0])
            texts = [
                " ".join(self._text(side.start[n], side.stop[n]) for n in own)
                for side, own in ((gold, mine), (guess, theirs))
            ]
            place = self.place_of(start, stop, sentence)
            yield Error(sentence, kind, texts[0], texts[1], place, place)

    def _list_ends(self) -> Iterator[Error]:
        """List ends of sentences that one side has and the other has not; the end of the text is no decision."""
        ends = [set(side.sentences[side.sentences[:, 0] < side.sentences[:, 1], 1].tolist()) for side in
                (self.gold, self.guess)]  # fmt: skip
        for kind, lone in ((NO_END, ends[0] - ends[1]), (WRONG_END, ends[1] - ends[0])):
            for end in sorted(lone - {len(self.gold.characters)}):
                sentence = int(self._find_sentences(np.array([end - 1]))[0])
                last = self.place_of(end - 1, end, sentence)
                names = ("end", "no end") if kind == NO_END else ("no end", "end")
                yield Error(sentence, kind, *names, last, last)

    def _text(self, start: int, stop: int) -> str:
        return "".join(map(chr, self.gold.characters[start:stop].tolist()))

    def list_groups(self, background: Background) -> list[Group]:
        """List scores of tokens by their length in characters."""
        right = np.zeros(len(self.gold.tokens), np.bool_)
        right[self.common[0]] = True
        parts = [SPAN_LENGTHS.number(np.diff(side.tokens, axis=1)[:, 0]) for side in (self.gold, self.guess)]
        where = [self._find_sentences(side.tokens[:, 0]) for side in (self.gold, self.guess)]
        units = Units(parts[0], where[0], parts[1], where[1], right)
        return [Group("Length in characters", units.count(SPAN_LENGTHS.names, self._count), "f1", "F1")]

    def show(self, sentence: int, *, gold: bool) -> Any:
        """Return the tokens that share characters with a sentence, as texts, and whether a sentence ends after each."""
        first, last = self.gold.sentences[sentence].tolist()
        side = self.gold if gold else self.guess
        begin, end = (
            int(np.searchsorted(side.tokens[:, 1], first, side="right")),
            int(np.searchsorted(side.tokens[:, 0], last, side="left")),
        )
        ends = set(side.sentences[:, 1].tolist())
        shown = side.tokens[max(0, begin) : end].tolist()
        return [[start - first, self._text(start, stop), stop in ends] for start, stop in shown]


def _to_spans(places: IntArray) -> Spans:
    nothing = np.zeros(len(places), np.int32)
    return Spans(nothing, places[:, 0], places[:, 1], nothing, [""])
