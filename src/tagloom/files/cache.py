"""Files by the identity of a training: what was learned is found again by everything that decided it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from tagloom.errors import DataError

Identity = Mapping[str, str]  # everything that decides what is learned, as training_identity makes it


def file_of(folder: Path, identity: Identity, kind: str) -> Path:
    """The file of a training in a folder; ``kind`` is its ending."""
    text = json.dumps(dict(identity), sort_keys=True).encode()
    return folder / f"{hashlib.blake2b(text, digest_size=12).hexdigest()}.{kind}"


def made_folder(folder: Path, purpose: str) -> Path:
    """The folder, made if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise DataError(f"{folder}: cannot make this folder for {purpose}: {reason}") from None
    return folder
