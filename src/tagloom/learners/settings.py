"""Settings: the numbers of a learner, checked, and which learner takes which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagloom.errors import ConfigError, unknown_name
from tagloom.learners.learner import BATCH_STEPS, Learner
from tagloom.structures.history import BEAM, DEPTH, DIRECTIONS, LIMITS

#: (gold label, other label) -> cost, as an array in the order of the labels, or by their names.
Costs = Sequence[Sequence[float]] | NDArray[np.float64] | Mapping[str, Mapping[str, float]]

#: step -> its numbers and what they are if the user does not say.
DEFAULTS: Mapping[str, Mapping[str, float | None]] = {
    "unit": {},
    "pa": {"C": 0.01},  # he-wang-2012, section 3.3
    "pa2": {"C": 0.01},
    "dca": {"C": 1.0},  # he-wang-2012, section 3.3
    "sgd": {"c2": 0.5, "rate": None},
    "madf": {"c2": 0.5, "rate": None},
    "adf": {"c2": 0.5, "rate": 0.1},  # Sun, Wang & Li 2012
    "l1": {"c1": 1.0, "rate": None},
    "lbfgs": {"c2": 0.5, "label_cutoff": 1},
    "owlqn": {"c1": 0.5, "c2": 0.0001, "label_cutoff": 1},
    "gis": {"label_cutoff": 1},
}
#: opponent -> likewise, of the margin perceptrons: the tolerance and n of kazama-torisawa-2007, section 6.1, a C for
#: features as frequent as those of the shipped sets.
_MARGIN: Mapping[str, float | None] = {"C": 300.0, "bpm": 0, "tolerance": 0.0001}
OPPONENT_DEFAULTS: Mapping[str, Mapping[str, float | None]] = {
    "second-best": _MARGIN,
    "rescored": {**_MARGIN, "n": 20},
    "rescored-local": {**_MARGIN, "n": 20, "C_local": None},
    "reranked-score": {**_MARGIN, "n": 20, "folds": 5},
    "reranked": {**_MARGIN, "n": 20, "folds": 5},
    "lookahead": {"C": 20.0, "depth": DEPTH, "history": 1},
    "beam": {"beam": BEAM, "history": 1},
    "conditional": {"beam": 20, "history": 2},  # collins-2002, section 2.2
}
#: Names that choose a variant, the first being the default.
VARIANTS: Mapping[str, tuple[str, ...]] = {
    "local_update": ("aggressive", "conservative"),
    "update_order": ("total-first", "local-first"),
    "update": ("max-violation", "early"),
    "direction": DIRECTIONS,
}
# opponent: its variants
_VARIANTS_OF: Mapping[str, tuple[str, ...]] = {
    "rescored-local": ("local_update", "update_order"),
    "lookahead": ("direction",),
    "beam": ("direction", "update"),
    "conditional": ("direction",),
}
# name: least, most
_WHOLE: Mapping[str, tuple[int, int]] = {
    "n": (1, 100_000),
    "bpm": (0, 1000),
    "folds": (2, 1000),
    "label_cutoff": (1, 2**32 - 1),
    **LIMITS,
}
_POSITIVE = ("rate",)
_MOST = 1e12  # beyond it single precision has nothing to add to
_COST_STEPS = ("pa", "pa2")


@dataclass(frozen=True)
class Settings:
    """What a user may set of a learner; None is the learner's own default.

    C: the most a step of pa or dca moves. c1, c2: the objective is the sum of -log P plus c1 |w| plus c2 |w|^2.
    rate: the first learning rate; None is searched on a sample. cost: of (gold, other label), for pa.
    node_labels: batch learners give a feature weights for the labels "seen" with it, or for "all".
    label_cutoff: likewise, for the labels seen with it so often (Ratnaparkhi 1996).

    Margin perceptrons (kazama-torisawa-2007): C, C_local: what gold must win by, by all features and by local ones
    (None: the same). n: candidates a document. bpm: passes over shuffled examples whose mean is the start.
    tolerance: training ends when the tokens in error change by a smaller part of them, three times in a row.
    local_update: "aggressive" or "conservative". update_order: "total-first" or "local-first".
    folds: of the candidates for re-ranking.

    History-based learners (tsuruoka-2011): C: what the right label must win by. depth: labels to look ahead.
    beam: hypotheses. update: "max-violation" or "early", of the beam. direction: "left-to-right" or "right-to-left".
    history: labels before it that a decision sees, 1 or 2. MaxEnt taggers take beam, direction and history, too.
    """

    C: float | None = None
    c1: float | None = None
    c2: float | None = None
    rate: float | None = None
    cost: Costs | None = None
    averaging: str | None = None
    node_labels: str | None = None
    label_cutoff: int | None = None
    C_local: float | None = None
    n: int | None = None
    bpm: int | None = None
    tolerance: float | None = None
    local_update: str | None = None
    update_order: str | None = None
    folds: int | None = None
    depth: int | None = None
    beam: int | None = None
    update: str | None = None
    direction: str | None = None
    history: int | None = None

    def stated(self) -> dict[str, float | int | str]:
        """What was set, but for costs, in the words of a signature."""
        values = {f.name: getattr(self, f.name) for f in fields(Settings) if f.name != "cost"}
        return {
            name: value if isinstance(value, str) else int(value) if name in _WHOLE else float(value)
            for name, value in values.items()
            if value is not None
        }

    def of(self, learner: Learner) -> dict[str, Any]:
        """The numbers a learner works with; a setting that it does not have is an error."""
        defaults = {**DEFAULTS[learner.step], **OPPONENT_DEFAULTS.get(learner.opponent, {})}
        known = {*defaults, *(("cost",) if learner.step in _COST_STEPS else ())}
        known |= {"node_labels"} if learner.step in BATCH_STEPS else {"averaging"}
        known |= set(_VARIANTS_OF.get(learner.opponent, ()))
        given = {f.name: getattr(self, f.name) for f in fields(Settings) if getattr(self, f.name) is not None}
        for name in given:
            if name not in known:
                raise ConfigError(f"learner {learner.name!r} has no {name!r}; it takes: {', '.join(sorted(known))}")
        if self.node_labels not in (None, "seen", "all"):
            raise ConfigError(f"node_labels: expected 'seen' or 'all', got {self.node_labels!r}")
        if self.node_labels == "all" and self.label_cutoff not in (None, 1):
            raise ConfigError(f"label_cutoff: goes with node_labels 'seen', got {self.label_cutoff!r} with 'all'")
        for name, values in VARIANTS.items():
            if name in given and given[name] not in values:
                raise unknown_name(name, str(given[name]), values)
        positive = () if learner.has_margin or learner.is_history_based else ("C",)
        numbers = {name: _checked(name, given.get(name, default), positive) for name, default in defaults.items()}
        return {**numbers, **{name: value for name, value in given.items() if name not in numbers}}


def _checked(name: str, value: object, positive: Sequence[str]) -> float | None:
    if value is None:
        return None
    if name in _WHOLE:
        return _whole(name, value)
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float, np.integer, np.floating))
        or not 0 <= value <= _MOST
        or (name in (*_POSITIVE, *positive) and value == 0)
    ):
        least = "above 0" if name in (*_POSITIVE, *positive) else "of 0 or more"
        raise ConfigError(f"{name}: expected a number {least}, at most {_MOST:g}, got {value!r}")
    return float(value)


def _whole(name: str, value: object) -> int:
    least, most = _WHOLE[name]
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not least <= value <= most:
        raise ConfigError(f"{name}: expected a whole number from {least} to {most:,}, got {value!r}")
    return int(value)


def cost_matrix(cost: Costs | None, labels: Sequence[str]) -> NDArray[np.float64]:
    """[L][L] costs, flattened; by default each wrong label costs one (Hamming, he-wang-2012, Eq. 6)."""
    count = len(labels)
    hamming = 1.0 - np.eye(count)
    if cost is None:
        return hamming.ravel()
    if isinstance(cost, Mapping):
        return _named_costs(cost, labels, hamming).ravel()
    try:
        matrix = np.asarray(cost, np.float64)
    except (TypeError, ValueError):
        raise ConfigError(f"cost: expected {count} rows of {count} numbers, or costs by label names") from None
    if matrix.shape != (count, count):
        shape = " x ".join(map(str, matrix.shape)) or "one number"
        raise ConfigError(f"cost: expected {count} x {count} numbers (gold x other label), got {shape}")
    _check_costs(matrix)
    return np.ascontiguousarray(matrix).ravel()


def costs_by_name(cost: Costs | None, labels: Sequence[str]) -> dict[str, dict[str, float]]:
    """The costs that are not Hamming's, by the names of the labels."""
    count = len(labels)
    matrix = cost_matrix(cost, labels).reshape(count, count)
    named: dict[str, dict[str, float]] = {}
    for gold, other in np.argwhere(matrix != 1.0 - np.eye(count)).tolist():
        named.setdefault(labels[gold], {})[labels[other]] = float(matrix[gold, other])
    return named


def _named_costs(
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
                raise ConfigError(f"cost of {other!r} for {gold!r}: expected a number, got {value!r}") from None
    _check_costs(matrix)
    return matrix


def _check_costs(matrix: NDArray[np.float64]) -> None:
    if not ((matrix >= 0) & (matrix <= _MOST)).all():  # nor what is not a number
        raise ConfigError(f"cost: expected numbers of 0 or more, at most {_MOST:g}")
    if np.diag(matrix).any():
        raise ConfigError("cost: the right label must cost 0")
