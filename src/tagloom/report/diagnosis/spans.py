"""Spans of labels: entities, chunks; and words that are cut from characters."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tagloom.corpus.corpus import IntArray
from tagloom.corpus.schemes import BoolArray
from tagloom.corpus.spans import Spans
from tagloom.evaluate import Counts
from tagloom.evaluate.units import count_spans
from tagloom.report.diagnosis.background import Background, join_words
from tagloom.report.diagnosis.buckets import FREQUENCIES, SENTENCE_LENGTHS, SPAN_LENGTHS, Buckets, Units
from tagloom.report.diagnosis.task import NOTHING, SPANS, Error, Group, Matrix, Place, Task, build_matrix

TYPE, BOUNDARIES, BOTH = "wrong type", "wrong boundaries", "wrong type and boundaries"
MISSED, SPURIOUS = "missed", "spurious"
SPLIT, JOINED, CUT = "split", "joined", "cut otherwise"

_MOST_TYPES = 30  # in a table of pairs
_SIDES = ("earlier", "same", "later")
Cluster = tuple[list[int], list[int]]  # numbers of gold and of predicted spans


def find_clusters(gold: Spans, guess: Spans) -> Iterator[Cluster]:
    """Find the spans that overlap each other, directly or by others; those of one side do not overlap."""
    events = [(start, stop, 0, n) for n, (start, stop) in enumerate(zip(gold.start.tolist(), gold.stop.tolist()))]
    events += [(start, stop, 1, n) for n, (start, stop) in enumerate(zip(guess.start.tolist(), guess.stop.tolist()))]
    cluster: Cluster = ([], [])
    end = -1
    for start, stop, side, number in sorted(events):
        if start >= end and any(cluster):
            yield cluster
            cluster = ([], [])
        cluster[side].append(number)
        end = max(end, stop)
    if any(cluster):
        yield cluster


def _mark_common(gold: Spans, guess: Spans) -> tuple[BoolArray, BoolArray]:
    """Mark the spans that both sides have, with the same boundaries and type: [G] and [P]."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys([*gold.types, *guess.types]))}
    keys = []
    for side in (gold, guess):
        types = np.array([numbers[name] for name in side.types], np.int64)[side.type] if len(side) else side.start
        keys.append((side.start * (len(numbers) + 1) + types) << 20 | np.minimum(side.stop - side.start, (1 << 20) - 1))
    return np.isin(keys[0], keys[1]), np.isin(keys[1], keys[0])


class SpanTask(Task):
    """Typed spans, gold and predicted."""

    kind = SPANS
    cuts_text: ClassVar[bool] = False
    known_names: ClassVar[tuple[str, str]] = ("all words known", "with unknown words")
    kinds: ClassVar[Mapping[str, str]] = {
        TYPE: "The boundaries are right, the type is not.",
        BOUNDARIES: "The type is right, the boundaries are not.",
        BOTH: "Gold and prediction overlap, but neither boundaries nor type agree.",
        MISSED: "Gold has a span where the model has none.",
        SPURIOUS: "The model has a span where gold has none.",
    }

    def __init__(self, name: str, gold: Spans, guess: Spans, sentences: IntArray, words: Sequence[str]) -> None:
        self.name, self.title, self.unit, self.sentences = name, f"Spans of {name}", "spans", sentences
        self.gold, self.guess, self.words = gold, guess, words
        self.right, self.found = _mark_common(gold, guess)
        self._count = len(sentences) - 1

    @cached_property
    def counts(self) -> Counts:
        """Spans by type."""
        return count_spans(self.gold, self.guess, self._count)

    # -- errors ------------------------------------------------------------------------------------------------------

    def list_errors(self) -> Sequence[Error]:
        """List all errors, in the order of the text."""
        return self._errors

    @cached_property
    def _errors(self) -> list[Error]:
        gold, guess = self.gold.where(~self.right), self.guess.where(~self.found)
        return [error for cluster in find_clusters(gold, guess) for error in self._read_cluster(gold, guess, *cluster)]

    def _read_cluster(self, gold: Spans, guess: Spans, mine: list[int], theirs: list[int]) -> Iterator[Error]:
        """Pair spans that overlap, the most similar first; what is left is missed or spurious."""
        pairs = sorted(itertools.product(mine, theirs), key=lambda pair: self._rate(gold, guess, *pair), reverse=True)
        partners: dict[int, int] = {}
        for i, j in pairs:
            if i not in partners and j not in partners.values() and self._rate(gold, guess, i, j)[2] > 0:
                partners[i] = j
        found = [self._build_error(gold, guess, i, partners.get(i)) for i in mine]
        found += [self._build_error(gold, guess, None, j) for j in theirs if j not in partners.values()]
        yield from sorted(found, key=lambda error: error.place)

    @staticmethod
    def _rate(gold: Spans, guess: Spans, i: int, j: int) -> tuple[bool, bool, int]:
        shared = min(gold.stop[i], guess.stop[j]) - max(gold.start[i], guess.start[j])
        is_same = gold.start[i] == guess.start[j] and gold.stop[i] == guess.stop[j]
        return bool(is_same), gold.types[gold.type[i]] == guess.types[guess.type[j]], int(shared)

    def _build_error(self, gold: Spans, guess: Spans, i: int | None, j: int | None) -> Error:
        kind = MISSED if j is None else SPURIOUS
        if i is not None and j is not None:
            is_same, has_type, _ = self._rate(gold, guess, i, j)
            kind = TYPE if is_same else BOUNDARIES if has_type else BOTH
        sentence = int(gold.sentence[i] if i is not None else guess.sentence[j])
        mine, theirs = self._describe(gold, i, sentence), self._describe(guess, j, sentence)
        return Error(sentence, kind, mine[0], theirs[0], mine[1], theirs[1])

    def _describe(self, spans: Spans, number: int | None, sentence: int) -> tuple[str | None, Place | None]:
        if number is None:
            return None, None
        place = self.place_of(spans.start[number], spans.stop[number], sentence)
        return spans.types[spans.type[number]], place

    # -- tables ------------------------------------------------------------------------------------------------------

    def list_matrices(self) -> list[Matrix]:
        """List what types are taken for which, and where wrong boundaries lie."""
        pairs = Counter((error.gold or NOTHING, error.guess or NOTHING) for error in self._errors)
        right = Counter(self.gold.types[number] for number in self.gold.type[self.right].tolist())
        pairs.update({(name, name): count for name, count in right.items()})
        note = (
            f"Rows are types of gold, columns those of the model; {NOTHING} stands for no span. Spans with the same "
            "type count as equal here if they overlap."
        )
        return [build_matrix("Confusion of types", pairs, _MOST_TYPES, note), *self._compare_boundaries()]

    def _compare_boundaries(self) -> list[Matrix]:
        counts = np.zeros((3, 3), np.int64)
        for error in self._errors:
            if error.gold_at and error.guess_at and error.kind in (BOUNDARIES, BOTH):
                sides = [int(np.sign(error.guess_at[side] - error.gold_at[side])) + 1 for side in (0, 1)]
                counts[sides[0], sides[1]] += 1
        if not counts.any():
            return []
        rows, columns = ([f"{name} {side}" for side in _SIDES] for name in ("begins", "ends"))
        note = "Predicted spans that overlap a span of gold: where they begin and end, compared with it."
        return [Matrix("Confusion of boundaries", tuple(rows), tuple(columns), counts, note)]

    def list_groups(self, background: Background) -> list[Group]:
        """List scores by length, by frequency in training, by known words and by length of the sentence."""
        lengths = [side.stop - side.start for side in (self.gold, self.guess)]
        groups = [self._group("Length in tokens", SPAN_LENGTHS, lengths)]
        units = background.units.get(self.name)
        if units is not None:
            often = [np.array([units.get(text, 0) for text in self._texts(side)], np.int64) for side in
                     (self.gold, self.guess)]  # fmt: skip
            note = f"How often the same text is such a span in {background.source}."
            groups.append(self._group("Frequency in training", FREQUENCIES, often, note))
        known = self._mark_known(background)
        if known is not None:
            groups.append(self._count_parts("Known and unknown words", self.known_names, known, background.note))
        sizes = np.diff(self.sentences)
        by_sentence = [sizes[side.sentence] for side in (self.gold, self.guess)]
        return [*groups, self._group("Length of the sentence in tokens", SENTENCE_LENGTHS, by_sentence)]

    def _texts(self, spans: Spans) -> list[str]:
        bounds = zip(spans.start.tolist(), spans.stop.tolist())
        return [join_words(self.words, start, stop, cuts_text=self.cuts_text) for start, stop in bounds]

    def _mark_known(self, background: Background) -> list[NDArray[np.int32]] | None:
        """Mark spans with unknown words: [G] and [P]."""
        known = background.mark_known(self.words)
        if known is None:
            return None
        unknown = np.concatenate([[0], np.cumsum(~known)])
        return [(unknown[side.stop] > unknown[side.start]).astype(np.int32) for side in (self.gold, self.guess)]

    def _group(self, title: str, buckets: Buckets, sides: Sequence[IntArray], note: str = "") -> Group:
        return self._count_parts(title, buckets.names, [buckets.number(side) for side in sides], note)

    def _count_parts(
        self, title: str, names: Sequence[str], sides: Sequence[NDArray[np.int32]], note: str = ""
    ) -> Group:
        units = Units(sides[0], self.gold.sentence, sides[1], self.guess.sentence, self.right)
        return Group(title, units.count(names, self._count), "f1", "F1", note)

    # -- sentences ---------------------------------------------------------------------------------------------------

    def show(self, sentence: int, *, gold: bool) -> Any:
        """Return the spans of a sentence: [first token, one past the last, type]."""
        side = self.gold if gold else self.guess
        first, last = np.searchsorted(side.sentence, [sentence, sentence + 1]).tolist()
        return [
            [*self.place_of(int(side.start[number]), int(side.stop[number]), sentence), side.types[side.type[number]]]
            for number in range(first, last)
        ]


class WordTask(SpanTask):
    """Words that are cut from characters. Words that overlap without being equal are one error together."""

    cuts_text = True
    known_names = ("in vocabulary", "out of vocabulary")
    kinds: ClassVar[Mapping[str, str]] = {
        SPLIT: "One word of gold was cut into several.",
        JOINED: "Several words of gold were joined to one.",
        CUT: "Words of gold were cut at other places.",
    }

    def __init__(self, name: str, gold: Spans, guess: Spans, sentences: IntArray, words: Sequence[str]) -> None:
        super().__init__(name, gold, guess, sentences, words)
        self.title, self.unit = "Words", "words"

    def _read_cluster(self, gold: Spans, guess: Spans, mine: list[int], theirs: list[int]) -> Iterator[Error]:
        if not mine or not theirs:
            return  # labels that cut no word, such as those of blanks
        kind = SPLIT if len(mine) == 1 else JOINED if len(theirs) == 1 else CUT
        sentence = int(gold.sentence[mine[0]])
        sides = ((gold, mine), (guess, theirs))
        places = [self.place_of(side.start[own[0]], side.stop[own[-1]], sentence) for side, own in sides]
        texts = [" ".join("".join(self.words[side.start[n] : side.stop[n]]) for n in own) for side, own in sides]
        yield Error(sentence, kind, texts[0], texts[1], places[0], places[1])

    def list_matrices(self) -> list[Matrix]:
        """List nothing: words have no types."""
        return []

    def _mark_known(self, background: Background) -> list[NDArray[np.int32]] | None:
        """Mark words that training did not have; those of both sides are looked up as wholes."""
        known = [background.mark_known(self._texts(side)) for side in (self.gold, self.guess)]
        return [(~mask).astype(np.int32) for mask in known if mask is not None] or None
