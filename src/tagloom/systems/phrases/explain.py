"""Why a phrase won: what passed the filters, what was proposed, what the chosen phrases beat, and by which features.

The search of phrase_chunker.hpp, spelled out over the scores of the core. Scores are those of the mean vector: sums of
votes over the number of decisions. What a feature says is by how much the score falls without it; at degree 1 this is
its weight.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

import tagloom._core as _core
from tagloom.corpus import Corpus
from tagloom.features import FeatureEncoder
from tagloom.systems.phrases.encode import PREDICATES, PhraseEncoder, compute_entity_key, prepare
from tagloom.systems.tables import Decision, Parts, Shown, Table

if TYPE_CHECKING:
    from tagloom.systems.phrases.model import PhraseChunker


_BEFORE, _AFTER, _, _WITHIN, _PATTERN, _FORM, _WHOLE_PATTERN, _ENTRY, _WORD = range(1, 10)  # PhraseFeatures::Role
_OUTSIDE = 0x9216D5D98979FB1B
_SIZES = (2, 3, 4)  # of patterns in a phrase

Named = tuple[str, int]  # a feature: name and key


class PhraseWords:
    """The words of one sentence with their predicates, by name and number."""

    def __init__(self, encoder: PhraseEncoder, corpus: Corpus, categories: Sequence[str]) -> None:
        self.window, self.categories = encoder.window, categories
        self.words = corpus.sentence(0, encoder.main)
        self.around, self.inside = (_predicates(each, corpus) for each in encoder.predicates)
        forms = corpus.column(encoder.main)
        self.types = encoder.word_types(forms.strings)[forms.codes].tolist()
        self.lists = _Lists.of(encoder, corpus)
        self.forms = [_core.hash_string(word) for word in self.words]

    def features(self, s: int, e: int, left: Sequence[int]) -> Iterator[Named]:
        """List the features of the phrase from word s to e; ``left`` has the categories before it, nearest first."""
        for place in range(self.window + 1):
            yield from self._beside(s - place, _core.mix(_BEFORE, place), f"s-{place}" if place else "s")
            yield from self._beside(e + place, _core.mix(_AFTER, place), f"e+{place}" if place else "e")
        for place, category in enumerate(left[: self.window], 1):
            if category >= 0:
                yield f"phrase[s-{place}]={self.categories[category]}", compute_entity_key(place, category)
        within = _core.mix(_WITHIN, 0)
        for word in range(s, e + 1):
            yield from ((_place(name, "s..e"), _core.mix(within, number)) for name, number in self.inside[word])
        yield from self._patterns(s, e)
        yield from self._whole(s, e)
        if self.lists is not None:
            yield from self.lists.features(s, e)

    def _beside(self, word: int, place: int, name: str) -> Iterator[Named]:
        if not 0 <= word < len(self.words):
            yield f"outside[{name}]", _core.mix(place, _OUTSIDE)
            return
        yield from ((_place(text, name), _core.mix(place, number)) for text, number in self.around[word])

    def _patterns(self, s: int, e: int) -> Iterator[Named]:
        for first in range(s, e + 1):
            for size in _SIZES:
                if first + size - 1 <= e:
                    types = self.types[first : first + size]
                    yield f"pattern{size}={_text(types)}", _core.mix(_core.mix(_PATTERN, size), _chain(*types))

    def _whole(self, s: int, e: int) -> Iterator[Named]:
        words, types = self.forms[s : e + 1], self.types[s : e + 1]
        yield f"whole={' '.join(self.words[s : e + 1])}", _chain(_core.mix(_FORM, 0), *words)
        yield f"pattern={_text(types)}", _chain(_core.mix(_WHOLE_PATTERN, 0), *types)


@dataclass(frozen=True)
class _Lists:
    """Lists of the gazetteer, as bits, of the words of a sentence and of entries in it."""

    names: Sequence[str]
    words: list[int]
    entries: list[dict[int, int]]  # of every word: length of an entry that begins there -> lists

    @classmethod
    def of(cls, encoder: PhraseEncoder, corpus: Corpus) -> _Lists | None:
        if encoder.gazetteer is None:
            return None
        words, offsets, lengths, lists = encoder.lists(corpus)
        bounds = itertools.pairwise(offsets.tolist())
        entries = [dict(zip(lengths[a:b].tolist(), lists[a:b].tolist(), strict=True)) for a, b in bounds]
        return cls(encoder.gazetteer.names, words.tolist(), entries)

    def features(self, s: int, e: int) -> Iterator[Named]:
        yield from self._name(self.entries[s].get(e - s + 1, 0), _ENTRY, "entry")
        for word in range(s, e + 1):
            yield from self._name(self.words[word], _WORD, "listed[s..e]")

    def _name(self, lists: int, role: int, name: str) -> Iterator[Named]:
        place = _core.mix(role, 0)
        for number, each in enumerate(self.names):
            if lists >> number & 1:
                yield f"{name}={each}", _core.mix(place, number)


def _predicates(encoder: FeatureEncoder, corpus: Corpus) -> list[list[Named]]:
    store, batch = prepare(encoder, corpus)
    described = encoder.describe(store, batch, 0)
    return [[(each.name, PREDICATES.find(each.key)) for each in word if not each.edge] for word in described]


def _place(name: str, place: str) -> str:
    return name.replace("[0]=", f"[{place}]=")


def _chain(first: int, *others: int) -> int:
    for other in others:
        first = _core.mix(first, other)
    return first


def _text(types: Sequence[int]) -> str:
    return "".join(map(chr, types))


CHOSEN, BEATEN, NOT_WORTH_IT = "chosen", "beaten", "not worth it"
_LOCK = Lock()  # perceptrons that are asked for single scores are used by one thread at a time
Scores = NDArray[np.float64]
Contributions = tuple[tuple[str, float], ...]  # feature, what it says; largest first


_TOP = 3  # features of every phrase


def _list_passed(score: float, passes: bool) -> str:
    return f"{score:+,.1f} {'yes' if passes else 'no'}"


_NO_PHRASE = "no phrase"


def _decide(phrase: ProposedPhrase, top: int | None) -> Decision:
    """The decision for the best category, over the next one or over no phrase."""
    rival, score = phrase.scores[1] if len(phrase.scores) > 1 else (_NO_PHRASE, 0.0)
    features = phrase.contributions[:top]
    return Decision(phrase.start, phrase.stop, phrase.category, rival, phrase.score - score, features, phrase.verdict)


def _to_row(phrase: ProposedPhrase, top: int) -> tuple[str, ...]:
    others = ", ".join(f"{category} {score:+,.1f}" for category, score in phrase.scores[1 : top + 1])
    against = ", ".join(f"{start}:{stop} {category}" for start, stop, category in phrase.overlapping)
    features = ", ".join(f"{name} {said:+,.1f}" for name, said in phrase.contributions[:top])
    place, words = f"{phrase.start}:{phrase.stop}", " ".join(phrase.words)
    return place, words, phrase.verdict, phrase.category, f"{phrase.score:+,.1f}", others, against, features


@dataclass(frozen=True)
class FilteredWord:
    """A word with its scores as the first word of a phrase and as a later one; a score above 0 passes the filter."""

    word: str
    begin: float
    inside: float

    @property
    def begins(self) -> bool:
        """Whether a phrase may begin here."""
        return self.begin > 0

    @property
    def continues(self) -> bool:
        """Whether a phrase may continue here."""
        return self.inside > 0


@dataclass(frozen=True)
class ProposedPhrase:
    """A phrase that the filters proposed, with the scores of all categories, best first."""

    start: int
    stop: int
    words: tuple[str, ...]
    scores: tuple[tuple[str, float], ...]
    verdict: str  # "chosen"; "beaten" by those that were; "not worth it": no better than no phrase
    overlapping: tuple[tuple[int, int, str], ...] = ()  # of a chosen one: what it beat; of a beaten one: by what
    contributions: Contributions = ()  # for its category over the next one, or over no phrase

    @property
    def category(self) -> str:
        """The best category."""
        return self.scores[0][0]

    @property
    def score(self) -> float:
        """The score of the best category."""
        return self.scores[0][1]

    @property
    def is_chosen(self) -> bool:
        """Whether the phrase is part of the output."""
        return self.verdict == CHOSEN


@dataclass(frozen=True)
class PhraseExplanation(Shown):
    """Why the phrases of one sentence won: words before the filters, and all phrases that passed them."""

    words: tuple[FilteredWord, ...]
    phrases: tuple[ProposedPhrase, ...]

    def __repr__(self) -> str:
        words = " ".join(each.word for each in self.words)
        return f"<PhraseExplanation {words}: {len(self.spans)} of {len(self.phrases)} proposed phrases chosen>"

    def to_parts(self, top: int | None = None) -> Parts:
        """Build tables: words before the filters, then the proposed phrases with verdicts and features."""
        count = _TOP if top is None else top
        words = [(each.word, _list_passed(each.begin, each.begins), _list_passed(each.inside, each.continues))
                 for each in self.words]  # fmt: skip
        filters = ("begins a phrase", "continues one")
        first = Table(("word", *filters), words, filters)
        if not self.phrases:
            return [first, "No phrase was proposed."]
        headers = ("phrase", "words", "verdict", "category", "score", "other categories", "against", "because of")
        return [first, Table(headers, [_to_row(phrase, count) for phrase in self.phrases], ["score"])]

    def to_dict(self, top: int | None = None) -> dict[str, object]:
        """Build plain values."""
        count = _TOP if top is None else top
        phrases = [
            {
                "start": phrase.start,
                "stop": phrase.stop,
                "words": phrase.words,
                "verdict": phrase.verdict,
                "scores": dict(phrase.scores),
                "overlapping": phrase.overlapping,
                "features": [{"name": name, "weight": said} for name, said in phrase.contributions[:count]],
            }
            for phrase in self.phrases
        ]
        return {"words": [asdict(word) for word in self.words], "phrases": phrases, "spans": self.spans}

    def list_decisions(self, top: int | None = None, gold: Sequence[str] | None = None) -> list[Decision]:
        """List one decision per proposed phrase, and one per word that no phrase may begin or continue with."""
        proposed = {place for phrase in self.phrases for place in range(phrase.start, phrase.stop)}
        found = [
            *(_decide(phrase, top) for phrase in self.phrases),
            *(
                Decision(place, place + 1, _NO_PHRASE, "a phrase begins", -word.begin, (), "the filters propose none")
                for place, word in enumerate(self.words)
                if place not in proposed
            ),
        ]
        return sorted(found, key=lambda decision: decision.first)

    @property
    def spans(self) -> list[tuple[int, int, str]]:
        """The phrases that were chosen."""
        return [(phrase.start, phrase.stop, phrase.category) for phrase in self.phrases if phrase.is_chosen]


def explain_phrases(chunker: PhraseChunker, corpus: Corpus) -> PhraseExplanation:
    """Explain the first sentence of a corpus."""
    sentence = _Sentence(chunker, corpus)
    proposals, chosen = sentence.search()
    phrases = [sentence.describe(each, proposals, chosen) for each in proposals]
    return PhraseExplanation(tuple(sentence.filtered), tuple(phrases))


@dataclass(frozen=True, eq=False)
class _Proposal:
    start: int
    stop: int
    features: list[tuple[str, int]]  # name, row
    scores: Scores

    def overlaps(self, other: _Proposal) -> bool:
        return self is not other and self.start < other.stop and other.start < self.stop


class _Sentence:
    def __init__(self, chunker: PhraseChunker, corpus: Corpus) -> None:
        self.recognition, self.parameters = chunker.recognition, chunker.parameters
        self.categories = chunker.categories
        self.seen = PhraseWords(chunker.encoder, corpus, self.categories)
        self.length = len(self.seen.words)
        self.filtered = self._filter(chunker, corpus)

    def _filter(self, chunker: PhraseChunker, corpus: Corpus) -> list[FilteredWord]:
        encoder, table = chunker.encoder.words, self.recognition.words
        store, batch = prepare(encoder, corpus)
        found = []
        for word, features in zip(self.seen.words, encoder.describe(store, batch, 0), strict=True):
            rows = _known(table.find(each.key) for each in features if not each.edge)
            begin, inside = _scores(self.recognition.filters, rows, self.parameters.filters.decisions)
            found.append(FilteredWord(word, float(begin), float(inside)))
        return found

    def search(self) -> tuple[list[_Proposal], list[_Proposal]]:
        """Find all proposals, and those of the best chunking; a phrase sees the best chunking before it."""
        best = [0.0] + [-np.inf] * self.length
        back: list[tuple[int, _Proposal | None]] = [(0, None)] * (self.length + 1)
        proposals = []
        for s in range(self.length):
            if best[s] >= best[s + 1]:
                best[s + 1], back[s + 1] = best[s], (s, None)
            left = self._left(back, s)
            for e in self._ends(s):
                proposals.append(proposal := self._proposal(s, e, left))
                total = best[s] + float(proposal.scores.max())
                if total > best[e + 1]:
                    best[e + 1], back[e + 1] = total, (s, proposal)
        path, at = list[_Proposal](), self.length
        while at > 0:
            at, last = back[at]
            path += [] if last is None else [last]
        return proposals, path

    def _ends(self, s: int) -> Iterator[int]:
        """List the last words of the phrases that may begin at s."""
        if not self.filtered[s].begins:
            return
        for e in range(s, min(self.length, s + self.recognition.longest)):
            if e > s and not self.filtered[e].continues:
                return
            yield e

    def _left(self, back: Sequence[tuple[int, _Proposal | None]], s: int) -> list[int]:
        """List the categories of the words before s in their best chunking, the nearest first."""
        left: list[int] = []
        while s > 0 and len(left) < self.seen.window:
            begin, proposal = back[s]
            left += [-1 if proposal is None else int(proposal.scores.argmax())] * (s - begin)
            s = begin
        return left[: self.seen.window]

    def _proposal(self, s: int, e: int, left: Sequence[int]) -> _Proposal:
        named = {key: name for name, key in self.seen.features(s, e, left)}
        rows = {key: self.recognition.phrases.find(key) for key in named}
        features = sorted(((named[key], row) for key, row in rows.items() if row >= 0), key=lambda each: each[1])
        return _Proposal(s, e + 1, features, self._scores([row for _, row in features]))

    def _scores(self, rows: Sequence[int]) -> Scores:
        return _scores(self.recognition.scorers, _known(rows), self.parameters.scorers.decisions)

    def describe(self, of: _Proposal, proposals: list[_Proposal], chosen: list[_Proposal]) -> ProposedPhrase:
        ranked = np.argsort(-of.scores, kind="stable").tolist()
        scores = tuple((self.categories[k], float(of.scores[k])) for k in ranked)
        is_chosen = of in chosen
        others = [each for each in (proposals if is_chosen else chosen) if each.overlaps(of)]
        verdict = CHOSEN if is_chosen else BEATEN if others and scores[0][1] > 0 else NOT_WORTH_IT
        words = tuple(self.seen.words[of.start : of.stop])
        names = tuple((each.start, each.stop, self.categories[int(each.scores.argmax())]) for each in others)
        said = self._contributions(of, ranked) if is_chosen else ()
        return ProposedPhrase(of.start, of.stop, words, scores, verdict, names, said)

    def _contributions(self, of: _Proposal, ranked: list[int]) -> Contributions:
        """Compute how much the margin over the next category, or over no phrase, falls without each feature."""

        def margin(scores: Scores) -> float:
            return float(scores[ranked[0]] - (scores[ranked[1]] if len(ranked) > 1 else 0.0))

        rows, whole = [row for _, row in of.features], margin(of.scores)
        said = [
            (name, whole - margin(self._scores([other for other in rows if other != row]))) for name, row in of.features
        ]
        return tuple(sorted((each for each in said if each[1]), key=lambda each: -abs(each[1])))


def _known(rows: Iterator[int] | Sequence[int]) -> NDArray[np.uint32]:
    return np.array(sorted({row for row in rows if row >= 0}), np.uint32)


def _scores(perceptrons: _core.Perceptrons, rows: NDArray[np.uint32], decisions: NDArray[np.int64]) -> Scores:
    with _LOCK:
        return perceptrons.scores(rows, True) / np.maximum(decisions, 1)
