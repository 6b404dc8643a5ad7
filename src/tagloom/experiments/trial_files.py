"""Trials on disk, so that a search that was stopped goes on where it ended: a small record and a checkpoint a trial."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from tagloom.corpus.streams import replace_file
from tagloom.files.cache import Identity, file_of, make_folder
from tagloom.files.checkpoint import Checkpoint
from tagloom.files.records import EpochRecord

_BETWEEN_CHECKPOINTS = 20.0  # seconds: a pass may take less time than to write what it learned


@dataclass(frozen=True)
class Record:
    """How far a trial has come. Nothing here depends on the other trials."""

    history: tuple[EpochRecord, ...] = ()
    seconds: float = 0.0
    is_over: bool = False  # its passes have come to an end of their own

    def reaches(self, epoch: int) -> bool:
        return self.is_over or len(self.history) >= epoch


@dataclass(frozen=True)
class TrialFiles:
    """The trials of a folder by their identity. A record that is damaged counts as not there."""

    folder: Path

    @classmethod
    def open(cls, folder: Path) -> TrialFiles:
        return cls(make_folder(folder, "trials"))

    def load(self, identity: Identity) -> Record:
        try:
            values = json.loads(self._file(identity, "json").read_text("utf-8"))
            history = tuple(EpochRecord(**record) for record in values["history"])
            found = Record(history, float(values["seconds"]), bool(values["is_over"]))
        except (OSError, ValueError, LookupError, TypeError):
            return Record()
        return found if values["training"] == identity and _is_sound(found) else Record()

    def store(self, identity: Identity, record: Record) -> None:
        values = {**asdict(record), "training": dict(identity)}
        replace_file(self._file(identity, "json"), json.dumps(values, ensure_ascii=False).encode())

    def checkpoint(self, identity: Identity) -> Checkpoint:
        return Checkpoint(self._file(identity, "checkpoint"), identity, every=_BETWEEN_CHECKPOINTS)

    def _file(self, identity: Identity, kind: str) -> Path:
        return file_of(self.folder, identity, kind)


def _is_sound(record: Record) -> bool:
    """Whether it has passes 1, 2 ... with a development score each."""
    return all(
        entry.epoch == number and isinstance(entry.dev_score, (int, float))
        for number, entry in enumerate(record.history, 1)
    )
