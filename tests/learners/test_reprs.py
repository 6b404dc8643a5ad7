"""Learners, settings and passes print one short line."""

from __future__ import annotations

import numpy as np
import pytest

from tagloom.learners import LEARNERS, SETTINGS, Pass, Settings
from tagloom.learners.lbfgs import Point
from tagloom.learners.phrases import GoldPhrases
from tagloom.learners.ranking import RankingData
from tagloom.learners.settings import get_defaults, list_settings
from tagloom.learners.voted import VotedVectors

NONE = np.zeros(0, np.int64)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (
            LEARNERS["pa"],
            "Learner(name='pa', opponent='cost-augmented', step='pa', averaging='lazy', epochs=10)",
        ),
        (Settings(C=0.5, cost={"A": {"B": 2.0}}), "Settings(C=0.5, cost=...)"),
        (Pass(3, 4, 5, 1.5, None), "Pass(3, updates=4, token_errors=5, loss=1.5)"),  # type: ignore[arg-type]
        (Point(np.zeros(7), 12.0, np.zeros(7), [], []), "Point(value=12, 7 variables, 0 steps remembered)"),
        (GoldPhrases(np.array([0, 2]), NONE, NONE, NONE), "GoldPhrases(1 sentences, 0 phrases)"),  # type: ignore[arg-type]
        (
            RankingData(None, NONE, np.zeros(4, np.int64), NONE, 9, NONE),  # type: ignore[arg-type]
            "RankingData(0 lists, 4 candidates, 9 gold units)",
        ),
        (
            VotedVectors(np.zeros(2, np.int64), np.zeros(1, np.int64), NONE, NONE, NONE, NONE),  # type: ignore[arg-type]
            "VotedVectors(2 functions, 0 instances)",
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_short_line(value: object, text: str):
    assert repr(value) == text


def test_every_setting_has_a_row_with_help_and_default():
    assert list(SETTINGS) == list(Settings.__dataclass_fields__)
    for name, row in SETTINGS.items():
        assert row.name == name
        assert row.default
        assert row.help.endswith(".")
        assert "\n" not in row.help
        assert (row.low is None) == (row.high is None) == (row.type not in (int, float))


def test_defaults_are_within_the_stated_range():
    for learner in LEARNERS.values():
        assert set(get_defaults(learner)) <= set(list_settings(learner)) <= set(SETTINGS)
        for name, value in get_defaults(learner).items():
            assert value is None or SETTINGS[name].low <= value <= SETTINGS[name].high


def test_a_default_that_depends_on_the_learner_names_the_learners():
    assert SETTINGS["c1"].default == "1 (sgd-l1); 0.5 (owlqn)"
    assert SETTINGS["direction"].default == "left-to-right"
    assert SETTINGS["rate"].default == "searched on a sample (sgd, madf, sgd-l1, maxent-sgd); 0.1 (adf)"
