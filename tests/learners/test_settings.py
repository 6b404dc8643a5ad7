"""The settings of learners: defaults, costs, and errors of one line that say what was expected."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import tagloom
from tagloom.errors import ConfigError, show_value
from tagloom.learners import LEARNERS, Settings
from tagloom.learners.settings import DEFAULTS, build_cost_matrix, get_defaults

DATA = [(["the", "dog"], ["DT", "NN"]), (["a", "cat"], ["DT", "NN"])]


def error_of(**options: Any) -> str:
    with pytest.raises(ConfigError) as error:
        tagloom.train(DATA, epochs=1, **options)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("name", LEARNERS)
def test_defaults_are_valid_settings_and_every_learner_trains_with_them(name: str):
    learner = LEARNERS[name]
    numbers = Settings().of(learner)
    assert numbers == get_defaults(learner)
    assert tagloom.train(DATA, learner=name).tag(["the", "cat"]) == ["DT", "NN"]
    whole = {**dict.fromkeys(("n", "bpm", "folds", "depth", "beam", "label_cutoff"), 3), "history": 2}
    whole |= dict.fromkeys(("memories", "period", "sgd_passes", "mix", "mixes"), 3)
    given = {number: whole.get(number, 0.25) for number in numbers}
    labels = {"node_labels": "seen"} if "label_cutoff" in numbers else {}
    assert Settings(**given, **labels).of(learner) == {**given, **labels}


def test_numbers_of_numpy_are_numbers():
    assert Settings(C=np.float32(0.5)).of(LEARNERS["dca"]) == {"C": 0.5, "mix": 1, "mixes": 2}
    assert Settings(c2=np.int64(2)).of(LEARNERS["adf"]) == {"c2": 2.0, "rate": 0.1, "mix": 1, "mixes": 2}


# -- numbers -----------------------------------------------------------------------------------------------------------

POSITIVE = {"C": "pa", "rate": "sgd"}
NOT_NEGATIVE = {"c1": "sgd-l1", "c2": "lbfgs"}


@pytest.mark.parametrize("name", [*POSITIVE, *NOT_NEGATIVE])
@pytest.mark.parametrize("value", [-1, -1e-9, math.nan, math.inf, -math.inf, "1", True, [1], 1e13, 10**400], ids=str)
def test_numbers_out_of_range_are_refused(name: str, value: object):
    bound = "above 0" if name in POSITIVE else "of 0 or more"
    learner = {**POSITIVE, **NOT_NEGATIVE}[name]
    assert error_of(learner=learner, **{name: value}) == (
        f"{name}: expected a number {bound}, at most 1e+12, got {show_value(value)}"
    )


@pytest.mark.parametrize(("name", "learner"), POSITIVE.items())
def test_zero_is_refused_where_nothing_would_move(name: str, learner: str):
    assert error_of(learner=learner, **{name: 0}) == f"{name}: expected a number above 0, at most 1e+12, got 0"


@pytest.mark.parametrize("learner", ["sgd", "madf", "adf", "lbfgs", "owlqn", "sgd-l1"])
def test_a_regularizer_may_be_switched_off(learner: str):
    names = DEFAULTS[LEARNERS[learner].step].keys() & {"c1", "c2"}
    assert tagloom.train(DATA, learner=learner, **dict.fromkeys(names, 0)).tag(["the", "cat"]) == ["DT", "NN"]


# -- names -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"learner": "lbgfs"}, "unknown learner 'lbgfs'; did you mean 'lbfgs'? (known: adf, arow, averaged-"),
        ({"learner": 3}, "learner: expected a name or a Learner, got 3"),
        ({"learner": "pa", "averaging": "lasy"}, "unknown averaging 'lasy'; did you mean 'lazy'? (known: lazy, none)"),
        ({"learner": "pa", "averaging": 3}, "unknown averaging 3"),
        ({"learner": "pa", "averaging": []}, "unknown averaging []"),
        ({"learner": "lbfgs", "averaging": "lazy"}, "step 'lbfgs' does not go with averaging 'lazy' (legal: none)"),
        ({"learner": "lbfgs", "node_labels": "some"}, "unknown node_labels 'some'"),
        ({"learner": "lbfgs", "node_labels": 3}, "unknown node_labels 3"),
        ({"learner": "perceptron", "C": 1}, "learner 'perceptron' has no 'C'; it takes: averaging"),
        (
            {"learner": "sgd", "C": 1},
            "learner 'sgd' has no 'C'; it takes: averaging, c2, label_cutoff, mix, mixes, node",
        ),
        (
            {"learner": "lbfgs", "rate": 1},
            "learner 'lbfgs' has no 'rate'; it takes: c2, label_cutoff, memories, node_l",
        ),
        ({"learner": "pa", "c2": 1}, "learner 'pa' has no 'c2'; it takes: C, averaging, cost"),
        ({"learner": "adf", "node_labels": "all"}, "learner 'adf' has no 'node_labels'; it takes: averaging, c2, mix"),
        ({"learner": "lbfgs", "transition_pairs": "some"}, "unknown transition_pairs 'some'"),
        ({"learner": "sgd", "label_cutoff": 2}, "label_cutoff: needs node_labels 'seen', got 2 with 'all'"),
        ({"learner": "dca", "cost": [[0, 1], [1, 0]]}, "learner 'dca' has no 'cost'; it takes: C, averaging"),
        ({"learner": "pa", "c3": 1}, "unknown option of a tagger 'c3'; did you mean 'c2'? (known: C, "),
    ],
    ids=str,
)
def test_names_and_options_that_a_learner_does_not_have(options: dict[str, Any], message: str):
    assert error_of(**options).startswith(message)


def test_averaging_can_be_switched_for_online_learners():
    averaged, last = (tagloom.train(DATA, learner="sgd", averaging=name, epochs=1) for name in ("lazy", "none"))
    assert averaged.parameters.weights.tobytes() != last.parameters.weights.tobytes()


# -- costs -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        ([[0, 1]], "cost: expected 2 x 2 numbers (gold x other label), got 1 x 2"),
        (3, "cost: expected 2 x 2 numbers (gold x other label), got one number"),
        (np.zeros((2, 2, 2)), "cost: expected 2 x 2 numbers (gold x other label), got 2 x 2 x 2"),
        ([[0, 1], [1]], "cost: expected 2 rows of 2 numbers, or costs by label names"),
        ([["a", "b"], ["c", "d"]], "cost: expected 2 rows of 2 numbers, or costs by label names"),
        ("x", "cost: expected 2 rows of 2 numbers, or costs by label names"),
        ([[0, -1], [1, 0]], "cost: expected numbers of 0 or more, at most 1e+12"),
        ([[0, math.nan], [1, 0]], "cost: expected numbers of 0 or more, at most 1e+12"),
        ([[0, math.inf], [1, 0]], "cost: expected numbers of 0 or more, at most 1e+12"),
        ([[0, 1], [1, 0.5]], "cost: the right label must cost 0"),
        ({"DT": {"NNP": 1}}, "unknown label 'NNP'; did you mean 'NN'? (known: DT, NN)"),
        ({"DTT": {"NN": 1}}, "unknown label 'DTT'; did you mean 'DT'? (known: DT, NN)"),
        ({3: {"NN": 1}}, "unknown label '3' (known: DT, NN)"),
        ({"DT": 3}, "cost: expected costs of other labels by name under 'DT', got 3"),
        ({"DT": {"NN": "x"}}, "cost of 'NN' for 'DT': expected a number, got 'x'"),
        ({"DT": {"NN": [1, 2]}}, "cost of 'NN' for 'DT': expected a number, got [1, 2]"),
        ({"DT": {"NN": -1}}, "cost: expected numbers of 0 or more, at most 1e+12"),
        ({"DT": {"DT": 1}}, "cost: the right label must cost 0"),
    ],
    ids=str,
)
@pytest.mark.parametrize("learner", ["pa", "pa2"])
def test_costs_that_do_not_fit(learner: str, cost: Any, message: str):
    assert error_of(learner=learner, cost=cost) == message


def test_costs_by_name_change_the_named_and_leave_the_rest_at_one():
    labels = ["A", "B", "C"]
    assert build_cost_matrix(None, labels).reshape(3, 3).tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    named = build_cost_matrix({"A": {"B": 5}, "C": {"A": 0}}, labels)
    assert named.reshape(3, 3).tolist() == [[0, 5, 1], [1, 0, 1], [0, 1, 0]]
    assert build_cost_matrix(named.reshape(3, 3).tolist(), labels).tolist() == named.tolist()


def test_costs_change_what_pa_learns():
    data = [(["x"], ["A"]), (["x"], ["B"])] * 5
    dear = {"A": {"B": 50.0}}
    plain, careful = (tagloom.train(data, learner="pa", C=1, cost=cost, templates="form[0]") for cost in (None, dear))
    assert plain.parameters.weights.tobytes() != careful.parameters.weights.tobytes()
    assert careful.tag(["x"]) == ["A"]  # taking A for B costs fifty times as much as B for A
