"""Tuning: what came of the trials of a search, as numbers. ``tuning`` makes one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from tagloom._version import __version__
from tagloom.evaluate import Signature
from tagloom.experiments.comparison import Part
from tagloom.experiments.grid import Grid, Plain, plain, trial_name
from tagloom.files.records import EpochRecord

FINISHED, STOPPED, UNFINISHED = "finished", "stopped", "unfinished"


@dataclass(frozen=True)
class Trial:
    """One combination of the grid: its development score after every pass, and how it ended."""

    number: int  # from 1, in the order of the grid
    chosen: Mapping[str, object]  # from the grid
    history: tuple[EpochRecord, ...]
    seconds: float  # of learning, without encoding and scoring
    status: str  # "finished"; "stopped": others were better at a rung; "unfinished": interrupted
    made_by: Signature | None = None  # of its model, without the pass; None before its first pass

    @property
    def options(self) -> dict[str, Plain]:
        """What was chosen, as a report states it."""
        return {name: plain(value) for name, value in self.chosen.items()}

    @property
    def name(self) -> str:
        return trial_name(self.options)

    @property
    def scores(self) -> tuple[float, ...]:
        """On development data, pass by pass."""
        return tuple(record.dev_score for record in self.history if record.dev_score is not None)

    @property
    def score(self) -> float | None:
        return max(self.scores, default=None)

    @property
    def best_epoch(self) -> int:
        """The first pass with the best score; 0 before the first pass."""
        return self.scores.index(max(self.scores)) + 1 if self.scores else 0

    @property
    def signature(self) -> str | None:
        return None if self.made_by is None else str(replace(self.made_by, passes=self.best_epoch))

    def to_dict(self) -> dict[str, object]:
        return {
            "trial": self.number,
            "options": self.options,
            "score": self.score,
            "best_epoch": self.best_epoch,
            "epochs": len(self.history),
            "seconds": self.seconds,
            "status": self.status,
            "signature": self.signature,
            "scores": list(self.scores),
        }


@dataclass(frozen=True)
class Tuning:
    """All trials of a search. Nothing but seconds depends on ``jobs``, or on how often the search was interrupted."""

    trials: tuple[Trial, ...]  # in the order of the grid
    grid: Grid
    options: Mapping[str, object]  # the same for all trials
    keep: float  # part of the trials that goes on after a rung
    metric: str
    parts: Mapping[str, Part]  # train, dev
    checksum: str  # of the development data
    jobs: int  # trials that ran side by side

    def ranked(self) -> list[Trial]:
        """The best first; ties in the order of the grid, trials without a pass last."""
        return sorted(self.trials, key=lambda trial: (trial.score is None, -(trial.score or 0.0), trial.number))

    @property
    def best_trial(self) -> Trial:
        return self.ranked()[0]

    @property
    def best(self) -> dict[str, object]:
        """The options of the best trial: ``tagloom.train(data, dev=dev, **tuning.best)`` makes its model."""
        return {**self.options, **self.best_trial.chosen}

    @property
    def interrupted(self) -> bool:
        return any(trial.status == UNFINISHED for trial in self.trials)

    @property
    def signature(self) -> str:
        """That of the best trial, and what it was chosen by."""
        tried = (f"{name}={','.join(str(plain(value)) for value in values)}" for name, values in self.grid.items())
        chosen = ";".join(f"{name}={value}" for name, value in self.best_trial.options.items())
        choice = f"chosen:{chosen}|grid:{';'.join(tried)}|keep:{self.keep:g}"
        return f"{self.best_trial.signature}|dev:{self.checksum}|{choice}"

    def to_dict(self) -> dict[str, object]:
        """Numbers for a machine, the best trial first; nothing is rounded."""
        return {
            "version": __version__,
            "metric": self.metric,
            **{name: asdict(part) for name, part in self.parts.items()},
            "grid": {name: [plain(value) for value in values] for name, values in self.grid.items()},
            "keep": self.keep,
            "jobs": self.jobs,
            "interrupted": self.interrupted,
            "signature": self.signature,
            "best": self.best_trial.options,
            "trials": [trial.to_dict() for trial in self.ranked()],
        }
