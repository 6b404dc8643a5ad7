"""Settings of learners: which there are, what they mean, which learner takes which, and the check of their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagloom.errors import ConfigError, show_value, unknown_name
from tagloom.learners.learner import AVERAGINGS, BATCH_STEPS, LEARNERS, Learner
from tagloom.structures.history import BEAM, DEPTH, DIRECTIONS, LIMITS

#: (gold label, other label) -> cost, as an array in the order of the labels, or by the names of the labels.
Costs = Sequence[Sequence[float]] | NDArray[np.float64] | Mapping[str, Mapping[str, float]]

# Pairs of vectors that L-BFGS remembers, and when it ends.
_DESCENT: Mapping[str, float | None] = {"memories": 6, "period": 10, "tolerance": 1e-5}
#: step -> its settings and their defaults.
DEFAULTS: Mapping[str, Mapping[str, float | None]] = {
    "unit": {},
    "pa": {"C": 0.01},  # he-wang-2012, section 3.3
    "pa2": {"C": 0.01},
    "arow": {"variance": 1.0, "gamma": 1.0, "cost_power": 1.0},
    "dca": {"C": 1.0},  # he-wang-2012, section 3.3
    "sgd": {"c2": 0.5, "rate": None},
    "madf": {"c2": 0.5, "rate": None},
    "adf": {"c2": 0.5, "rate": 0.1},  # Sun, Wang & Li 2012
    "l1": {"c1": 1.0, "rate": None},
    "lbfgs": {"c2": 0.5, **_DESCENT},
    "owlqn": {"c1": 0.5, "c2": 0.0001, **_DESCENT},
    "gis": {},
}
# The tolerance and n of kazama-torisawa-2007, section 6.1; the C suits features as frequent as those of the shipped
# template sets.
_MARGIN: Mapping[str, float | None] = {"C": 300.0, "bpm": 0, "tolerance": 0.0001}
#: opponent -> its settings and their defaults.
OPPONENT_DEFAULTS: Mapping[str, Mapping[str, float | None]] = {
    "predicted": {"cost_power": 0.5},
    "second-best": _MARGIN,
    "rescored": {**_MARGIN, "n": 20},
    "rescored-local": {**_MARGIN, "n": 20, "C_local": None},
    "reranked-score": {**_MARGIN, "n": 20, "folds": 5, "C_first": None},
    "reranked": {**_MARGIN, "n": 20, "folds": 5, "C_first": None},
    "lookahead": {"C": 20.0, "depth": DEPTH, "history": 1},
    "beam": {"beam": BEAM, "history": 1},
    "conditional": {"beam": 20, "history": 2},  # collins-2002, section 2.2
}
# opponent -> the settings that choose a variant of it
_VARIANTS: Mapping[str, tuple[str, ...]] = {
    "rescored-local": ("local_update", "update_order"),
    "lookahead": ("direction",),
    "beam": ("direction", "update"),
    "conditional": ("direction",),
}
_MOST = 1e12  # beyond it single precision has nothing to add to
_COST_STEPS = ("pa", "pa2")


@dataclass(frozen=True)
class SettingRow:
    """One setting of learners, for tables of options and for the check of its values."""

    name: str
    type: type
    default: str  # as text, because it depends on the learner
    low: float | None
    high: float | None
    choices: tuple[str, ...]
    help: str


def _declare(
    name: str, kind: type, help_line: str, *, range_: tuple[float | None, float | None] = (None, None),
    choices: Sequence[str] = (), unset: str = "",
) -> SettingRow:  # fmt: skip
    """Build a row; ``unset`` says what a learner does whose default is no number."""
    return SettingRow(name, kind, _describe_default(name, choices, unset), *range_, tuple(choices), help_line)


def _describe_default(name: str, choices: Sequence[str], unset: str) -> str:
    """The default as text: one value, or every value with the learners that have it."""
    learners: dict[str, list[str]] = {}
    for learner in LEARNERS.values():
        if name == "averaging" and not learner.is_batch:
            learners.setdefault(learner.averaging, []).append(learner.name)
        elif name in (defaults := get_defaults(learner)):
            value = defaults[name]
            learners.setdefault(unset if value is None else f"{value:g}", []).append(learner.name)
    if not learners:
        return choices[0] if choices else unset
    if len(learners) == 1:
        return next(iter(learners))
    return "; ".join(f"{value} ({', '.join(names)})" for value, names in learners.items())


def get_defaults(learner: Learner) -> dict[str, float | None]:
    """The numbers that a learner takes, with their defaults."""
    support: dict[str, float | None] = {"label_cutoff": 1} if learner.takes_support else {}
    if learner.can_be_mixed:
        support |= {"mix": 1, "mixes": 2}
    if learner.is_batch and learner.has_likelihood:
        support["sgd_passes"] = 0
    return {**OPPONENT_DEFAULTS.get(learner.opponent, {}), **DEFAULTS[learner.step], **support}


def get_support_defaults(learner: Learner) -> dict[str, str]:
    """The labels of features and the label pairs that have weights, if nothing is set."""
    return {"node_labels": "seen" if learner.is_batch else "all", "transition_pairs": "all"}


_NUMBER = (0.0, _MOST)
#: name -> its row, in the order of the fields of ``Settings``.
SETTINGS: Mapping[str, SettingRow] = {
    row.name: row
    for row in (
        _declare("C", float, "Largest step of pa, pa2 and dca (above 0); for margin and lookahead perceptrons the "
                 "margin that gold must win by.", range_=_NUMBER),
        _declare("c1", float, "Strength of L1 regularization: the objective has the term c1 |w|.", range_=_NUMBER),
        _declare("c2", float, "Strength of L2 regularization: the objective has the term c2 |w|^2.", range_=_NUMBER),
        _declare("rate", float, "First learning rate, above 0.", range_=_NUMBER, unset="searched on a sample"),
        _declare("cost", dict, "Cost of predicting another label for a gold label.", unset="1 for each wrong label"),
        _declare("averaging", str, "Which weights are kept: the last ones, or their mean.", choices=tuple(AVERAGINGS)),
        _declare("node_labels", str, "Labels for which a feature has weights: those seen with it, or all.",
                 choices=("seen", "all")),
        _declare("label_cutoff", int, "A feature has weights for labels seen with it at least this often.",
                 range_=(1, 2**32 - 1)),
        _declare("transition_pairs", str, "Label pairs that have transition weights: all, or those seen in the "
                 "training data.", choices=("all", "seen")),
        _declare("C_local", float, "Margin that gold must win by with local features alone.", range_=_NUMBER,
                 unset="C"),
        _declare("n", int, "Number of candidates per document.", range_=(1, 100_000)),
        _declare("bpm", int, "Number of shuffled passes whose mean weights are the start (0: start at zero).",
                 range_=(0, 1000)),
        _declare("tolerance", float, "Training ends after three passes in which the error changes by less than this "
                 "fraction (0: never); with L-BFGS, when the objective has fallen by less than it in a period.",
                 range_=_NUMBER),
        _declare("period", int, "Number of iterations over which L-BFGS measures the fall of the objective.",
                 range_=(1, 1_000_000)),
        _declare("memories", int, "Number of steps that L-BFGS remembers.", range_=(1, 1000)),
        _declare("sgd_passes", int, "Number of passes of SGD before lbfgs and owlqn, which then scale their steps by "
                 "the curvature.", range_=(0, 1000)),
        _declare("variance", float, "Variance of every weight at the start of arow, above 0.", range_=_NUMBER),
        _declare("gamma", float, "Weight of arow's regularization against its loss, above 0.", range_=_NUMBER),
        _declare("cost_power", float, "Power of the number of wrong labels that a predicted sequence costs: 0 for 1 "
                 "per sentence.", range_=_NUMBER),
        _declare("mix", int, "Number of copies of the weights, each trained on a part of the data and mixed several "
                 "times per pass, so that several threads can learn.", range_=(1, 1000)),
        _declare("mixes", int, "How often the copies of `mix` are mixed per pass.", range_=(1, 1000)),
        _declare("local_update", str, "How local features are updated: until gold ranks first, or only until it is "
                 "among the candidates.", choices=("aggressive", "conservative")),
        _declare("update_order", str, "Whether gold is compared by all features first, or by local features first.",
                 choices=("total-first", "local-first")),
        _declare("folds", int, "Number of folds that find the candidates for re-ranking.", range_=(2, 1000)),
        _declare("C_first", float, "Margin of the models that find the candidates for re-ranking.", range_=_NUMBER,
                 unset="C"),
        _declare("depth", int, "Number of labels that lookahead looks ahead.", range_=LIMITS["depth"]),
        _declare("beam", int, "Number of hypotheses in the beam.", range_=LIMITS["beam"]),
        _declare("update", str, "Where the beam perceptron updates a sentence.", choices=("max-violation", "early")),
        _declare("direction", str, "Order in which history-based learners decide labels.", choices=DIRECTIONS),
        _declare("history", int, "Number of previous labels a decision can look at: 1 or 2.", range_=LIMITS["history"]),
    )
}  # fmt: skip


def list_settings(learner: Learner) -> list[str]:
    """The names of the settings that a learner takes, sorted.

    >>> list_settings(LEARNERS["dca"])
    ['C', 'averaging', 'mix', 'mixes']
    """
    names = set(get_defaults(learner)) | set(_VARIANTS.get(learner.opponent, ()))
    names |= {"cost"} if learner.step in _COST_STEPS else set()
    names |= set(get_support_defaults(learner)) if learner.takes_support else set()
    names |= set() if learner.step in BATCH_STEPS else {"averaging"}
    return sorted(names)


@dataclass(frozen=True)
class Settings:
    """What a user sets of a learner; None stands for the learner's own default.

    ``SETTINGS`` has one row per field, with its meaning, default and range. The objective of learners with a
    likelihood is the sum of -log P, ``c1 |w|`` and ``c2 |w|^2``. ``cost`` is an array of (gold label, other label), or
    a mapping by label names. Margin perceptrons follow kazama-torisawa-2007, lookahead follows tsuruoka-2011,
    ``label_cutoff`` follows Ratnaparkhi 1996.
    """

    C: float | None = None
    c1: float | None = None
    c2: float | None = None
    rate: float | None = None
    cost: Costs | None = None
    averaging: str | None = None
    node_labels: str | None = None
    label_cutoff: int | None = None
    transition_pairs: str | None = None
    C_local: float | None = None
    n: int | None = None
    bpm: int | None = None
    tolerance: float | None = None
    period: int | None = None
    memories: int | None = None
    sgd_passes: int | None = None
    variance: float | None = None
    gamma: float | None = None
    cost_power: float | None = None
    mix: int | None = None
    mixes: int | None = None
    local_update: str | None = None
    update_order: str | None = None
    folds: int | None = None
    C_first: float | None = None
    depth: int | None = None
    beam: int | None = None
    update: str | None = None
    direction: str | None = None
    history: int | None = None

    def __repr__(self) -> str:
        texts = [f"{name}={'...' if name == 'cost' else repr(value)}" for name, value in self._list_given().items()]
        return f"Settings({', '.join(texts)})"

    def _list_given(self) -> dict[str, Any]:
        return {f.name: value for f in fields(Settings) if (value := getattr(self, f.name)) is not None}

    def list_stated(self) -> dict[str, float | int | str]:
        """Everything that was set except costs, as plain values for a signature."""
        return {
            name: value if isinstance(value, str) else int(value) if SETTINGS[name].type is int else float(value)
            for name, value in self._list_given().items()
            if name != "cost"
        }

    def of(self, learner: Learner) -> dict[str, Any]:
        """The values that a learner works with, defaults included.

        Raises:
            ConfigError: The learner has no such setting, or a value is not legal.
        """
        defaults, known, given = get_defaults(learner), list_settings(learner), self._list_given()
        for name in given:
            if name not in known:
                raise ConfigError(f"learner {learner.name!r} has no {name!r}; it takes: {', '.join(known)}")
        self._check_support(learner)
        for name in _VARIANTS.get(learner.opponent, ()):
            if name in given and given[name] not in SETTINGS[name].choices:
                raise unknown_name(name, str(given[name]), SETTINGS[name].choices)
        free_margin = learner.has_margin or learner.is_history_based
        positive = ("rate", "variance", "gamma", *(() if free_margin else ("C",)))
        numbers = {name: _check_number(name, given.get(name, value), positive) for name, value in defaults.items()}
        return {**numbers, **{name: value for name, value in given.items() if name not in numbers}}

    def _check_support(self, learner: Learner) -> None:
        for name, value in (("node_labels", self.node_labels), ("transition_pairs", self.transition_pairs)):
            if value not in (None, "seen", "all"):
                raise ConfigError(f"{name}: expected 'seen' or 'all', got {show_value(value)}")
        labels = self.node_labels or get_support_defaults(learner)["node_labels"]
        if labels == "all" and self.label_cutoff not in (None, 1):
            raise ConfigError(f"label_cutoff: needs node_labels 'seen', got {self.label_cutoff!r} with 'all'")


def _check_number(name: str, value: Any, positive: Sequence[str]) -> float | None:
    if value is None:
        return None
    if SETTINGS[name].type is int:
        return _check_whole(SETTINGS[name], value)
    is_number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= _MOST or (name in positive and value == 0):
        least = "above 0" if name in positive else "of 0 or more"
        raise ConfigError(f"{name}: expected a number {least}, at most {_MOST:g}, got {show_value(value)}")
    return float(value)


def _check_whole(row: SettingRow, value: object) -> int:
    assert row.low is not None
    assert row.high is not None
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not row.low <= value <= row.high:
        raise ConfigError(
            f"{row.name}: expected a whole number from {row.low} to {row.high:,}, got {show_value(value)}"
        )
    return int(value)


def build_cost_matrix(cost: Costs | None, labels: Sequence[str]) -> NDArray[np.float64]:
    """Build the [L][L] costs, flattened; by default each wrong label costs one (Hamming, he-wang-2012, Eq. 6)."""
    count = len(labels)
    hamming = 1.0 - np.eye(count)
    if cost is None:
        return hamming.ravel()
    if isinstance(cost, Mapping):
        return _name_costs(cost, labels, hamming).ravel()
    try:
        matrix = np.asarray(cost, np.float64)
    except (TypeError, ValueError):
        raise ConfigError(f"cost: expected {count} rows of {count} numbers, or costs by label names") from None
    if matrix.shape != (count, count):
        shape = " x ".join(map(str, matrix.shape)) or "one number"
        raise ConfigError(f"cost: expected {count} x {count} numbers (gold x other label), got {shape}")
    _check_costs(matrix)
    return np.ascontiguousarray(matrix).ravel()


def name_costs(cost: Costs | None, labels: Sequence[str]) -> dict[str, dict[str, float]]:
    """The costs that differ from Hamming's, by the names of the labels."""
    count = len(labels)
    matrix = build_cost_matrix(cost, labels).reshape(count, count)
    named: dict[str, dict[str, float]] = {}
    for gold, other in np.argwhere(matrix != 1.0 - np.eye(count)).tolist():
        named.setdefault(labels[gold], {})[labels[other]] = float(matrix[gold, other])
    return named


def _name_costs(
    cost: Mapping[str, Mapping[str, float]], labels: Sequence[str], matrix: NDArray[np.float64]
) -> NDArray[np.float64]:
    numbers = {label: number for number, label in enumerate(labels)}
    for gold, others in cost.items():
        if not isinstance(others, Mapping):
            raise ConfigError(f"cost: expected costs of other labels by name under {gold!r}, got {others!r}")
        for other, value in others.items():
            for label in (gold, other):
                if label not in numbers:
                    raise unknown_name("label", str(label), labels)
            try:
                matrix[numbers[gold], numbers[other]] = value
            except (TypeError, ValueError):
                raise ConfigError(
                    f"cost of {other!r} for {gold!r}: expected a number, got {show_value(value)}"
                ) from None
    _check_costs(matrix)
    return matrix


def _check_costs(matrix: NDArray[np.float64]) -> None:
    if not ((matrix >= 0) & (matrix <= _MOST)).all():  # NaN fails, too
        raise ConfigError(f"cost: expected numbers of 0 or more, at most {_MOST:g}")
    if np.diag(matrix).any():
        raise ConfigError("cost: the right label must cost 0")
