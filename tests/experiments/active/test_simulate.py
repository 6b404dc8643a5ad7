"""Simulated active learning: rounds, sizes that reach a score, and the figure."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import tagloom
from tagloom.experiments.active.simulate import Round, Simulation, simulate
from tagloom.report.active import ActivePanel, average_rounds, draw_active

NEWS = tagloom.datasets.newswire(10, seed=5)
POOL, TEST = NEWS.slice(0, 120), NEWS.slice(120, len(NEWS))
FAST: dict[str, Any] = {"label": "ner", "templates": "words", "learner": "crf", "epochs": 2}


@pytest.mark.parametrize("strategy", [None, "random", "disagreement", "diverse"])
def test_every_round_labels_more_within_its_limit(strategy: str | None) -> None:
    seen: list[Round] = []
    options = {**FAST, "strategy": strategy, "first": 100, "growth": 2, "most": 900}
    found = simulate(POOL, {"test": TEST}, on_round=seen.append, **options)
    tokens = [each.tokens for each in found.rounds]
    assert tuple(seen) == found.rounds
    assert tokens == sorted(set(tokens))
    assert tokens[0] <= 100
    assert tokens[-1] <= 900
    assert all(after <= 2 * before + 1 for before, after in itertools.pairwise(tokens))
    assert simulate(POOL, {"test": TEST}, threads=2, **options) == found


def test_all_of_the_pool_is_labelled_in_the_end() -> None:
    found = simulate(POOL, {"test": TEST}, strategy="random", first=500, growth=4, **FAST)
    distinct = len(set(map(tuple, POOL.iter_sentences("form"))))
    assert distinct - 5 <= found.rounds[-1].sentences <= len(POOL)  # a last sentence may not fit


def test_the_size_that_reaches_a_score_is_read_off_the_line() -> None:
    rounds = [Round(10, 100, {"a": 50.0, "b": 10.0}), Round(20, 400, {"a": 70.0, "b": 80.0})]
    found = Simulation("random", 1, tuple(rounds))
    assert found.find_size(60.0) == pytest.approx(200)
    assert found.find_size(60.0, unit="sentences") == pytest.approx(200**0.5)
    assert found.find_size(40.0) == pytest.approx(100)
    assert found.find_size(70.0) == pytest.approx(400)
    assert found.find_size(71.0) is None
    assert found.find_size(71.0, "b") == pytest.approx(100 * 4 ** (61 / 70))
    with pytest.raises(tagloom.ConfigError, match="unknown test data 'c'"):
        found.find_size(1, "c")
    with pytest.raises(tagloom.ConfigError, match="unknown unit 'token'; did you mean 'tokens'"):
        found.find_size(1, unit="token")


@pytest.mark.parametrize(
    ("options", "message"), [({"first": 0}, "first: "), ({"growth": 1}, "growth: expected"), ({"committee": 1}, "comm")]
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(tagloom.ConfigError, match=message):
        simulate(POOL, {"test": TEST}, **options)


def test_the_figure_has_all_curves_and_is_the_same_every_time() -> None:
    pytest.importorskip("matplotlib")
    runs = {
        name: [Simulation(name, seed, (Round(1, 100, {"a": 50.0 + seed}), Round(2, 200, {"a": 60.0 + seed})))
               for seed in (1, 2)]
        for name in ("random", "margin")
    }  # fmt: skip
    assert average_rounds(runs["random"]) == [(100, 51.5), (200, 61.5)]
    panel = ActivePanel("news", "F1", runs, 70.0)
    assert panel.goal == pytest.approx(66.5)
    drawn = draw_active([panel])
    assert drawn == draw_active([panel])
    assert b'id="news-random"' in drawn
    assert b'id="news-margin"' in drawn
    with pytest.raises(tagloom.ConfigError, match="at least one panel"):
        draw_active([])
