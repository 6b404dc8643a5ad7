"""Trainers: collect sequences, choose an algorithm and its parameters, learn, and report on the way."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from typing import Any

from tagloom.compat.crfsuite.errors import CRFSuiteError, raise_as
from tagloom.compat.crfsuite.items import ItemSequence, copy_sequence
from tagloom.compat.crfsuite.log import TrainLogParser
from tagloom.compat.crfsuite.parameters import ALIASES, PARAMETERS, Parameter
from tagloom.compat.crfsuite.training import TrainingRun
from tagloom.corpus import Corpus, from_feature_dicts
from tagloom.errors import show_value, unknown_name
from tagloom.systems.tagger.model import Tagger as Model

_TYPE = "crf1d"  # the only graphical model


class BaseTrainer:
    """Collects sequences and learns from them; the log goes to :meth:`message`.

    Args:
        algorithm: lbfgs, l2sgd, ap (averaged-perceptron), pa (passive-aggressive) or arow.
        params: Parameters of the algorithm by name, see :meth:`set_params`.
        verbose: Print the log.
    """

    verbose: bool = False
    threads: int = 1  # does not change the result
    _algorithm: str
    _values: dict[str, Any]
    # One entry per sequence, in parallel lists: tuples would make the garbage collector visit all feature dicts.
    _sequences: list[Any]
    _labels: list[Sequence[str]]
    _groups: list[int]

    def __new__(cls, *args: object, **options: object) -> Any:
        """Set up the trainer here, because subclasses of python-crfsuite's trainers need not call ``__init__``."""
        trainer = super().__new__(cls)
        trainer._sequences, trainer._labels, trainer._groups = [], [], []
        trainer._select("lbfgs")
        return trainer

    def __init__(
        self, algorithm: str | None = None, params: Mapping[str, object] | None = None, verbose: bool = True
    ) -> None:
        if algorithm is not None:
            self.select(algorithm)
        if params is not None:
            self.set_params(params)
        self.verbose = verbose

    # -- data --------------------------------------------------------------------------------------------------------

    def append(self, xseq: Iterable[Any] | ItemSequence, yseq: Sequence[str], group: int = 0) -> None:
        """Add a sequence of items with its labels; ``group`` is a number by which :meth:`train` holds data out.

        Raises:
            ValueError: The numbers of items and labels differ.
        """
        items, labels = copy_sequence(xseq), list(yseq)
        if len(items) != len(labels):
            raise ValueError(f"expected one label per item: {len(items)} items, {len(labels)} labels")
        self.extend([items], [labels], group)

    def extend(self, sequences: Sequence[Any], labels: Sequence[Sequence[str]], group: int = 0) -> None:
        """Add many sequences that will not change before :meth:`train` is called."""
        self._sequences += sequences
        self._labels += labels
        self._groups += [group] * len(sequences)

    def clear(self) -> None:
        """Remove all sequences."""
        self._sequences, self._labels, self._groups = [], [], []

    def _encode(self, holdout: int, *, held_out: bool = False) -> Corpus:
        """Build the corpus of all groups but one, or of this one."""
        sequences, labels = self._sequences, self._labels
        chosen = [(group == holdout) == held_out for group in self._groups]
        if not all(chosen):
            sequences, labels = list(compress(sequences, chosen)), list(compress(labels, chosen))
        with raise_as(ValueError):
            return from_feature_dicts(sequences, labels)

    # -- algorithm and parameters ------------------------------------------------------------------------------------

    def select(self, algorithm: str, type: str = _TYPE) -> None:  # noqa: A002
        """Choose the algorithm; its parameters get their defaults.

        Raises:
            ValueError: There is no such algorithm, or no such type of model.
        """
        name = ALIASES.get(algorithm.lower(), algorithm.lower())
        if name not in PARAMETERS:
            raise ValueError(str(unknown_name("algorithm", algorithm, [*PARAMETERS, *ALIASES])))
        if type != _TYPE:
            raise ValueError(f"type: expected {_TYPE!r}, got {type!r}")
        self._select(name)

    def _select(self, name: str) -> None:
        shared = getattr(self, "_values", {})
        self._algorithm = name
        self._values = {each.name: each.default for each in PARAMETERS[name]}
        self._values |= {name: value for name, value in shared.items() if name.startswith("feature.")}

    def params(self) -> list[str]:
        """List the names of the parameters of the algorithm."""
        return list(self._values)

    def set_params(self, params: Mapping[str, object]) -> None:
        """Set parameters by name."""
        for name, value in params.items():
            self.set(name, value)

    def get_params(self) -> dict[str, Any]:
        """Get all parameters by name."""
        return dict(self._values)

    def set(self, name: str, value: object) -> None:
        """Set one parameter; raises ValueError if there is no such parameter, or the value is no value of it."""
        self._values[name] = self._find(name).parse(value)

    def get(self, name: str) -> Any:
        """Get one parameter; raises ValueError if there is no such parameter."""
        return self._values[self._find(name).name]

    def help(self, name: str) -> str:
        """Tell what a parameter does; raises ValueError if there is no such parameter."""
        return self._find(name).help

    def _find(self, name: str) -> Parameter:
        for parameter in PARAMETERS[self._algorithm]:
            if parameter.name == name:
                return parameter
        raise ValueError(str(unknown_name(f"parameter of {self._algorithm}", name, self._values)))

    # -- training ----------------------------------------------------------------------------------------------------

    def train(self, model: str | os.PathLike[str], holdout: int = -1) -> None:
        """Learn from the sequences and write a model file.

        Args:
            model: File to write; none if it is empty.
            holdout: Group that is not learned from; the weights are scored on it after every iteration.

        Raises:
            ValueError: The sequences cannot be read.
            CRFSuiteError: A parameter has a value that the learner refuses.
        """
        built = self.train_model(holdout)
        if built is not None and os.fspath(model):
            built.save(model)

    def train_model(self, holdout: int = -1) -> Model | None:
        """Learn from the sequences and return the model of tagloom; None if there are no sequences."""
        if not isinstance(holdout, int):
            raise TypeError(f"holdout: expected a whole number, got {show_value(holdout)}")
        self._before_train()
        if holdout != -1:
            self.message(f"Holdout group: {holdout + 1}\n")
            self.message("\n")
        corpus = self._encode(holdout)
        held_out = None if holdout == -1 else self._encode(holdout, held_out=True)
        with raise_as(CRFSuiteError):
            run = TrainingRun(self._algorithm, self._values, corpus, held_out, self.message, self.threads)
            return run.run()

    def _before_train(self) -> None:
        """Prepare what receives the log."""

    def message(self, message: str) -> None:
        """Receive one line of the log; prints it if the trainer is verbose."""
        if self.verbose:
            print(message, end="")  # noqa: T201


class Trainer(BaseTrainer):
    """A trainer that calls one method per event of the log; ``logparser`` has its numbers.

    >>> trainer = Trainer("ap", {"max_iterations": 5}, verbose=False)
    >>> trainer.append([{"word": "the"}, {"word": "dog"}], ["DT", "NN"])
    >>> trainer.train("")
    >>> sorted(trainer.logparser.last_iteration)
    ['feature_norm', 'loss', 'num', 'scores', 'time']
    """

    logparser: TrainLogParser | None = None

    def _before_train(self) -> None:
        self.logparser = TrainLogParser()

    def message(self, message: str) -> None:
        """Receive one line of the log; calls the method of the event that it completes if the trainer is verbose."""
        assert self.logparser is not None
        event = self.logparser.feed(message)
        if event is None or not self.verbose:
            return
        more: dict[str, list[Any]] = {
            "featgen_progress": [self.logparser.featgen_percent],
            "iteration": [self.logparser.last_iteration],
        }
        getattr(self, f"on_{event}")(self.logparser.last_log, *more.get(event, []))

    def on_start(self, log: str) -> None:
        """The log begins."""
        print(log, end="")  # noqa: T201

    def on_featgen_progress(self, log: str, percent: int) -> None:
        """A part of the features is generated."""
        print(log, end="")  # noqa: T201

    def on_featgen_end(self, log: str) -> None:
        """All features are generated."""
        print(log, end="")  # noqa: T201

    def on_prepared(self, log: str) -> None:
        """The first iteration begins."""
        print(log, end="")  # noqa: T201

    def on_prepare_error(self, log: str) -> None:
        """There is nothing to learn from."""
        print(log, end="")  # noqa: T201

    def on_iteration(self, log: str, info: dict[str, Any]) -> None:
        """An iteration has ended; ``info`` has its numbers."""
        print(log, end="")  # noqa: T201

    def on_optimization_end(self, log: str) -> None:
        """The last iteration has ended."""
        print(log, end="")  # noqa: T201

    def on_end(self, log: str) -> None:
        """The model is stored."""
        print(log, end="")  # noqa: T201


#: What is printed of an iteration, if it is known.
_SHOWN = {
    "time": "time={:.2f}", "loss": "loss={:.2f}", "active_features": "active={}", "avg_precision": "precision={:.3f}",
    "avg_recall": "recall={:.3f}", "avg_f1": "F1={:.3f}", "item_accuracy_float": "items={:.3f}",
    "instance_accuracy_float": "sequences={:.3f}", "feature_norm": "norm={:.2f}",
}  # fmt: skip


class LinePerIterationTrainer(Trainer):
    """A trainer that prints one line per iteration, and the scores of the labels at the end."""

    def on_iteration(self, log: str, info: dict[str, Any]) -> None:
        """Print the numbers of the iteration on one line."""
        shown = [form.format(info[name]) for name, form in _SHOWN.items() if name in info]
        print(f"Iter {info['num']:<3}", *shown, sep="  ")  # noqa: T201

    def on_optimization_end(self, log: str) -> None:
        """Print the last scores of the labels on held-out data."""
        last = None if self.logparser is None else self.logparser.last_iteration
        for label, score in sorted((last or {}).get("scores", {}).items()):
            numbers = [score.precision or 0.0, score.recall or 0.0, score.f1 or 0.0]
            print(f"{label:<16}", *(f"{number:.3f}" for number in numbers), score.ref, sep="  ")  # noqa: T201
        super().on_optimization_end(log)
