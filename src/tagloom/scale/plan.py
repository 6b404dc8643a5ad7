"""The plan of a tagging: the parts of all files, and the folder that takes them.

The folder has a file ``_tagloom.json`` that says what its parts are made of, so that a tagging that was killed goes on,
and another one is refused. Parts are written as wholes: those that are there are finished.
"""

from __future__ import annotations

import glob
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tagloom._version import __version__
from tagloom.corpus.formats import CONLLU, get_format
from tagloom.corpus.formats.text import choose_output
from tagloom.corpus.io import Part, cut_into_parts
from tagloom.corpus.replace import make_folder, replace_file
from tagloom.corpus.streams import is_compressed
from tagloom.errors import ConfigError, DataError
from tagloom.scale.tables import count_row_groups
from tagloom.systems.annotator import Annotator
from tagloom.systems.inputs import Input

PARQUET = "parquet"
OUTPUTS = ("jsonl", PARQUET, "conll", "conllu")
_PLAN = "_tagloom.json"  # tools that read folders of parts leave out names that begin so


@dataclass(frozen=True)
class Piece:
    """A part of a file, and the name that its output has."""

    path: str
    name: str
    part: Part | None = None  # None: all of the file
    row_group: int | None = None  # of a parquet file

    @property
    def is_first(self) -> bool:
        """Whether the output begins with this part."""
        return self.name.startswith("part-00000.")


@dataclass(frozen=True)
class Reading:
    """What the user says about the files."""

    format: str | None = None
    columns: str | None = None
    tokenizer: Any = None

    def open(self, path: str, to: str | None, notes: list[str]) -> Input:
        """Return the input of a file."""
        return Input(path, self.format, self.columns, notes, tokenizer=self.tokenizer, keeps_text=to is not None)


def list_files(paths: Sequence[str | os.PathLike[str]]) -> list[str]:
    """List files: folders stand for their files, and names may have wildcards, in alphabetical order."""
    found: list[str] = []
    names = [os.fspath(path) for path in paths]
    for given in names:
        if Path(given).is_dir():
            inside = sorted(str(each) for each in Path(given).iterdir() if each.is_file())
            found += [each for each in inside if not Path(each).name.startswith(("_", "."))]
        else:
            found += sorted(glob.glob(given)) or [given]  # noqa: PTH207
    for path in found:
        if not Path(path).is_file():
            raise DataError(f"{path}: no such file")
    if not found:
        raise DataError(f"{', '.join(names)}: no files")
    return found


def plan_pieces(
    files: Sequence[str], annotator: Annotator, reading: Reading, size: int, notes: list[str]
) -> list[Piece]:
    """Cut all files into parts; the beginning of each is read, so that what cannot be tagged is refused at once."""
    cut: list[tuple[str, Part | None, int | None]] = []
    written = set()
    for path in files:
        if Path(path).suffix == f".{PARQUET}":
            cut += [(path, None, number) for number in range(count_row_groups(path))]
            written.add(annotator.to or PARQUET)
            continue
        source = reading.open(path, annotator.to, notes)
        first = next(source.stream_for(annotator.model))
        is_text = get_format(first).is_running_text
        chosen = choose_output(first, annotator.model.layers).name if is_text else get_format(first).name
        written.add(annotator.to or chosen)
        if annotator.to == PARQUET and chosen != "jsonl":
            raise ConfigError(f"to: {PARQUET} is written for records (JSONL, {PARQUET}), and {path} has none")
        cut += [(path, part, None) for part in _cut_file(path, source, annotator, annotator.to or chosen, size)]
    if len(written) > 1:
        raise ConfigError(f"the files would be written in several formats ({', '.join(sorted(written))}); pass to")
    (ending,) = written
    if ending not in OUTPUTS:
        raise ConfigError(f"{ending} cannot be written in parts; pass to ({', '.join(OUTPUTS)})")
    return [Piece(path, f"part-{n:05d}.{ending}", part, group) for n, (path, part, group) in enumerate(cut)]


def _cut_file(path: str, source: Input, annotator: Annotator, written: str, size: int) -> list[Part | None]:
    """Cut a file where its output does not depend on what stands before: JSONL and text, not as numbered CoNLL-U."""
    choice = source.settle(annotator.model)
    is_cuttable = choice.format.is_running_text or (choice.format.is_record and not choice.format.is_binary)
    keeps_order = written == CONLLU.name or (choice.format.is_record and written not in ("jsonl", PARQUET))
    if not is_cuttable or keeps_order or annotator.model.reads.whole_documents or is_compressed(Path(path)):
        return [None]
    return list(cut_into_parts(Path(path), choice, size))


@dataclass(frozen=True)
class Folder:
    """The folder of the parts."""

    path: Path

    @classmethod
    def open(cls, path: Path, plan: Mapping[str, object]) -> Folder:
        """Make the folder, or go on in it if its parts have the same plan."""
        make_folder(path, "tagged parts")
        file, text = path / _PLAN, json.dumps(plan, indent=1, sort_keys=True) + "\n"
        if not file.exists() and any(path.iterdir()):
            raise ConfigError(f"{path}: has other files; choose another folder")
        if file.exists() and file.read_text("utf-8") != text:
            raise ConfigError(
                f"{path}: has parts of another tagging (other files, model, options or version); choose another "
                "folder, or delete it"
            )
        replace_file(file, text.encode())
        return cls(path)

    def select_missing(self, pieces: Sequence[Piece]) -> list[Piece]:
        """Select the parts that are not finished."""
        return [piece for piece in pieces if not (self.path / piece.name).exists()]


def describe_plan(
    files: Sequence[str], annotator: Annotator, reading: Reading, pieces: Sequence[Piece]
) -> dict[str, object]:
    """List everything that decides the parts."""
    stats = [(str(Path(file).resolve()), Path(file).stat()) for file in files]
    asked = {"search": dict(annotator.search), "confidence": annotator.confidence, "nbest": annotator.nbest}
    return {
        "version": __version__,
        "model": hashlib.blake2b(annotator.model.to_bytes(), digest_size=12).hexdigest(),
        "files": [[path, stat.st_size, stat.st_mtime_ns] for path, stat in stats],
        "options": repr({**asked, **asdict(reading), "to": annotator.to}),
        "parts": [[piece.part.begin, piece.part.end] if piece.part else piece.row_group for piece in pieces],
    }
