"""Choosing options with time: what may be better than the defaults is tried on held-out data, within a budget.

Steps follow each other (template sets, learners, schemes, ...), and each begins with the best choices of those before.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tagloom.arguments import check_arguments
from tagloom.corpus import Corpus
from tagloom.errors import ConfigError
from tagloom.experiments.compare import Part
from tagloom.systems.alternatives import Choice, list_settings
from tagloom.systems.data import Data, read_training_data
from tagloom.systems.jackknife import DOCUMENTS, SENTENCES, cut_into_folds
from tagloom.systems.options import list_options, parse_duration
from tagloom.systems.registry import System, get_system
from tagloom.systems.tables import Parts, Shown, Table
from tagloom.systems.train import train

BUDGET = "10m"
_FOLDS = 10  # one of them is held out
_FINAL_SHARE = 1.5  # time of the training on all data, in times of a training here
DEFAULTS, KEPT, WORSE, SKIPPED = "defaults", "kept", "worse", "no time"

#: Called with a line of text after every trial.
Tell = Callable[[str], None]


@dataclass(frozen=True)
class EffortTrial:
    """A choice that was tried, or that there was no time for."""

    step: str
    choice: Choice  # what differs from the best of the steps before
    outcome: str  # defaults, kept, worse or no time
    score: float | None = None  # on held-out data
    seconds: float = 0.0

    @property
    def name(self) -> str:
        """The choice in words."""
        return " ".join(list_settings(self.choice)) or DEFAULTS


@dataclass(frozen=True)
class Effort(Shown):
    """The trials of a search, and the options that were best."""

    trials: tuple[EffortTrial, ...]
    options: Mapping[str, Any]  # what to state in a training, beside what was stated
    metric: str
    parts: Mapping[str, Part]  # train, dev
    is_interrupted: bool = field(default=False)

    def __repr__(self) -> str:
        return f"<Effort: {len(self.trials)} trials; best {dict(self.options)}>"

    def to_parts(self) -> Parts:
        """Build the table of the trials."""
        rows = [
            (trial.step, trial.name, "" if trial.score is None else f"{trial.score:.2f}",
             "" if trial.score is None else f"{trial.seconds:.1f}", trial.outcome)
            for trial in self.trials
        ]  # fmt: skip
        return [Table(("step", "options", self.metric, "seconds", "outcome"), rows, (self.metric, "seconds"))]

    def to_dict(self) -> dict[str, object]:
        """Convert to plain values for JSON."""
        trials = [
            {"step": each.step, "choice": dict(each.choice), "outcome": each.outcome, "score": each.score,
             "seconds": each.seconds}
            for each in self.trials
        ]  # fmt: skip
        return {"metric": self.metric, "options": dict(self.options), "trials": trials}


@check_arguments
def choose_options(
    data: Data,
    *,
    system: str = "tagger",
    dev: Data | None = None,
    budget: str | float = BUDGET,
    columns: str | Sequence[str] | None = None,
    format: str | None = None,  # noqa: A002
    normalise: str | None = None,
    on_trial: Tell | None = None,
    **options: object,
) -> Effort:
    """Try alternatives to the defaults on held-out data, and return the options that were best.

    Train with them on all data afterwards: ``tagloom.train(data, **options, **found.options)``. Trials begin only if
    their time, and that of the training on all data, is expected to fit the budget. With enough time the result
    depends on the data, the options and the seed only. Ctrl-C ends the search with what was found so far.

    Args:
        data: Training data, as for :func:`tagloom.train`.
        system: Name of a system that has alternatives.
        dev: Data to compare on. Without it, a tenth of the documents (or sentences) of the training data is held out.
        budget: Time for all trials, such as ``"10m"``, or a number of seconds.
        columns: As for :func:`tagloom.train`.
        format: As for :func:`tagloom.train`.
        normalise: As for :func:`tagloom.train`.
        on_trial: Function that is called with a line of text after every trial.
        **options: Options of :func:`tagloom.train`. What is stated here is not tried.

    Examples:
        >>> from tagloom.datasets import newswire
        >>> found = choose_options(newswire(20), label="pos", learner="perceptron", epochs=2, budget="1m")
        >>> [trial.name for trial in found.trials][:2]
        ['defaults', 'templates=pos-rich']
    """
    row, seconds = get_system(system), parse_duration("budget", budget)
    given = columns, format, normalise
    corpus = read_training_data(data, *given)
    held_out = None if dev is None else read_training_data(dev, *given)
    return Search(row, corpus, held_out, options, seconds, on_trial or (lambda _: None)).run()


class Search:
    """Tries step after step."""

    def __init__(
        self, row: System, corpus: Corpus, dev: Corpus | None, options: Mapping[str, Any], seconds: float, tell: Tell
    ) -> None:
        self.row, self.options, self.seconds, self.tell = row, dict(options), seconds, tell
        checked = row.load_options().parse(self.options)
        self.steps = row.load_training().list_alternatives(corpus, checked)
        if not self.steps:
            raise ConfigError(
                f"effort: there is nothing to try for this {row.noun} beside what is stated; leave it out"
            )
        self.train, self.dev = (corpus, dev) if dev is not None else hold_out(corpus, checked.seed)
        self.trials: list[EffortTrial] = []
        self.metric = "score"
        self._started = time.perf_counter()
        self._longest = 0.0  # seconds of a trial so far

    def run(self) -> Effort:
        """Try the defaults, and then all steps; Ctrl-C ends the search with what was found."""
        best, is_interrupted = self._try(DEFAULTS, {}, {}), False
        self._add(best, DEFAULTS)
        found: dict[str, Any] = {}
        try:
            for step in self.steps:
                tried = [
                    self._try(step.name, found, choice, step.cost)
                    for choice in step.choices
                    if self._differs(found, choice)
                ]
                winner = max((each for each in tried if each.score is not None), key=_get_score, default=None)
                if winner is not None and _get_score(winner) > _get_score(best):
                    best, found = winner, {**found, **winner.choice}
                for each in tried:
                    self._add(each, SKIPPED if each.score is None else KEPT if each is best else WORSE)
        except KeyboardInterrupt:
            is_interrupted = True
        parts = {"train": Part.of(self.train), "dev": Part.of(self.dev)}
        return Effort(tuple(self.trials), found, self.metric, parts, is_interrupted)

    def _differs(self, found: Choice, choice: Choice) -> bool:
        """Whether a choice changes what the data and the best choices so far decide."""
        known = list_options(self.row.load_options())
        complete, _ = self.row.load_training().complete_options(self.train, self._parse(found))
        return any(getattr(complete, name) != value for name, value in choice.items() if name in known)

    def _parse(self, choice: Choice) -> Any:
        return self.row.load_options().parse({**self.options, **choice})

    def _try(self, step: str, found: Choice, choice: Choice, cost: float = 1.0) -> EffortTrial:
        """Train on the larger part, and score on the other; a trial that would take too long is skipped."""
        left = self.seconds - (time.perf_counter() - self._started)
        if self._longest and left < self._longest * cost * (1 + _FINAL_SHARE):
            return EffortTrial(step, choice, SKIPPED)
        begun = time.perf_counter()
        model = train(self.train, system=self.row, **{**self.options, **found, **choice})
        score = model.evaluate(self.dev)
        seconds = time.perf_counter() - begun
        self._longest, self.metric = max(self._longest, seconds), score.metric
        trial = EffortTrial(step, choice, WORSE, score.value, seconds)
        self.tell(f"{step}: {trial.name}: {score.metric} {score.value:.2f}, {seconds:.1f} s")
        return trial

    def _add(self, trial: EffortTrial, outcome: str) -> None:
        self.trials.append(EffortTrial(trial.step, trial.choice, outcome, trial.score, trial.seconds))


def _get_score(trial: EffortTrial) -> float:
    return -1.0 if trial.score is None else trial.score


def hold_out(corpus: Corpus, seed: int) -> tuple[Corpus, Corpus]:
    """Hold out a tenth of a corpus: whole documents that the seed draws, or sentences that stand together."""
    units = {DOCUMENTS: len(corpus.documents) - 1, SENTENCES: len(corpus)}
    by = DOCUMENTS if corpus.has_documents and units[DOCUMENTS] >= _FOLDS else SENTENCES
    if units[by] < 2:
        raise ConfigError(f"effort: {corpus.source} has one sentence, and a part must be held out; pass dev")
    held_out = cut_into_folds(corpus, min(_FOLDS, units[by]), by, seed)[-1]
    rest = np.setdiff1d(np.arange(len(corpus)), held_out)
    return corpus.select(rest), corpus.select(held_out)
