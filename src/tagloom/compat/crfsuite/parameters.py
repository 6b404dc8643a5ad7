"""Parameters of CRFsuite's algorithms, and the learners of tagloom that stand for them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tagloom.compat.crfsuite.errors import CRFSuiteError
from tagloom.errors import show_value


@dataclass(frozen=True)
class Parameter:
    """One parameter: its name, the type of its value, the default, and what it does."""

    name: str
    type: type
    default: Any
    help: str

    def parse(self, value: object) -> Any:
        """Convert a value, which may be text; raises ValueError if it is none of the type."""
        try:
            return bool(int(value)) if self.type is bool else self.type(value)  # type: ignore[call-overload]
        except (TypeError, ValueError, OverflowError):
            raise ValueError(
                f"{self.name}: expected a value of type {self.type.__name__}, got {show_value(value)}"
            ) from None


_NO_EFFECT = "Accepted, without effect: tagloom"
_UNLIMITED = 2**31 - 1
_FEATURES = (
    Parameter("feature.minfreq", float, 0.0, "Drop attributes of a label, and label pairs, that occur less often."),
    Parameter("feature.possible_states", bool, False, "Weights for all labels of an attribute, not only seen ones."),
    Parameter("feature.possible_transitions", bool, False, "Weights for all label pairs, not only seen ones."),
)
_C2 = Parameter("c2", float, 1.0, "Strength of L2 regularization.")
_PERIOD = Parameter("period", int, 10, "Iterations over which the fall of the objective is measured.")
_DELTA = Parameter("delta", float, 1e-5, "Training ends when the objective falls by less than this part in a period.")
_PASSES = Parameter("max_iterations", int, 100, "Largest number of passes over the data.")
_MEAN_LOSS = Parameter("epsilon", float, 0.0, "Training ends when the mean loss is lower.")

#: algorithm -> its parameters, in the order in which python-crfsuite lists them.
PARAMETERS: Mapping[str, tuple[Parameter, ...]] = {
    "lbfgs": (
        *_FEATURES,
        Parameter("c1", float, 0.0, "Strength of L1 regularization; above 0, OWL-QN is the optimizer."),
        _C2,
        Parameter("max_iterations", int, _UNLIMITED, "Largest number of iterations."),
        Parameter("num_memories", int, 6, "Number of steps that L-BFGS remembers."),
        Parameter("epsilon", float, 1e-5, "Training ends when the gradient is shorter than this part of the weights."),
        _PERIOD,
        _DELTA,
        Parameter("linesearch", str, "MoreThuente", f"{_NO_EFFECT} halves steps until the objective falls enough."),
        Parameter("max_linesearch", int, 20, f"{_NO_EFFECT} halves a step at most 20 times."),
    ),
    "l2sgd": (
        *_FEATURES,
        _C2,
        Parameter("max_iterations", int, 1000, "Largest number of passes over the data."),
        _PERIOD,
        Parameter("delta", float, 1e-6, "Training ends when the loss falls by less than this part in a period."),
        Parameter("calibration.eta", float, 0.1, f"{_NO_EFFECT} begins its search for a rate at 0.1."),
        Parameter("calibration.rate", float, 2.0, f"{_NO_EFFECT} doubles or halves the rate."),
        Parameter("calibration.samples", float, 1000.0, f"{_NO_EFFECT} searches on 1,000 sequences."),
        Parameter("calibration.candidates", int, 10, f"{_NO_EFFECT} searches as long as the objective falls."),
        Parameter("calibration.max_trials", int, 20, f"{_NO_EFFECT} searches as long as the objective falls."),
    ),
    "averaged-perceptron": (
        *_FEATURES,
        _PASSES,
        Parameter("epsilon", float, 0.0, "Training ends when a smaller part of the labels is wrong."),
    ),
    "passive-aggressive": (
        *_FEATURES,
        Parameter("type", int, 1, "0: no slack variables, 1: PA-I, 2: PA-II."),
        Parameter("c", float, 1.0, "Aggressiveness: the largest step of PA-I, the damping of PA-II."),
        Parameter("error_sensitive", bool, True, "Cost: root of the number of wrong labels, instead of 1."),
        Parameter("averaging", bool, True, "Keep the mean of the weights, not the last ones."),
        _PASSES,
        _MEAN_LOSS,
    ),
    "arow": (
        *_FEATURES,
        Parameter("variance", float, 1.0, "Variance of every weight at the start."),
        Parameter("gamma", float, 1.0, "Weight of the regularization against the loss."),
        _PASSES,
        _MEAN_LOSS,
    ),
}
#: Other names of algorithms.
ALIASES = {"ap": "averaged-perceptron", "pa": "passive-aggressive"}

# SGD gives L-BFGS a start from which it needs a tenth of the iterations, so that its rule of when to end is another one
# unless the user sets period or delta: after 14 iterations on CoNLL-2002 Dutch, the objective is lower than CRFsuite's
# after 100.
_SGD_PASSES, _OWN_PERIOD, _OWN_TOLERANCE = 6, 3, 0.005
_LARGEST_STEP = 1e12  # the largest C: no limit
Options = dict[str, Any]


def _map_lbfgs(values: Mapping[str, Any]) -> Options:
    period, tolerance = values["period"], values["delta"]
    if (period, tolerance) == (_PERIOD.default, _DELTA.default):
        period, tolerance = _OWN_PERIOD, _OWN_TOLERANCE
    elif period <= 0:
        period, tolerance = 1, 0.0
    shared = {"c2": values["c2"], "memories": values["num_memories"], "period": period, "tolerance": tolerance,
              "sgd_passes": _SGD_PASSES}  # fmt: skip
    return {"learner": "owlqn", "c1": values["c1"], **shared} if values["c1"] > 0 else {"learner": "lbfgs", **shared}


def _map_sgd(values: Mapping[str, Any]) -> Options:
    return {"learner": "sgd", "c2": values["c2"]}


def _map_perceptron(values: Mapping[str, Any]) -> Options:
    return {"learner": "averaged-perceptron"}


def _map_passive_aggressive(values: Mapping[str, Any]) -> Options:
    return {
        "learner": "prediction-pa2" if values["type"] == 2 else "prediction-pa",
        "C": values["c"] if values["type"] in (1, 2) else _LARGEST_STEP,
        "cost_power": 0.5 if values["error_sensitive"] else 0.0,
        "averaging": "lazy" if values["averaging"] else "none",
    }


def _map_arow(values: Mapping[str, Any]) -> Options:
    return {"learner": "arow", "variance": values["variance"], "gamma": values["gamma"], "cost_power": 1.0}


_LEARNERS: Mapping[str, Callable[[Mapping[str, Any]], Options]] = {
    "lbfgs": _map_lbfgs,
    "l2sgd": _map_sgd,
    "averaged-perceptron": _map_perceptron,
    "passive-aggressive": _map_passive_aggressive,
    "arow": _map_arow,
}


def build_options(algorithm: str, values: Mapping[str, Any]) -> Options:
    """Translate the parameters of an algorithm to options of :func:`tagloom.train`."""
    least = values["feature.minfreq"]
    if math.isnan(least):
        raise CRFSuiteError("feature.minfreq: expected a number, got nan")
    all_labels, all_pairs = (
        values[f"feature.{name}"] and least <= 0 for name in ("possible_states", "possible_transitions")
    )
    return {
        "templates": "attributes",
        "scheme": "none",
        "epochs": values["max_iterations"] if values["max_iterations"] > 0 else _UNLIMITED,
        "node_labels": "all" if all_labels else "seen",
        "transition_pairs": "all" if all_pairs else "seen",
        "label_cutoff": max(1, math.ceil(min(least, 2**31))),
        **_LEARNERS[algorithm](values),
    }
