"""Tuning: the results of the trials of a search, as numbers. ``tune`` returns one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from tagloom._version import __version__
from tagloom.corpus.replace import make_folder, replace_file
from tagloom.evaluate import Signature
from tagloom.experiments.compare import Part
from tagloom.experiments.grid import Grid, Plain, format_trial_name, pick, plain
from tagloom.files.cache import Identity, find_file_of
from tagloom.files.checkpoint import Checkpoint, EpochRecord
from tagloom.systems.tables import Parts, Shown, Table

FINISHED, STOPPED, UNFINISHED = "finished", "stopped", "unfinished"


@dataclass(frozen=True)
class Trial:
    """One combination of the grid: the development score after every pass, and how the trial ended."""

    number: int  # from 1, in the order of the grid
    chosen: Mapping[str, object]  # from the grid
    history: tuple[EpochRecord, ...]
    seconds: float  # of learning, without encoding and scoring
    status: str  # "finished"; "stopped" because others were better; "unfinished" because of an interrupt
    made_by: Signature | None = None  # signature of its model, without the pass; None before the first pass

    @property
    def options(self) -> dict[str, Plain]:
        """The chosen values, as plain values for a report."""
        return {name: plain(value) for name, value in self.chosen.items()}

    @property
    def name(self) -> str:
        """The chosen values as one text."""
        return format_trial_name(self.options)

    @property
    def scores(self) -> tuple[float, ...]:
        """The scores on development data, pass by pass."""
        return tuple(record.dev_score for record in self.history if record.dev_score is not None)

    @property
    def score(self) -> float | None:
        """The best score; None before the first pass."""
        return max(self.scores, default=None)

    @property
    def best_epoch(self) -> int:
        """The first pass with the best score; 0 before the first pass."""
        return self.scores.index(max(self.scores)) + 1 if self.scores else 0

    @property
    def signature(self) -> str | None:
        """The signature of the model of the best pass; None before the first pass."""
        return None if self.made_by is None else str(replace(self.made_by, passes=self.best_epoch))

    def to_dict(self) -> dict[str, object]:
        """Convert to plain values."""
        return {
            "trial": self.number,
            **pick(self, "options score best_epoch"),
            "epochs": len(self.history),
            **pick(self, "seconds status signature"),
            "scores": list(self.scores),
        }


@dataclass(frozen=True)
class Tuning(Shown):
    """All trials of a search. Only seconds depend on ``jobs``, and on how often the search was interrupted."""

    trials: tuple[Trial, ...]  # in the order of the grid
    grid: Grid
    options: Mapping[str, object]  # the same for all trials
    keep: float  # part of the trials that continues after a rung
    metric: str
    parts: Mapping[str, Part]  # train, dev
    checksum: str  # of the development data
    jobs: int  # number of trials that ran at the same time

    def __repr__(self) -> str:
        best = self.best_trial
        chosen = ", ".join(f"{name}={value}" for name, value in best.options.items())
        score = "-" if best.score is None else f"{best.score:.2f}"
        return f"<Tuning of {len(self.trials)} trials; best {chosen} with dev {self.metric} {score}>"

    def to_parts(self) -> Parts:
        """Build the table, one row per trial, the best first."""
        headers = ("trial", *self.grid, f"dev {self.metric}", "pass", "status")
        rows = [
            (str(trial.number), *(" ".join(str(value).split()) for value in trial.options.values()),
             "-" if trial.score is None else f"{trial.score:.2f}", str(trial.best_epoch or "-"), trial.status)
            for trial in self.rank()
        ]  # fmt: skip
        return [Table(headers, rows, headers[-3:-1])]

    def rank(self) -> list[Trial]:
        """Sort the trials, the best first; ties in the order of the grid, trials without a pass last."""
        return sorted(self.trials, key=lambda trial: (trial.score is None, -(trial.score or 0.0), trial.number))

    @property
    def best_trial(self) -> Trial:
        """The trial with the best score."""
        return self.rank()[0]

    @property
    def best(self) -> dict[str, object]:
        """The options of the best trial: ``tagloom.train(data, dev=dev, **tuning.best)`` trains its model."""
        return {**self.options, **self.best_trial.chosen}

    @property
    def interrupted(self) -> bool:
        """Whether any trial was interrupted."""
        return any(trial.status == UNFINISHED for trial in self.trials)

    @property
    def signature(self) -> str:
        """The signature of the best trial, with the data and the grid that it was chosen by."""
        tried = (f"{name}={','.join(str(plain(value)) for value in values)}" for name, values in self.grid.items())
        chosen = ";".join(f"{name}={value}" for name, value in self.best_trial.options.items())
        choice = f"chosen:{chosen}|grid:{';'.join(tried)}|keep:{self.keep:g}"
        return f"{self.best_trial.signature}|dev:{self.checksum}|{choice}"

    def to_dict(self) -> dict[str, object]:
        """Convert to plain values for JSON, the best trial first; nothing is rounded."""
        return {
            "version": __version__,
            "metric": self.metric,
            **{name: asdict(part) for name, part in self.parts.items()},
            "grid": {name: [plain(value) for value in values] for name, values in self.grid.items()},
            **pick(self, "keep jobs interrupted signature"),
            "best": self.best_trial.options,
            "trials": [trial.to_dict() for trial in self.rank()],
        }


_BETWEEN_CHECKPOINTS = 20.0  # seconds, because a pass may take less time than writing its checkpoint


@dataclass(frozen=True)
class Record:
    """The passes of a trial so far. They do not depend on other trials."""

    history: tuple[EpochRecord, ...] = ()
    seconds: float = 0.0
    is_over: bool = False  # it ended by itself

    def reaches(self, epoch: int) -> bool:
        """Tell whether the trial needs no more passes to reach a pass."""
        return self.is_over or len(self.history) >= epoch


@dataclass(frozen=True)
class TrialFiles:
    """The trials of a folder by their identity. A damaged record counts as missing."""

    folder: Path

    def load(self, identity: Identity) -> Record:
        """Return the record of a trial; an empty one if it is missing or damaged."""
        try:
            values = json.loads(find_file_of(self.folder, identity, "json").read_text("utf-8"))
            history = tuple(EpochRecord(**record) for record in values["history"])
            found = Record(history, float(values["seconds"]), bool(values["is_over"]))
        except (OSError, ValueError, LookupError, TypeError):
            return Record()
        return found if values["training"] == identity and _is_sound(found) else Record()

    def store(self, identity: Identity, record: Record) -> None:
        """Write the record of a trial."""
        make_folder(self.folder, "trials")  # on this machine, which may not be the one that began
        values = {**asdict(record), "training": dict(identity)}
        replace_file(find_file_of(self.folder, identity, "json"), json.dumps(values, ensure_ascii=False).encode())

    def checkpoint(self, identity: Identity) -> Checkpoint:
        """Return the checkpoint of a trial."""
        file = find_file_of(make_folder(self.folder, "trials"), identity, "checkpoint")
        return Checkpoint(file, identity, every=_BETWEEN_CHECKPOINTS)


def _is_sound(record: Record) -> bool:
    """Tell whether a record has passes 1, 2, ..., each with a development score."""
    return all(
        entry.epoch == number and isinstance(entry.dev_score, (int, float))
        for number, entry in enumerate(record.history, 1)
    )
