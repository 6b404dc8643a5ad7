"""The workbench: what a training decides, what ends it, and that costly values are computed once."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tagloom.errors import ConfigError
from tagloom.recipes.bench import Once, format_key
from tagloom.recipes.he_wang_2012 import LearnerBench
from tagloom.recipes.recipe import Experiment
from tests.recipes import tiny


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> LearnerBench:
    return LearnerBench(tiny.DATASETS["news"], tiny.make_data(tmp_path_factory.mktemp("bench") / "data"))


def experiment(**options: object) -> Experiment:
    return Experiment("2", "news", "AP", "F1", None, {"learner": "perceptron", "epochs": 3, **options})


def test_the_curve_has_one_point_per_pass(bench: LearnerBench) -> None:
    told: list[str] = []
    measured = bench.run(experiment(), told.append)
    assert [point.epoch for point in measured.curve] == [1, 2, 3]
    assert sorted(point.seconds for point in measured.curve) == [point.seconds for point in measured.curve]
    assert (measured.ours, measured.seconds) == (measured.curve[-1].score, measured.curve[-1].seconds)
    assert len(told) == 3


def test_an_interrupted_training_gives_no_row(bench: LearnerBench) -> None:
    def stop(text: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bench.run(experiment(), stop)


def test_an_unknown_option_is_named(bench: LearnerBench) -> None:
    with pytest.raises(ConfigError, match="unknown option of a tagger 'epoch'; did you mean 'epochs'"):
        bench.run(experiment(epoch=3), print)


def test_threads_compute_a_value_once() -> None:
    computed: list[int] = []
    once, started = Once(), threading.Barrier(4)

    def need(number: int) -> int:
        def compute() -> int:
            time.sleep(0.01)
            computed.append(number)
            return number

        started.wait()
        return once.get("a", compute)

    with ThreadPoolExecutor(4) as pool:
        found = set(pool.map(need, range(4)))
    assert found == set(computed)
    assert len(computed) == 1


def test_keys_do_not_depend_on_order() -> None:
    assert format_key({"a": 1, "b": {"c": 2, "d": 3}}) == format_key({"b": {"d": 3, "c": 2}, "a": 1})
    assert format_key({"a": 1}) != format_key({"a": 2})
