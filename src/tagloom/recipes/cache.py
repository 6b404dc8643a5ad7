"""Finished rows on disk, so that a run that was stopped goes on where it ended. One small file a row."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from tagloom.corpus.streams import replace_file
from tagloom.errors import DataError
from tagloom.recipes.recipe import Finished, Point, Row


@dataclass(frozen=True)
class RowCache:
    """Rows by their signature. A file that is damaged or belongs to another signature counts as not there."""

    folder: Path

    def load(self, signature: str) -> Finished | None:
        try:
            values = json.loads(self._file(signature).read_text("utf-8"))
            found = Finished(Row(**values["row"]), tuple(Point(*point) for point in values["curve"]))
        except (OSError, ValueError, LookupError, TypeError):
            return None
        return found if found.row.signature == signature else None

    def store(self, finished: Finished) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise DataError(f"{self.folder}: cannot keep finished rows: {reason}; choose another --cache") from None
        values = {"row": finished.row.to_dict(), "curve": finished.curve}
        replace_file(self._file(finished.row.signature), json.dumps(values, ensure_ascii=False).encode())

    def _file(self, signature: str) -> Path:
        return self.folder / f"{hashlib.blake2b(signature.encode(), digest_size=12).hexdigest()}.json"


def default_cache() -> Path:
    """``tagloom/reproduce`` in the user's cache directory (XDG base directories: a relative path is ignored)."""
    stated = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(stated) if Path(stated).is_absolute() else Path.home() / ".cache"
    return base / "tagloom" / "reproduce"
