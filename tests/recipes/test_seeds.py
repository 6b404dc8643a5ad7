"""Rows of several seeds: the mean of what each seed gives alone, with its spread."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest

from tagloom.recipes import Experiment, Measurement, Row, RowCache, reproduce
from tagloom.recipes.bench import AGAINST
from tagloom.recipes.he_wang_2012 import LearnerBench
from tagloom.recipes.layout import Layout
from tagloom.recipes.page import write_page
from tagloom.recipes.seeds import choose_seed, join_seeds
from tests.recipes import tiny


def experiment(seed: int | tuple[int, ...]) -> Experiment:
    return Experiment("2", "news", "AP", "F1", 90.5, {"learner": "perceptron", "epochs": 2, "seed": seed})


def test_a_row_is_the_mean_of_its_seeds(tmp_path: Path) -> None:
    data = tiny.make_data(tmp_path / "data")
    bench = LearnerBench(tiny.DATASETS["news"], data)
    single = [bench.run(experiment(seed), lambda _: None) for seed in (1, 2, 3)]
    assert len({each.ours for each in single}) > 1
    cache = RowCache(tmp_path / "rows")
    (found,) = reproduce(tiny.RECIPE, [experiment((1, 2, 3))], data, cache)
    assert found.row.ours == pytest.approx(statistics.mean(each.ours for each in single))
    assert found.row.spread == pytest.approx(statistics.stdev(each.ours for each in single))
    assert [point.score for point in found.curve] == [point.score for point in single[0].curve]
    assert "|seed:(1, 2, 3)|" in found.row.signature
    assert reproduce(tiny.RECIPE, [experiment((1, 2, 3))], data, cache) == [found]  # from the cache
    text = write_page(tiny.RECIPE, [found], tmp_path)[0][0].read_text("utf-8")
    assert f"{found.row.ours:.2f} ± {found.row.spread:.2f} (90.50)" in text
    assert "- numbers with ± are means of several seeds" in text


def test_p_values_are_medians_and_what_is_equal_has_no_spread() -> None:
    def join(metric: str, *values: float) -> Measurement:
        return join_seeds(metric, [Measurement(value, 2.0) for value in values])

    assert join("p, depth 0", 0.001, 0.5, 0.004) == Measurement(0.004, 6.0)
    assert join("features", 12, 12, 12) == Measurement(12, 6.0)
    assert join("training seconds", 1.0, 2.0, 6.0) == Measurement(3.0, 6.0)
    assert join("test F1", 1.0, 2.0, 6.0) == Measurement(3.0, 6.0, (), statistics.stdev([1.0, 2.0, 6.0]))


def test_every_seed_is_compared_with_its_like() -> None:
    options = {"seed": (1, 2), AGAINST: {"depth": 0, "seed": (1, 2)}, "tagger": {"seed": 5}}
    assert choose_seed(options, 1) == {"seed": 2, AGAINST: {"depth": 0, "seed": 2}, "tagger": {"seed": 5}}
    assert choose_seed({"seed": 4}, 1) == {"seed": 4}


def test_tables_without_spread_are_as_ever() -> None:
    row = Row("2", "news", "AP", "F1", None, 90.123, 1.0, "signature")
    assert "spread" not in row.to_dict()
    grid = Layout("2", "scores").build([row])
    assert grid is not None
    assert grid.lines == [["AP", "90.12"]]
