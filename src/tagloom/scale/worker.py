"""What the workers of a cluster do: a model is loaded once, and tags one part, or one table, after the other."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tagloom.cluster.connection import import_ray
from tagloom.corpus.replace import replace_file
from tagloom.corpus.streams import Content, store
from tagloom.errors import TagloomError
from tagloom.scale.plan import PARQUET, Piece, Reading
from tagloom.scale.tables import lines_to_table, read_row_group, table_to_lines, write_table
from tagloom.systems.annotator import Annotator
from tagloom.systems.inputs import Input


class PartTagger:
    """Tags parts of files into a folder; Ray Data calls it with the numbers of parts."""

    def __init__(self, shipped: Sequence[Any], reading: Reading, pieces: Sequence[Piece], folder: Path) -> None:
        self.annotator: Annotator = import_ray().get(shipped[0])
        self.reading, self.pieces, self.folder = reading, pieces, folder

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[Any]]:
        """Tag the parts with these numbers, and return the tokens and seconds of each, or its error."""
        found = [self._tag(self.pieces[number]) for number in batch["item"].tolist()]
        return {name: [each[name] for each in found] for name in ("name", "tokens", "seconds", "error", "notes")}

    def _tag(self, piece: Piece) -> dict[str, Any]:
        started, notes, tokens, error = time.perf_counter(), list[str](), 0, ""
        try:
            tokens = self.tag(piece, notes)
        except TagloomError as found:  # its line is told by the caller
            error = f"{type(found).__name__}\n{found}"
        seconds = time.perf_counter() - started
        return {"name": piece.name, "tokens": tokens, "seconds": seconds, "error": error, "notes": "\n".join(notes)}

    def tag(self, piece: Piece, notes: list[str]) -> int:
        """Tag one part, write it, and return the number of its tokens."""
        target, schema = self.folder / piece.name, None
        if piece.row_group is None:
            source = self.reading.open(piece.path, self.annotator.to, notes)
        else:
            table = read_row_group(piece.path, piece.row_group)
            schema, source = table.schema, open_table(table, piece.path)
        written, tokens = _write(self.annotator, source, piece)
        if piece.name.endswith(f".{PARQUET}"):
            replace_file(target, write_table(lines_to_table(_split_lines(written), schema)))
        elif piece.is_first:
            store(target, "".join(map(str, written)))
        else:  # a character that looks like a BOM is one only at the beginning of the output
            replace_file(target, *(each.encode() if isinstance(each, str) else each for each in written))
        return tokens


def _write(annotator: Annotator, source: Input, piece: Piece) -> tuple[list[Content], int]:
    """Tag all batches of a part; return what was written, and the number of tokens."""
    to = None if annotator.to == PARQUET else annotator.to or ("jsonl" if piece.row_group is not None else None)
    annotator, written, tokens = replace(annotator, to=to), list[Content](), 0
    for batch in source.stream_for(annotator.model, piece.part):
        written.append(annotator.write(batch))
        tokens += batch.token_count
    return written, tokens


def open_table(table: Any, name: str) -> Input:
    """Return the rows of a table as an input of records."""
    return Input.of_bytes(name, table_to_lines(table), "jsonl")


class TableTagger:
    """Tags tables; Ray Data calls it with batches of a data set."""

    def __init__(self, shipped: Sequence[Any]) -> None:
        self.annotator: Annotator = import_ray().get(shipped[0])

    def __call__(self, table: Any) -> Any:
        """Return the table with the annotations added."""
        batches = open_table(table, "<data set>").stream_for(self.annotator.model)
        return lines_to_table(_split_lines(map(self.annotator.write, batches)), table.schema)


def _split_lines(written: Iterable[Content]) -> Iterator[str]:
    """Split what was written at line ends only: records may hold other separators of lines."""
    for content in written:
        assert isinstance(content, str)
        yield from filter(None, content.split("\n"))
