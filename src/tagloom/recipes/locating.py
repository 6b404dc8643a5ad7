"""Files in the folder of the data, compressed or not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tagloom.errors import DataError

_ENDINGS = ("", ".xz", ".gz")  # a file may be compressed


def located(data: Path, name: str) -> Path:
    """A file or folder of the data, compressed or not."""
    for ending in _ENDINGS:
        path = data / f"{name}{ending}"
        if path.exists():
            return path
    raise DataError(f"no {name} in {data}")


def files_of(path: Path) -> Iterator[Path]:
    """The file itself, or all files of a folder."""
    if path.is_dir():
        yield from sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
    else:
        yield path
