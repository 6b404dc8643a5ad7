"""Confidence intervals and paired significance tests over sentences, computed from the counts alone.

The bootstrap follows Efron (1979), paired as in Koehn (2004), with the two-sided p value of sacreBLEU, where the
differences of the samples are centred on their mean. Approximate randomisation follows Noreen (1989), and Yeh (2000)
for F1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from tagloom.arguments import check_arguments, check_methods
from tagloom.corpus.corpus import IntArray
from tagloom.errors import ConfigError, DataError, unknown_name
from tagloom.evaluate.counts import METRICS, Counts, FloatArray, Metric
from tagloom.evaluate.scores import Score

# Samples are drawn in blocks of at most this many random numbers, to bound the memory.
BLOCK_CELLS = 1 << 20


@check_methods()
@dataclass(frozen=True)
class Interval:
    """A score with the bounds of its confidence interval, in percent."""

    metric: str
    value: float
    low: float
    high: float
    level: float

    def __repr__(self) -> str:
        return f"Interval({self})"

    def __str__(self) -> str:
        return f"{self.metric} {self.value:.2f} [{self.low:.2f}, {self.high:.2f}] at {self.level:.0%}"


@check_methods()
@dataclass(frozen=True)
class Significance:
    """The scores of two systems on the same sentences, and how likely their difference is by chance (p value)."""

    metric: str
    value_a: float
    value_b: float
    p_value: float
    test: str
    samples: int
    seed: int

    @property
    def difference(self) -> float:
        """The score of the first system minus that of the second."""
        return self.value_a - self.value_b

    def __repr__(self) -> str:
        return f"Significance({self})"

    def __str__(self) -> str:
        values = f"{self.metric} {self.value_a:.2f} - {self.value_b:.2f} = {self.difference:+.2f}"
        return f"{values}, p = {self.p_value:.4f} ({self.test}, {self.samples} samples, seed {self.seed})"


def check_level(level: float) -> None:
    """Raise :class:`ConfigError` unless a confidence level is between 0 and 1."""
    if not 0 < level < 1:
        raise ConfigError(f"expected a confidence level between 0 and 1, got {level}; for 95 % write 0.95")


@check_arguments
def bootstrap(counts: Counts, metric: str = "f1", samples: int = 1000, seed: int = 1, level: float = 0.95) -> Interval:
    """Compute the percentile interval of a metric over sentences drawn with replacement.

    Args:
        counts: Counts of a score, for example ``score.counts``.
        metric: A name of ``METRICS``.
        samples: Number of samples.
        seed: Fixes the samples.
        level: Confidence level between 0 and 1.
    """
    check_level(level)
    measure = _metric(metric)
    table = counts.by_sentence()
    values = measure(_resample(table, samples, seed))
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return Interval(metric, float(measure(table.sum(axis=0))), low, high, level)


@check_arguments
def bootstrap_kinds(
    counts: Counts, metric: str = "f1", samples: int = 1000, seed: int = 1, level: float = 0.95
) -> dict[str, Interval]:
    """Compute the interval of every kind of the counts, such as span types, over the same samples of sentences.

    Args:
        counts: Counts of a score, for example ``score.counts``.
        metric: A name of ``METRICS``.
        samples: Number of samples.
        seed: Fixes the samples.
        level: Confidence level between 0 and 1.
    """
    check_level(level)
    measure, table = _metric(metric), _kinds_table(counts)
    values = measure(_resample(table, samples, seed).reshape(samples, -1, 3))  # [samples][T]
    whole = measure(table.sum(axis=0).reshape(-1, 3))
    bounds = np.quantile(values, [(1 - level) / 2, (1 + level) / 2], axis=0)
    rows = zip(counts.kinds, whole.tolist(), *bounds.tolist())
    return {kind: Interval(metric, value, low, high, level) for kind, value, low, high in rows}


def _kinds_table(counts: Counts) -> IntArray:
    """[S, 3 T]: correct, predicted and gold units of every kind in each sentence."""
    stacked = np.stack([counts.correct, counts.predicted, counts.gold], axis=-1)  # [T][S][3]
    return np.ascontiguousarray(stacked.transpose(1, 0, 2).reshape(stacked.shape[1], -1))


@check_arguments
def compare_kinds(
    counts_a: Counts, counts_b: Counts, metric: str = "f1", samples: int = 1000, seed: int = 1
) -> dict[str, Significance]:
    """Test the difference of every kind that both systems have, by paired bootstrap over the same samples."""
    measure = _metric(metric)
    shared = [kind for kind in counts_a.kinds if kind in counts_b.kinds]
    a, b = (_select_kinds(counts, shared) for counts in (counts_a, counts_b))
    if a.shape != b.shape or not np.array_equal(a[:, 2::3], b[:, 2::3]):
        raise DataError("the two scores are not of the same gold sentences; score both systems on the same file")
    totals = _resample(np.concatenate([a, b], axis=1), samples, seed).reshape(samples, 2, len(shared), 3)
    moved = measure(totals[:, 0]) - measure(totals[:, 1])  # [samples][T]
    values = [measure(side.sum(axis=0).reshape(-1, 3)) for side in (a, b)]
    found = {}
    for number, (kind, own, other) in enumerate(zip(shared, *(each.tolist() for each in values))):
        chance = _p_value(moved[:, number] - moved[:, number].mean(), abs(own - other))
        found[kind] = Significance(metric, own, other, chance, "bootstrap", samples, seed)
    return found


def _select_kinds(counts: Counts, kinds: list[str]) -> IntArray:
    places = [counts.kinds.index(kind) for kind in kinds]
    tables = (table[places] for table in (counts.correct, counts.predicted, counts.gold))
    return _kinds_table(Counts(tuple(kinds), *tables))


@check_arguments
def paired_bootstrap(
    counts_a: Counts, counts_b: Counts, metric: str = "f1", samples: int = 1000, seed: int = 1
) -> float:
    """Compute the two-sided p value of a difference; the same sentences are drawn for both systems."""
    measure = _metric(metric)
    a, b = _pair_tables(counts_a, counts_b)
    totals = _resample(np.concatenate([a, b], axis=1), samples, seed)
    differences = measure(totals[:, :3]) - measure(totals[:, 3:])
    return _p_value(differences - differences.mean(), _difference(measure, a, b))


@check_arguments
def paired_randomisation(
    counts_a: Counts, counts_b: Counts, metric: str = "f1", samples: int = 1000, seed: int = 1
) -> float:
    """Compute the two-sided p value of a difference; the outputs are exchanged at random in each sentence."""
    measure = _metric(metric)
    a, b = _pair_tables(counts_a, counts_b)
    rng = np.random.default_rng(seed)
    change = (b - a).astype(np.float64)
    moved = np.concatenate(
        [rng.integers(0, 2, (rows, len(a)), dtype=np.int8) @ change for rows in _blocks(samples, len(a))]
    )
    differences = measure(a.sum(axis=0) + moved) - measure(b.sum(axis=0) - moved)
    return _p_value(differences, _difference(measure, a, b))


PairedTest = Callable[[Counts, Counts, str, int, int], float]

TESTS: Mapping[str, PairedTest] = {"bootstrap": paired_bootstrap, "randomisation": paired_randomisation}


@check_arguments
def compare(
    score_a: Score,
    score_b: Score,
    *,
    metric: str | None = None,
    test: str = "bootstrap",
    samples: int = 1000,
    seed: int = 1,
) -> Significance:
    """Test whether two systems differ on the same sentences.

    Args:
        score_a: Score of the first system.
        score_b: Score of the second system, of the same gold data.
        metric: Metric to compare; by default the one of the first score.
        test: "bootstrap" or "randomisation".
        samples: Number of samples.
        seed: Fixes the samples.

    Raises:
        DataError: The scores are not of the same gold sentences.
    """
    if test not in TESTS:
        raise unknown_name("significance test", test, TESTS)
    metric = metric or score_a.metric
    measure = _metric(metric)
    a, b = (score.counts_of(metric) for score in (score_a, score_b))
    value_a, value_b = (float(measure(counts.by_sentence().sum(axis=0))) for counts in (a, b))
    return Significance(metric, value_a, value_b, TESTS[test](a, b, metric, samples, seed), test, samples, seed)


def _metric(name: str) -> Metric:
    if name not in METRICS:
        raise unknown_name("metric", name, METRICS)
    return METRICS[name]


def _pair_tables(counts_a: Counts, counts_b: Counts) -> tuple[IntArray, IntArray]:
    a, b = counts_a.by_sentence(), counts_b.by_sentence()
    if a.shape != b.shape or not np.array_equal(a[:, 2], b[:, 2]):
        raise DataError("the two scores are not of the same gold sentences; score both systems on the same file")
    return a, b


def _resample(table: IntArray, samples: int, seed: int) -> FloatArray:
    """[samples, columns]: sums over len(table) rows, drawn with replacement."""
    rng = np.random.default_rng(seed)
    blocks = _blocks(samples, len(table))
    return np.concatenate([_draws(rng, rows, len(table)) @ table.astype(np.float64) for rows in blocks])


def _draws(rng: np.random.Generator, rows: int, count: int) -> IntArray:
    """[rows, count]: how often each of ``count`` sentences is drawn in ``count`` draws."""
    drawn = rng.integers(0, count, (rows, count)) + count * np.arange(rows)[:, None]
    return np.bincount(drawn.ravel(), minlength=rows * count).reshape(rows, count)


def _blocks(samples: int, cells: int) -> Iterator[int]:
    if samples < 1 or cells < 1:
        raise ConfigError(f"resampling needs at least one sample and one sentence, got {samples} and {cells}")
    rows = max(1, BLOCK_CELLS // cells)
    for done in range(0, samples, rows):
        yield min(rows, samples - done)


def _difference(measure: Metric, a: IntArray, b: IntArray) -> float:
    return abs(float(measure(a.sum(axis=0)) - measure(b.sum(axis=0))))


def _p_value(differences: FloatArray, observed: float) -> float:
    # The observed arrangement is one of the possible ones, hence + 1. The tolerance allows for another order of sums.
    extreme = int(np.count_nonzero(np.abs(differences) >= observed - 1e-9))
    return (extreme + 1) / (len(differences) + 1)
