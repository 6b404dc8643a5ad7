"""The phrase chunker against all chunkings enumerated, the paper's rules of feedback, and its features spelled out."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagloom import _core
from tests.oracle.phrases import (
    BEGIN,
    INSIDE,
    Phrase,
    PlainPerceptrons,
    PlainSentence,
    chunkings,
    feedback,
    left_of,
    phrase_keys,
    search,
)

few = settings(deadline=None, max_examples=40)
WORDS = 6  # distinct words, each with a feature of its own and some that it shares
CATEGORIES = 2
FAR = 100


def offsets(lists: Sequence[Sequence[object]]) -> np.ndarray:
    return np.cumsum([0, *map(len, lists)]).astype(np.int64)


def flat(lists: Sequence[Sequence[int]], kind: type) -> np.ndarray:
    return np.array(list(itertools.chain.from_iterable(lists)), kind)


def word_rows(word: int) -> list[int]:
    return sorted({word, WORDS + word % 2, WORDS + 2 + word % 3})


WORD_FEATURES = WORDS + 5


def plain(words: Sequence[int]) -> PlainSentence:
    return PlainSentence(
        around=[[w, 10 + w % 2] for w in words],
        inside=[[w, 20 + w % 3] for w in words],
        forms=[1000 + w for w in words],
        types=[w % 3 for w in words],
        word_lists=[[0, 3] if w == 1 else [1] if w == 2 else [] for w in words],
        entries=[[(1, 0), (2, 1)] if w == 1 and t + 1 < len(words) else [] for t, w in enumerate(words)],
    )


@dataclass
class Chunker:
    """Sentences of words, with a table of all features that their phrases have."""

    sentences: list[list[int]]
    degree: int = 2
    reach: int = 0
    dual: bool = True

    def __post_init__(self) -> None:
        self.plain = [plain(words) for words in self.sentences]
        self.data = phrase_data(self.sentences, self.plain, self.reach)
        ones = np.ones(sum(map(len, self.sentences)), np.uint8)
        lefts = [np.full(len(ones), category, np.int32) for category in range(-1, CATEGORIES)]
        keys = np.unique(np.concatenate([self.data.count(ones, ones, left, FAR)[0] for left in lefts]))
        self.row = {key: row for row, key in enumerate(keys.tolist())}
        self.table = _core.FeatureTable(keys)
        self.filters = _core.Perceptrons(WORD_FEATURES, 2, self.degree, self.dual)
        self.scorers = _core.Perceptrons(len(keys), CATEGORIES, self.degree, self.dual)

    def word(self, sentence: int, token: int) -> np.ndarray:
        return np.array(word_rows(self.sentences[sentence][token]), np.uint32)

    def phrase(self, sentence: int, start: int, stop: int, before: Sequence[Phrase] = ()) -> np.ndarray:
        left = left_of(list(before), start, self.reach)
        keys = phrase_keys(self.plain[sentence], start, stop, left, self.reach, _core.mix)
        return np.array(sorted({self.row[key] for key in keys}), np.uint32)

    def proposed(self, sentence: int, longest: int, voted: bool) -> Callable[[int, int], bool]:
        words = range(len(self.sentences[sentence]))
        passes = [(self.filters.scores(self.word(sentence, t), voted) > 0).tolist() for t in words]

        def is_proposed(start: int, stop: int) -> bool:
            inside = all(passes[t][INSIDE] for t in range(start + 1, stop))
            return stop - start <= longest and passes[start][BEGIN] and inside

        return is_proposed

    def score(self, sentence: int, phrases: list[Phrase], voted: bool) -> float:
        return float(sum(self.scorers.scores(self.phrase(sentence, s, e), voted)[k] for s, e, k in phrases))

    def recognise(self, *, voted: bool = False, longest: int = FAR, threads: int = 1) -> list[list[Phrase]]:
        at, begins, ends, categories = self.data.recognise(
            self.table, self.filters, self.scorers, longest, voted, threads
        )
        found = list(zip(begins.tolist(), ends.tolist(), categories.tolist()))
        return [found[a:b] for a, b in itertools.pairwise(at.tolist())]

    def learn(self, gold: Sequence[Sequence[Phrase]], order: Sequence[int] = (0,), longest: int = FAR) -> Any:
        columns = [flat([[phrase[i] for phrase in phrases] for phrases in gold], np.int64) for i in range(3)]
        columns[2] = columns[2].astype(np.int32)
        numbers = np.array(order, np.int64)
        return self.data.learn(self.table, self.filters, self.scorers, longest, numbers, offsets(gold), *columns)

    def updates(self) -> list[tuple[str, int, int, tuple[int, ...]]]:
        """What was learned, of filters and scorers: which, function, sign, instance."""
        found = []
        for name, perceptrons in (("filter", self.filters), ("score", self.scorers)):
            _, at, rows, functions, signs, _ = perceptrons.vectors()
            for (a, b), function, sign in zip(itertools.pairwise(at.tolist()), functions.tolist(), signs.tolist()):
                found.append((name, function, sign, tuple(rows[a:b].tolist())))
        return found


def phrase_data(drawn: list[list[int]], x: list[PlainSentence], reach: int, **changes: Any) -> Any:
    def joined(name: str) -> list[Any]:
        return list(itertools.chain.from_iterable(getattr(sentence, name) for sentence in x))

    words = [word_rows(w) for sentence in drawn for w in sentence]
    arrays: dict[str, Any] = {
        "sentences": offsets(drawn),
        "word_offsets": offsets(words),
        "word_rows": flat(words, np.uint32),
        "word_features": WORD_FEATURES,
        "around_offsets": offsets(joined("around")),
        "around_rows": flat(joined("around"), np.uint32),
        "inside_offsets": offsets(joined("inside")),
        "inside_rows": flat(joined("inside"), np.uint32),
        "forms": np.array(joined("forms"), np.uint64),
        "types": np.array(joined("types"), np.uint8),
        "word_lists": np.array([sum(1 << c for c in classes) for classes in joined("word_lists")], np.uint64),
        "entry_offsets": offsets(joined("entries")),
        "entry_lengths": np.array([n for entries in joined("entries") for n, _ in entries], np.uint32),
        "entry_lists": np.array([1 << c for entries in joined("entries") for _, c in entries], np.uint64),
        "reach": reach,
    }
    return _core.PhraseData(**{**arrays, **changes})


sentences = st.lists(st.integers(0, WORDS - 1), max_size=6)


@st.composite
def gold_phrases(draw: st.DrawFn, length: int) -> list[Phrase]:
    cuts = sorted(draw(st.sets(st.integers(0, length))))
    kept = [(a, b, draw(st.integers(-1, CATEGORIES - 1))) for a, b in itertools.pairwise(cuts)]
    return [phrase for phrase in kept if phrase[2] >= 0]


@st.composite
def labelled(draw: st.DrawFn) -> tuple[list[list[int]], list[list[Phrase]]]:
    drawn = draw(st.lists(sentences, min_size=1, max_size=4))
    return drawn, [draw(gold_phrases(len(sentence))) for sentence in drawn]


# -- features --


@given(words=sentences, reach=st.integers(0, 3), longest=st.integers(1, 4), data=st.data())
@few
def test_features_are_those_spelled_out(words: list[int], reach: int, longest: int, data: st.DataObject) -> None:
    flags = st.lists(st.integers(0, 1), min_size=len(words), max_size=len(words))
    begins, insides = data.draw(flags), data.draw(flags)
    categories = [-1 if flag else 1 for flag in data.draw(flags)]
    expected: Counter[int] = Counter()
    for start in range(len(words)):
        for stop in range(start + 1, min(start + longest, len(words)) + 1):
            if begins[start] and all(insides[start + 1 : stop]):
                left = categories[:start][::-1]
                expected.update(phrase_keys(plain(words), start, stop, left, reach, _core.mix))
    given_ = phrase_data([words], [plain(words)], reach)
    keys, counts = given_.count(
        np.array(begins, np.uint8), np.array(insides, np.uint8), np.array(categories, np.int32), longest
    )
    assert dict(zip(keys.tolist(), counts.tolist())) == expected
    assert keys.tolist() == sorted(expected)


# -- search --


@given(given_=labelled(), degree=st.integers(1, 3), longest=st.sampled_from([1, 2, FAR]), voted=st.booleans())
@few
def test_the_best_chunking_of_all(
    given_: tuple[list[list[int]], list[list[Phrase]]], degree: int, longest: int, voted: bool
) -> None:
    drawn, gold = given_
    chunker = Chunker(drawn, degree)
    chunker.learn(gold, [*range(len(drawn))] * 3, longest)
    for number, (words, found) in enumerate(zip(drawn, chunker.recognise(voted=voted, longest=longest))):
        every = chunkings(len(words), chunker.proposed(number, longest, voted), CATEGORIES)
        assert found in map(list, chunkings(len(words), chunker.proposed(number, longest, voted), CATEGORIES))
        assert chunker.score(number, found, voted) == max(chunker.score(number, phrases, voted) for phrases in every)


@given(words=sentences, gold=st.data(), voted=st.booleans())
@few
def test_what_a_sentence_was_decided_by(words: list[int], gold: st.DataObject, voted: bool) -> None:
    chunker = Chunker([words], reach=0)
    chunker.learn([gold.draw(gold_phrases(len(words)))], [0, 0, 0])
    filtered, begins, ends, scores = chunker.data.proposals(
        chunker.table, chunker.filters, chunker.scorers, FAR, voted, 0
    )
    proposed = chunker.proposed(0, FAR, voted)
    spans = [(s, e) for s, e in itertools.combinations(range(len(words) + 1), 2) if proposed(s, e)]
    assert list(zip(begins.tolist(), ends.tolist())) == spans
    expected = [chunker.scorers.scores(chunker.phrase(0, *span), voted) for span in spans]
    np.testing.assert_array_equal(scores.reshape(-1, CATEGORIES), np.reshape(expected, (-1, CATEGORIES)))
    of_words = [chunker.filters.scores(chunker.word(0, t), voted) for t in range(len(words))]
    np.testing.assert_array_equal(filtered, np.reshape(of_words, -1))
    for start, stop in itertools.combinations(range(len(words) + 1), 2):
        keys = phrase_keys(chunker.plain[0], start, stop, [1, -1], 0, _core.mix)
        assert Counter(chunker.data.keys(0, start, stop, np.array([1, -1], np.int32)).tolist()) == Counter(keys)


def test_the_result_does_not_depend_on_the_number_of_threads() -> None:
    random = np.random.default_rng(3)
    drawn = [random.integers(0, WORDS, random.integers(0, 9)).tolist() for _ in range(40)]
    gold = [[(0, min(2, len(words)), words[0] % 2)] if words else [] for words in drawn]
    chunker = Chunker(drawn, reach=3)
    chunker.learn(gold, range(40))
    assert chunker.recognise(voted=True) == chunker.recognise(voted=True, threads=2)
    assert any(chunker.recognise(voted=True))


# -- feedback --


@given(given_=labelled(), degree=st.integers(1, 3))
@few
def test_feedback_is_that_of_the_paper(given_: tuple[list[list[int]], list[list[Phrase]]], degree: int) -> None:
    drawn, gold = given_
    chunker = Chunker(drawn, degree)
    filters, scorers = PlainPerceptrons(2, degree), PlainPerceptrons(CATEGORIES, degree)
    for number in [*range(len(drawn))] * 3:
        predicted = chunker.recognise()[number]
        chunker.learn(gold, [number])
        feedback(
            gold[number],
            predicted,
            filters,
            scorers,
            lambda t, n=number: frozenset(chunker.word(n, t).tolist()),
            lambda s, e, n=number: frozenset(chunker.phrase(n, s, e).tolist()),
        )
    for fast, plain_ in ((chunker.filters, filters), (chunker.scorers, scorers)):
        _, at, rows, functions, signs, _ = fast.vectors()
        for function in range(plain_.functions):
            bounds = [pair for pair, f in zip(itertools.pairwise(at.tolist()), functions.tolist()) if f == function]
            added = [frozenset(rows[a:b].tolist()) for a, b in bounds]
            assert list(zip(added, signs[functions == function].tolist())) == plain_.added[function]


@given(given_=labelled(), degree=st.integers(1, 2), reach=st.integers(1, 3), longest=st.sampled_from([2, FAR]))
@few
def test_feedback_sees_the_phrases_to_the_left(
    given_: tuple[list[list[int]], list[list[Phrase]]], degree: int, reach: int, longest: int
) -> None:
    """A phrase is scored, and moved, with the categories of the words before it in their best chunking."""
    drawn, gold = given_
    chunker = Chunker(drawn, degree, reach)
    scorers = PlainPerceptrons(CATEGORIES, degree)
    for number in [*range(len(drawn))] * 4:

        def phrase(start: int, stop: int, before: list[Phrase], n: int = number) -> frozenset[int]:
            return frozenset(chunker.phrase(n, start, stop, before).tolist())

        def score(start: int, stop: int, before: list[Phrase], category: int) -> float:
            return scorers.current(phrase(start, stop, before), category)

        best = search(len(drawn[number]), chunker.proposed(number, longest, voted=False), CATEGORIES, score)
        assert chunker.recognise(longest=longest)[number] == best[-1]
        filters = PlainPerceptrons(2, degree)
        _, at, rows, functions, signs, _ = chunker.filters.vectors()
        for (a, b), function, sign in zip(itertools.pairwise(at.tolist()), functions.tolist(), signs.tolist()):
            filters.add(frozenset(rows[a:b].tolist()), function, sign)
        gold_here = [each for each in gold[number] if each[1] - each[0] <= longest]
        feedback(
            gold_here,
            best[-1],
            filters,
            scorers,
            lambda t, n=number: frozenset(chunker.word(n, t).tolist()),
            lambda s, e, before=best: phrase(s, e, before[s]),
        )
        chunker.learn([gold_here if n == number else [] for n in range(len(drawn))], [number], longest)
    _, at, rows, functions, signs, _ = chunker.scorers.vectors()
    for function in range(CATEGORIES):
        bounds = [pair for pair, f in zip(itertools.pairwise(at.tolist()), functions.tolist()) if f == function]
        added = [frozenset(rows[a:b].tolist()) for a, b in bounds]
        assert list(zip(added, signs[functions == function].tolist())) == scorers.added[function]


def by_hand(begin: Sequence[int] = (), inside: Sequence[int] = ()) -> Chunker:
    """The sentence 0 1 2 3 4 with filters that let some words pass.

    At a high degree an instance is liked for itself, and little for what it shares with others.
    """
    chunker = Chunker([[0, 1, 2, 3, 4]], degree=5)
    for function, liked in ((BEGIN, begin), (INSIDE, inside)):
        for token in liked:
            chunker.filters.add(chunker.word(0, token), function, 1)
        for token in set(range(5)).difference(liked) if liked else ():
            for _ in range(2):
                chunker.filters.add(chunker.word(0, token), function, -1)
    return chunker


def news(chunker: Chunker, gold: list[Phrase], longest: int = FAR) -> tuple[Any, list[tuple[str, int, int, object]]]:
    """Report and updates of one sentence: words and phrases by their tokens."""
    before = chunker.updates()
    report = chunker.learn([gold], longest=longest)
    length = len(chunker.sentences[0])
    words = {tuple(chunker.word(0, t).tolist()): t for t in range(length)}
    spans = itertools.combinations(range(length + 1), 2)
    phrases = {tuple(chunker.phrase(0, s, e).tolist()): (s, e) for s, e in spans}
    added = list((Counter(chunker.updates()) - Counter(before)).elements())
    return report, [(n, f, sign, words[x] if n == "filter" else phrases[x]) for n, f, sign, x in added]


def test_a_phrase_that_the_filters_missed() -> None:
    report, updates = news(by_hand(), [(1, 3, 0)])
    assert report == (2, 1, 0, 0)
    assert updates == [("filter", BEGIN, 1, 1), ("filter", INSIDE, 1, 2)]


def test_a_phrase_that_was_blocked_at_its_first_word() -> None:
    _, updates = news(by_hand(inside=[2]), [(1, 3, 0)])
    assert updates == [("filter", BEGIN, 1, 1)]


def test_a_phrase_that_was_blocked_inside() -> None:
    _, updates = news(by_hand(begin=[1]), [(1, 3, 0)])
    assert updates == [("filter", INSIDE, 1, 2)]


def test_a_phrase_that_passed_and_was_not_chosen() -> None:
    _, updates = news(by_hand(begin=[1], inside=[2]), [(1, 3, 1)])
    assert updates == [("score", 1, 1, (1, 3))]


def test_a_phrase_that_is_too_long_to_be_proposed() -> None:
    report, updates = news(by_hand(begin=[1], inside=[2]), [(1, 3, 1)], longest=1)
    assert (report, updates) == ((0, 1, 0, 0), [])


def liking(chunker: Chunker, phrase: Phrase) -> Chunker:
    """Scorers that choose one phrase."""
    chunker.scorers.add(chunker.phrase(0, *phrase[:2]), phrase[2], 1)
    return chunker


@pytest.mark.parametrize(
    ("gold", "expected"),
    [
        ([(1, 3, 0)], []),
        ([], [("score", 0, -1, (1, 3)), ("filter", BEGIN, -1, 1), ("filter", INSIDE, -1, 2)]),
        ([(1, 3, 1)], [("score", 1, 1, (1, 3)), ("score", 0, -1, (1, 3))]),
        ([(1, 2, 0)], [("score", 0, 1, (1, 2)), ("score", 0, -1, (1, 3)), ("filter", INSIDE, -1, 2)]),
        (  # the first word of a gold phrase is no word inside a phrase
            [(2, 4, 0)],
            [
                ("filter", BEGIN, 1, 2),
                ("filter", INSIDE, 1, 3),
                ("score", 0, -1, (1, 3)),
                ("filter", BEGIN, -1, 1),
                ("filter", INSIDE, -1, 2),
            ],
        ),
        (
            [(0, 3, 0)],
            [
                ("filter", BEGIN, 1, 0),
                ("filter", INSIDE, 1, 1),
                ("score", 0, -1, (1, 3)),
                ("filter", BEGIN, -1, 1),
            ],
        ),
    ],
)
def test_a_phrase_that_was_predicted(gold: list[Phrase], expected: list[tuple[str, int, int, object]]) -> None:
    chunker = liking(by_hand(begin=[1], inside=[2]), (1, 3, 0))
    assert chunker.recognise() == [[(1, 3, 0)]]
    report, updates = news(chunker, gold)
    correct = int(gold == [(1, 3, 0)])
    assert report == (len(expected), len(gold) - correct, 1 - correct, correct)
    assert sorted(map(str, updates)) == sorted(map(str, expected))


# -- arrays that do not fit --


def refused() -> AbstractContextManager[object]:
    return pytest.raises(ValueError, match=r"\w")


@pytest.mark.parametrize(
    "changes",
    [
        {"sentences": [0, 2]},
        {"sentences": []},
        {"sentences": [0, 4, 3]},
        {"word_offsets": [0, 3, 6]},
        {"word_rows": [0] * 9},
        {"word_rows": [0, 6, 8, 1, 7, 99, 2, 6, 10]},
        {"word_features": 3},
        {"around_offsets": [0, 2, 9, 6]},
        {"around_rows": [1]},
        {"inside_offsets": [0]},
        {"types": [1]},
        {"word_lists": [1]},
        {"entry_offsets": [0, 2]},
        {"entry_offsets": [0, 0, 3, 2]},
        {"entry_lengths": [1]},
        {"entry_lists": [1]},
        {"reach": 101},
    ],
)
def test_sentences_that_do_not_fit(changes: dict[str, Any]) -> None:
    words = [[0, 1, 2]]
    kinds = {"word_rows": np.uint32, "around_rows": np.uint32, "inside_rows": np.uint32, "types": np.uint8,
             "word_lists": np.uint64, "entry_lengths": np.uint32, "entry_lists": np.uint64}  # fmt: skip
    arrays = {
        name: value if isinstance(value, int) else np.array(value, kinds.get(name, np.int64))
        for name, value in changes.items()
    }
    arrays = {"reach": 2, **arrays}
    phrase_data(words, [plain(words[0])], 2)  # fits without the changes
    with refused():
        phrase_data(words, [plain(words[0])], **arrays)


@pytest.mark.parametrize(
    "gold",
    [[(0, 2, 0), (1, 3, 0)], [(1, 1, 0)], [(2, 4, 0)], [(-1, 1, 0)], [(0, 1, 2)], [(0, 1, -1)], [(1, 2, 0), (0, 1, 0)]],
)
def test_gold_phrases_that_do_not_fit(gold: list[Phrase]) -> None:
    chunker = Chunker([[0, 1, 2]])
    with refused():
        chunker.learn([gold])
    assert chunker.updates() == []


@pytest.mark.parametrize("order", [[1], [-1]])
def test_sentences_out_of_range(order: list[int]) -> None:
    with refused():
        Chunker([[0, 1, 2]]).learn([[]], order)


def test_perceptrons_of_other_features() -> None:
    for name, made in (
        ("filters", _core.Perceptrons(WORD_FEATURES, 3, 2, True)),
        ("filters", _core.Perceptrons(WORD_FEATURES + 1, 2, 2, True)),
        ("scorers", _core.Perceptrons(1, CATEGORIES, 2, True)),
    ):
        chunker = Chunker([[0, 1, 2]])
        setattr(chunker, name, made)
        with refused():
            chunker.recognise()
        with refused():
            chunker.learn([[]])


def test_rows_in_order() -> None:
    at, rows = _core.ascending_rows(np.array([0, 3, 3, 5]), np.array([4, 1, 4, 2, 0], np.uint32))
    assert (at.tolist(), rows.tolist()) == ([0, 2, 2, 4], [1, 4, 0, 2])
    with refused():
        _core.ascending_rows(np.array([0, 3, 2]), np.array([4, 1], np.uint32))
