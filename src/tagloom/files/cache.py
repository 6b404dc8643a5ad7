"""Files that are found again by the identity of a training: by everything that decides what is learned."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path

from tagloom.errors import ConfigError, DataError

Identity = Mapping[str, str]  # everything that decides what is learned, by name


def find_file_of(folder: Path, identity: Identity, kind: str) -> Path:
    """Return the path of a training's file in a folder; ``kind`` is its suffix."""
    text = json.dumps(dict(identity), sort_keys=True).encode()
    return folder / f"{hashlib.blake2b(text, digest_size=12).hexdigest()}.{kind}"


def make_folder(folder: Path, purpose: str) -> Path:
    """Return a folder, made if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise DataError(f"{folder}: cannot make this folder for {purpose}: {reason}") from None
    return folder


def open_folder(path: object, option: str) -> Path:
    """Return a path that a user named as a folder; raises :class:`ConfigError` for anything else."""
    if not isinstance(path, (str, os.PathLike)):
        raise ConfigError(f"{option}: expected the path of a folder, got {path!r}")
    return Path(path)
