"""The log of a training in the lines of CRFsuite: written pass by pass, and read back into events and numbers.

A trainer passes every line to its method ``message``, which subclasses override. The parser tells what a line ends: the
start, the feature generation, an iteration and so on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple


class LabelScore(NamedTuple):
    """Holdout scores of one label; None where nothing was predicted and nothing expected."""

    match: int
    model: int
    ref: int
    precision: float | None
    recall: float | None
    f1: float | None


# -- writing ----------------------------------------------------------------------------------------------------------

_PROGRESS = [text for number in range(11) for text in (str(number), *"...."[: 4 * (number < 10)])]


def write_features(values: Mapping[str, Any], count: int, seconds: float) -> Iterator[str]:
    """Write the section about features."""
    yield from ("Feature generation\n", "type: CRF1d\n", f"feature.minfreq: {values['feature.minfreq']:f}\n")
    for name in ("feature.possible_states", "feature.possible_transitions"):
        yield f"{name}: {values[name]:d}\n"
    yield from (*_PROGRESS, "\n", f"Number of features: {count}\n", f"Seconds required: {seconds:.3f}\n", "\n")


def write_parameters(title: str, values: Mapping[str, Any]) -> Iterator[str]:
    """Write the parameters of an algorithm."""
    yield f"{title}\n"
    for name, value in values.items():
        if not name.startswith("feature."):
            yield f"{name}: {value:f}\n" if isinstance(value, float) else f"{name}: {value:{'d' * (value is True)}}\n"
    yield "\n"


@dataclass(frozen=True)
class Iteration:
    """The numbers of one pass."""

    number: int
    loss: float
    feature_norm: float
    seconds: float
    error_norm: float | None = None
    active_features: int | None = None


def write_iteration(iteration: Iteration, holdout: Iterator[str]) -> Iterator[str]:
    """Write the numbers of one pass."""
    yield f"***** Iteration #{iteration.number} *****\n"
    yield f"Loss: {iteration.loss:f}\n"
    yield f"Feature norm: {iteration.feature_norm:f}\n"
    if iteration.error_norm is not None:
        yield f"Error norm: {iteration.error_norm:f}\n"
    if iteration.active_features is not None:
        yield f"Active features: {iteration.active_features}\n"
    yield f"Seconds required for this iteration: {iteration.seconds:.3f}\n"
    yield from holdout
    yield "\n"


def write_holdout(labels: Sequence[str], counts: Sequence[Sequence[int]], items: str, instances: str) -> Iterator[str]:
    """Write scores on held-out data; ``counts`` has (match, model, ref) of every label."""
    yield "Performance by label (#match, #model, #ref) (precision, recall, F1):\n"
    sums = [0.0, 0.0, 0.0]
    for label, (match, model, ref) in zip(labels, counts):
        scores = _score(match, model, ref)
        sums = [total + score for total, score in zip(sums, scores)]
        shown = ", ".join(f"{score:.4f}" if model or ref else "******" for score in scores)
        yield f"    {label}: ({match}, {model}, {ref}) ({shown})\n"
    means = ", ".join(f"{total / max(len(labels), 1):f}" for total in sums)
    yield f"Macro-average precision, recall, F1: ({means})\n"
    yield f"Item accuracy: {items}\n"
    yield f"Instance accuracy: {instances}\n"


def _score(match: int, model: int, ref: int) -> tuple[float, float, float]:
    return match / model if model else 0.0, match / ref if ref else 0.0, 2 * match / (model + ref) if match else 0.0


def write_part(part: int, whole: int) -> str:
    """Write a part of a whole, and the ratio."""
    return f"{part} / {whole} ({part / max(whole, 1):.4f})"


def write_end(message: str, seconds: float) -> Iterator[str]:
    """Write why and when training ended."""
    yield from (f"{message}\n", f"Total seconds required for training: {seconds:.3f}\n", "\n")


def write_storing(sizes: Mapping[str, tuple[int, int]], seconds: float) -> Iterator[str]:
    """Write the section about the model; sizes are what is left, of how many."""
    yield "Storing the model\n"
    yield from (f"Number of active {name}: {kept} ({whole})\n" for name, (kept, whole) in sizes.items())
    yield from (f"Seconds required: {seconds:.3f}\n", "\n")


# -- reading ----------------------------------------------------------------------------------------------------------

_NUMBER, _WHOLE = r"(\d+\.\d+)", r"(\d+)"
#: Lines of an iteration with one number: key -> pattern and type.
_NUMBERS: Mapping[str, tuple[str, Callable[[str], float]]] = {
    "loss": (f"Loss: {_NUMBER}", float),
    "feature_norm": (f"Feature (?:L2-)?norm: {_NUMBER}", float),
    "error_norm": (f"Error norm: {_NUMBER}", float),
    "active_features": (f"Active features: {_WHOLE}", int),
    "linesearch_trials": (f"Line search trials: {_WHOLE}", int),
    "linesearch_step": (f"Line search step: {_NUMBER}", float),
    "time": (f"Seconds required for this iteration: {_NUMBER}", float),
}
_HEAD = re.compile(r"\*{5} (?:Iteration|Epoch) #(\d+) \*{5}\n")
_MEANS = re.compile(rf"Macro-average precision, recall, F1: \({_NUMBER}, {_NUMBER}, {_NUMBER}\)")
_ACCURACY = re.compile(rf"(Item|Instance) accuracy: {_WHOLE} / {_WHOLE}")
_LABEL = re.compile(rf"    (.+): \({_WHOLE}, {_WHOLE}, {_WHOLE}\) \((\S+), (\S+), (\S+)\)")
_SECONDS = re.compile(f"Seconds required: {_NUMBER}")
_TOTAL = re.compile(f"Total seconds required for training: {_NUMBER}")
_FEATURES = re.compile(f"Number of features: {_WHOLE}")
#: Events whose last line already belongs to the next section.
_EARLY = ("prepared", "optimization_end")


class TrainLogParser:
    """What the lines of a log say so far.

    ``feed`` returns the event that a line completes: start, featgen_progress, featgen_end, prepared, prepare_error,
    iteration, optimization_end, end; ``last_log`` is its text. ``iterations`` has one dict per iteration.
    """

    def __init__(self) -> None:
        self.state: str | None = None
        self.featgen_percent = -2
        self.featgen_num_features: int | None = None
        self.featgen_seconds: float | None = None
        self.training_seconds: float | None = None
        self.storing_seconds: float | None = None
        self.iterations: list[dict[str, Any]] = []
        self.last_iteration: dict[str, Any] | None = None
        self.log: list[str] = []
        self.events: list[tuple[str, int, int]] = []  # with the range of their lines

    @property
    def last_log(self) -> str:
        """The lines of the last event."""
        _, start, stop = self.events[-1]
        return "".join(self.log[start:stop])

    def feed(self, line: str) -> str | None:
        """Read a line; return the event that it completes, if any."""
        self.log.append(line)
        event = self._read(line)
        if event is not None:
            start = self.events[-1][2] if self.events else 0
            self.events.append((event, start, len(self.log) - (event in _EARLY)))
        return event

    def _read(self, line: str) -> str | None:
        if self.state in (None, "STARTING"):
            is_first = self.state is None
            self.state = "FEATGEN" if line.startswith("Feature generation") else "STARTING"
            return "start" if is_first else None
        readers = {"FEATGEN": self._read_features, "AFTER_FEATGEN": self._read_parameters,
                   "ITERATION": self._read_iteration, "AFTER_ITERATION": self._read_end}  # fmt: skip
        return readers.get(self.state or "", self._read_storing)(line)

    def _read_features(self, line: str) -> str | None:
        if line in _PROGRESS:
            self.featgen_percent += 2
            return "featgen_progress"
        if found := _FEATURES.match(line):
            self.featgen_num_features = int(found[1])
        if found := _SECONDS.match(line):
            self.featgen_seconds, self.state = float(found[1]), "AFTER_FEATGEN"
            return "featgen_end"
        return None

    def _read_parameters(self, line: str) -> str | None:
        if self._begin_iteration(line):
            return "prepared"
        if "terminated with error" in line:
            self.state = "AFTER_ITERATION"
            return "prepare_error"
        return None

    def _begin_iteration(self, line: str) -> bool:
        if not (found := _HEAD.match(line)):
            return False
        self.state, self.last_iteration = "ITERATION", {"num": int(found[1]), "scores": {}}
        self.iterations.append(self.last_iteration)
        return True

    def _read_iteration(self, line: str) -> str | None:
        if line == "\n":
            self.state = "AFTER_ITERATION"
            return "iteration"
        if not self._begin_iteration(line):
            assert self.last_iteration is not None
            self.last_iteration |= {
                key: kind(found[1]) for key, (pattern, kind) in _NUMBERS.items() if (found := re.match(pattern, line))
            }
            _read_holdout(line, self.last_iteration)
        return None

    def _read_end(self, line: str) -> str | None:
        if self._begin_iteration(line):
            return None
        if found := _TOTAL.match(line):
            self.training_seconds = float(found[1])
        if line.startswith("Storing the model"):
            self.state = "STORING"
            return "optimization_end"
        return None

    def _read_storing(self, line: str) -> str | None:
        if found := _SECONDS.match(line):
            self.storing_seconds = float(found[1])
        return "end" if line == "\n" else None


def _read_holdout(line: str, numbers: dict[str, Any]) -> None:
    """Add the scores of a line about held-out data."""
    if found := _MEANS.match(line):
        numbers |= zip(("avg_precision", "avg_recall", "avg_f1"), map(float, found.groups()))
    elif found := _ACCURACY.match(line):
        key, value = f"{found[1].lower()}_accuracy", Fraction(int(found[2]), max(int(found[3]), 1))
        numbers |= {key: value, f"{key}_float": float(value)}
    elif found := _LABEL.match(line):
        scores = [None if text.startswith("*") else float(text) for text in found.groups()[4:]]
        match, model, ref = map(int, found.groups()[1:4])
        numbers["scores"][found[1]] = LabelScore(match, model, ref, *scores)
