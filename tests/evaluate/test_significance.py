"""Resampling from counts: against loops, on cases with a known answer, and in bounded blocks."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tagloom.corpus.corpus import Column
from tagloom.errors import ConfigError, DataError
from tagloom.evaluate import (
    Counts,
    bootstrap,
    bootstrap_kinds,
    compare,
    compare_kinds,
    paired_bootstrap,
    paired_randomisation,
    score,
)
from tagloom.evaluate.counts import METRICS, PRF


def counts_of(table: list[tuple[int, int, int]]) -> Counts:
    """Counts of one kind from rows (correct, predicted, gold), one a sentence."""
    return Counts(("X",), *(column[None, :] for column in np.array(table).T))


def random_counts(seed: int, quality: float, sentences: int = 200) -> Counts:
    gold = np.random.default_rng(0).integers(0, 5, sentences)
    correct = np.random.default_rng(seed).binomial(gold, quality)
    return Counts(("X",), correct[None], gold[None], gold[None])


def test_interval_of_accuracy_is_the_binomial_one():
    # 400 sentences of one token, 80 % right: the standard error is sqrt(.8 × .2 / 400) = 2 %.
    interval = bootstrap(counts_of([(int(i % 5 > 0), 1, 1) for i in range(400)]), "accuracy", samples=4000)
    assert interval.value == 80
    assert (interval.low, interval.high) == (
        pytest.approx(80 - 1.96 * 2, abs=0.3),
        pytest.approx(80 + 1.96 * 2, abs=0.3),
    )
    assert str(interval).startswith("accuracy 80.00 [")


@pytest.mark.parametrize("metric", METRICS)
def test_bootstrap_draws_sentences(metric: str):
    counts = counts_of([(1, 2, 3), (0, 0, 1), (2, 4, 2)])
    table = counts.by_sentence()
    possible = [table[list(rows)].sum(axis=0) for rows in itertools.product(range(3), repeat=3)]
    scores = [float(METRICS[metric](total)) for total in possible]
    interval = bootstrap(counts, metric, samples=3000, level=0.9999)
    assert (interval.low, interval.high) == (pytest.approx(min(scores)), pytest.approx(max(scores)))


@pytest.mark.parametrize("test", [paired_bootstrap, paired_randomisation])
def test_paired_tests_tell_better_from_equal(test):
    strong, weak = random_counts(1, 0.9), random_counts(2, 0.6)
    assert test(strong, weak) == pytest.approx(1 / 1001)
    assert test(strong, strong) == 1
    assert test(strong, weak) == test(weak, strong)
    assert test(random_counts(1, 0.8), random_counts(2, 0.8)) > 0.05


def test_randomisation_is_the_share_of_exchanges_that_differ_as_much():
    a, b = counts_of([(2, 2, 2), (1, 1, 1), (2, 3, 3)]), counts_of([(1, 2, 2), (1, 2, 1), (2, 2, 3)])
    differences = []
    for swaps in itertools.product([False, True], repeat=3):
        rows = [(y, x) if swap else (x, y) for swap, x, y in zip(swaps, a.by_sentence(), b.by_sentence())]
        first, second = (PRF(*np.sum(side, axis=0).tolist()).f1 for side in zip(*rows))
        differences.append(abs(first - second))
    exact = np.mean(np.array(differences) >= differences[0] - 1e-9)
    assert paired_randomisation(a, b, samples=20000) == pytest.approx(exact, abs=0.01)


def test_blocks_bound_the_memory(monkeypatch: pytest.MonkeyPatch):
    a, b = random_counts(1, 0.8), random_counts(2, 0.7)
    monkeypatch.setattr("tagloom.evaluate.significance.BLOCK_CELLS", 1000)
    assert bootstrap(a, samples=999).low < bootstrap(a, samples=999).value
    assert 0 < paired_bootstrap(a, b, samples=7) <= 1
    assert 0 < paired_randomisation(a, b, samples=7) <= 1


def test_same_seed_same_numbers():
    counts = random_counts(1, 0.8)
    assert bootstrap(counts, seed=5) == bootstrap(counts, seed=5) != bootstrap(counts, seed=6)


def test_compare_scores():
    sentences = np.arange(0, 401, 4)
    gold = Column.from_strings(["B-X", "I-X", "O", "B-Y"] * 100)
    poor = Column.from_strings(["B-X", "I-X", "O", "O"] * 100)
    first, second = score(gold, gold, sentences), score(gold, poor, sentences)
    result = compare(first, second)
    assert (result.metric, result.value_a, result.value_b) == ("f1", 100, pytest.approx(200 / 3))
    assert (result.difference, result.p_value) == (pytest.approx(100 / 3), pytest.approx(1 / 1001))
    assert str(result) == "f1 100.00 - 66.67 = +33.33, p = 0.0010 (bootstrap, 1000 samples, seed 1)"
    assert compare(first, second, metric="accuracy", test="randomisation").value_b == 75
    tags = score(gold, poor, sentences, rule="accuracy")
    assert compare(tags, tags).metric == "accuracy"


def test_errors():
    counts = random_counts(1, 0.8)
    with pytest.raises(ConfigError, match="unknown metric 'f2'; did you mean 'f1'"):
        bootstrap(counts, "f2")
    with pytest.raises(ConfigError, match="confidence level between 0 and 1, got 95"):
        bootstrap(counts, level=95)
    with pytest.raises(ConfigError, match="at least one sample and one sentence, got 0 and 200"):
        bootstrap(counts, samples=0)
    with pytest.raises(DataError, match="not of the same gold sentences"):
        paired_bootstrap(counts, random_counts(1, 0.8, sentences=10))
    labels = Column.from_strings(["DT"])
    tags = score(labels, labels, np.array([0, 1]))
    with pytest.raises(ConfigError, match="unknown significance test 'boot'"):
        compare(tags, tags, test="boot")


def draw_counts(seed: int, gold: Counts | None = None) -> Counts:
    draw = np.random.default_rng(seed)
    whole = draw.integers(1, 5, (3, 40)) if gold is None else gold.gold
    return Counts(("a", "b", "c"), np.minimum(whole, draw.integers(0, 5, whole.shape)), whole, whole)


def select(counts: Counts, number: int) -> Counts:
    tables = (table[number : number + 1] for table in (counts.correct, counts.predicted, counts.gold))
    return Counts((counts.kinds[number],), *tables)


@pytest.mark.parametrize("metric", ["f1", "recall"])
def test_kinds_have_the_intervals_that_they_have_alone(metric: str):
    counts = draw_counts(1)
    together = bootstrap_kinds(counts, metric, samples=200)
    for number, kind in enumerate(counts.kinds):
        assert together[kind] == bootstrap(select(counts, number), metric, samples=200)


def test_kinds_have_the_p_values_that_they_have_alone():
    first = draw_counts(1)
    second = draw_counts(2, first)
    for number, (kind, found) in enumerate(compare_kinds(first, second, samples=200).items()):
        alone = select(first, number), select(second, number)
        assert found.p_value == pytest.approx(paired_bootstrap(*alone, samples=200))
        assert (found.value_a, found.value_b) == tuple(each.overall().f1 for each in alone)
        assert kind == first.kinds[number]
    with pytest.raises(DataError, match="not of the same gold sentences"):
        compare_kinds(first, draw_counts(3))
