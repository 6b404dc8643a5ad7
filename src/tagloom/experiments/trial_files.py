"""Trials on disk, so that a stopped search can be resumed: one small record and one checkpoint per trial."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from tagloom.corpus.streams import replace_file
from tagloom.files.cache import Identity, find_file_of, make_folder
from tagloom.files.checkpoint import Checkpoint
from tagloom.files.records import EpochRecord

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

    @classmethod
    def open(cls, folder: Path) -> TrialFiles:
        """Open a folder, and create it if it does not exist."""
        return cls(make_folder(folder, "trials"))

    def load(self, identity: Identity) -> Record:
        """Return the record of a trial; an empty one if it is missing or damaged."""
        try:
            values = json.loads(self._file(identity, "json").read_text("utf-8"))
            history = tuple(EpochRecord(**record) for record in values["history"])
            found = Record(history, float(values["seconds"]), bool(values["is_over"]))
        except (OSError, ValueError, LookupError, TypeError):
            return Record()
        return found if values["training"] == identity and _is_sound(found) else Record()

    def store(self, identity: Identity, record: Record) -> None:
        """Write the record of a trial."""
        values = {**asdict(record), "training": dict(identity)}
        replace_file(self._file(identity, "json"), json.dumps(values, ensure_ascii=False).encode())

    def checkpoint(self, identity: Identity) -> Checkpoint:
        """Return the checkpoint of a trial."""
        return Checkpoint(self._file(identity, "checkpoint"), identity, every=_BETWEEN_CHECKPOINTS)

    def _file(self, identity: Identity, kind: str) -> Path:
        return find_file_of(self.folder, identity, kind)


def _is_sound(record: Record) -> bool:
    """Tell whether a record has passes 1, 2, ..., each with a development score."""
    return all(
        entry.epoch == number and isinstance(entry.dev_score, (int, float))
        for number, entry in enumerate(record.history, 1)
    )
