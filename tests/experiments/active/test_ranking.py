"""The best of a stream: the same as sorting everything, whatever the batches are, and no more is held than needed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagloom.corpus import from_sentences
from tagloom.experiments.active.diversity import choose_diverse
from tagloom.experiments.active.keys import compute_keys, draw_ties
from tagloom.experiments.active.ranking import Budget, Offer, Ranking
from tests.oracle import active as oracle

#: Few values, so that ties and duplicates are frequent: score, key, length.
SENTENCES = st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.integers(0, 9), st.integers(0, 4)), max_size=30)
BUDGETS = st.tuples(st.none() | st.integers(1, 6), st.none() | st.integers(1, 9)).filter(any)


def tie_of(key: int) -> int:
    return key * 7919 % 13


def offer(sentences: list[tuple[float, int, int]]) -> Offer:
    scores, keys, lengths = (list(each) for each in zip(*sentences)) if sentences else ([], [], [])
    ties = np.array([tie_of(key) for key in keys], np.uint64)
    return Offer(
        np.array(scores, np.float64), ties, np.array(keys, np.uint64), np.array(lengths, np.int64),
        np.ones(len(keys), np.bool_),
    )  # fmt: skip


@given(SENTENCES, BUDGETS, st.integers(1, 7))
def test_the_ranking_is_that_of_all_sentences_sorted(
    sentences: list[tuple[float, int, int]], budget: tuple[int | None, int | None], size: int
) -> None:
    lengths = {key: length for _, key, length in sentences}  # equal words have equal lengths
    sentences = [(score, key, lengths[key]) for score, key, _ in sentences]
    ranking: Ranking[int] = Ranking(Budget(*budget))
    for start in range(0, len(sentences), size):
        ranking.add(offer(sentences[start : start + size]), lambda number: number)
    expected = oracle.rank([(score, tie_of(key), key, length) for score, key, length in sentences], *budget)
    assert [(each.score, each.key) for each in ranking.finish()] == expected


def test_no_more_is_held_than_the_budget_needs() -> None:
    random = np.random.default_rng(1)
    few: Ranking[int] = Ranking(Budget(10))
    short: Ranking[int] = Ranking(Budget(tokens=100))
    built = []
    for start in range(0, 100_000, 1000):
        batch = [(float(score), start + n, 5) for n, score in enumerate(random.random(1000))]
        for ranking in (few, short):
            ranking.add(offer(batch), lambda number: built.append(number) or number)  # type: ignore[func-returns-value]
        assert len(few) <= 10
        assert len(short) <= 100 / 5 + 1
    assert len(built) < 1000  # contents are built for sentences that are kept for a while, not for all


@given(
    st.lists(st.tuples(st.lists(st.sampled_from(["a", "A", "b", "c", "d"]), min_size=1, max_size=5),
                       st.sampled_from([0.25, 0.5, 1.0])), max_size=12),
    BUDGETS,
)  # fmt: skip
def test_diverse_choice_is_the_greedy_one(
    candidates: list[tuple[list[str], float]], budget: tuple[int | None, int | None]
) -> None:
    sentences, uncertain = [words for words, _ in candidates], [value for _, value in candidates]
    found = choose_diverse(sentences, uncertain, Budget(*budget))
    numbers = [number for number, _ in found]
    for place, (number, gain) in enumerate(found):
        gains = oracle.list_gains(sentences, uncertain, numbers[:place], budget[1])
        assert gain == pytest.approx(gains[number], abs=1e-9)
        assert gain == pytest.approx(max(gains.values()), abs=1e-9)  # nothing better was left
    assert len(numbers) == budget[0] or not oracle.list_gains(sentences, uncertain, numbers, budget[1])


def test_a_near_duplicate_waits_until_others_are_chosen() -> None:
    sentences = [["Ann", "left", "Bonn"], ["Ann", "left", "bonn"], ["it", "rains"]]
    found = choose_diverse(sentences, [1.0, 0.9, 0.5], Budget(3))
    assert [number for number, _ in found] == [0, 2, 1]
    assert found[0][1] == 1.0
    assert found[2][1] == pytest.approx(0.0, abs=1e-9)


def test_keys_tell_words_and_their_order_apart_and_nothing_else() -> None:
    corpus = from_sentences([["a", "b"], ["b", "a"], ["ab"], ["a", "b"], ["a"], ["a", "a"]])
    keys = compute_keys(corpus, "form")
    assert keys[0] == keys[3]
    assert len(set(keys.tolist())) == 5
    other = compute_keys(from_sentences([["x"], ["b", "a"], ["a", "b"]]), "form")  # other codes, other places
    assert (other[2], other[1]) == (keys[0], keys[1])
    assert (draw_ties(keys, 1) != draw_ties(keys, 2)).all()
