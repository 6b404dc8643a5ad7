"""seqeval's numbers, live: its default mode is conlleval's rule, its strict mode ours, scheme by scheme."""

from __future__ import annotations

import numpy as np
import pytest
from seqeval.metrics import v1 as strict_metrics
from seqeval.metrics.sequence_labeling import accuracy_score, precision_recall_fscore_support
from seqeval.scheme import BILOU, IOB1, IOB2, IOBES

from tagloom.corpus.corpus import Column
from tagloom.evaluate import SpanScore, score
from tests.oracle import spans as oracle

TYPES = ["LOC", "PER", "some-type"]
SEEDS = range(20)


def sentences(rng: np.random.Generator, labels: list[str]) -> list[list[str]]:
    return [rng.choice(labels, size=rng.integers(1, 15)).tolist() for _ in range(20)]


def noisy(rng: np.random.Generator, gold: list[list[str]], labels: list[str]) -> list[list[str]]:
    return [[str(rng.choice(labels)) if rng.random() < 0.3 else label for label in sentence] for sentence in gold]


def ours(gold: list[list[str]], predicted: list[list[str]], **options: str) -> SpanScore:
    columns = (Column.from_strings(label for sentence in side for label in sentence) for side in (gold, predicted))
    result = score(*columns, np.cumsum([0, *map(len, gold)]), **options)
    assert isinstance(result, SpanScore)
    return result


def assert_same(result: SpanScore, theirs: tuple) -> None:
    rows = result.by_type.values()
    for name, values in zip(("precision", "recall", "f1"), theirs):
        np.testing.assert_allclose([getattr(row, name) for row in rows], 100 * np.asarray(values))
    assert [row.gold for row in rows] == list(theirs[3])


@pytest.mark.parametrize("scheme", ["IOB2", "BIOES"])
@pytest.mark.parametrize("seed", SEEDS)
def test_default_mode(scheme: str, seed: int):
    rng = np.random.default_rng(seed)
    labels = oracle.inventory(scheme, TYPES)
    gold = sentences(rng, labels)
    predicted = noisy(rng, gold, labels)
    result = ours(gold, predicted, scheme=scheme)
    assert_same(result, precision_recall_fscore_support(gold, predicted, zero_division=0))
    assert result.accuracy == pytest.approx(100 * accuracy_score(gold, predicted))


@pytest.mark.parametrize(("scheme", "theirs"), [("IOB2", IOB2), ("BIOES", IOBES), ("BILOU", BILOU)])
@pytest.mark.parametrize("seed", SEEDS)
def test_strict_mode(scheme: str, theirs: type, seed: int):
    rng = np.random.default_rng(seed)
    labels = oracle.inventory(scheme, TYPES)
    gold = sentences(rng, labels)
    predicted = noisy(rng, gold, labels)
    expected = strict_metrics.precision_recall_fscore_support(gold, predicted, scheme=theirs, zero_division=0)
    assert_same(ours(gold, predicted, scheme=scheme, rule="strict"), expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_strict_mode_of_well_formed_iob1(seed: int):
    rng = np.random.default_rng(seed)
    random_labels = [sentences(rng, oracle.inventory("IOB1", ["PER", "LOC"])) for _ in range(2)]
    gold, predicted = (
        [oracle.write(oracle.read_lenient(s, "IOB1"), 15, "IOB1") for s in side] for side in random_labels
    )
    expected = strict_metrics.precision_recall_fscore_support(gold, predicted, scheme=IOB1, zero_division=0)
    assert_same(ours(gold, predicted, scheme="IOB1", rule="strict"), expected)
