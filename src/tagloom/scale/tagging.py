"""Tagging by the workers of a Ray cluster: files into a folder of parts, or a data set of Ray."""

from __future__ import annotations

import itertools
import logging
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from tagloom import errors
from tagloom.arguments import check_arguments
from tagloom.cluster.connection import connect, count_cores
from tagloom.corpus import open_writer
from tagloom.errors import ConfigError, DataError, unknown_name
from tagloom.scale.plan import OUTPUTS, Folder, Piece, Reading, describe_plan, list_files, plan_pieces
from tagloom.systems import base
from tagloom.systems.annotator import Annotator
from tagloom.systems.base import Model
from tagloom.systems.file import load
from tagloom.systems.inputs import Input
from tagloom.systems.learning import Progress
from tagloom.systems.options import MOST_CANDIDATES, MOST_THREADS, check_whole_number

Paths: TypeAlias = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
PART_BYTES = 1 << 25
_LEAST_PART = 1 << 10


@dataclass(frozen=True)
class TaggedFiles:
    """A folder of tagged parts: one after the other, they are what ``tagloom tag`` writes."""

    folder: Path
    files: tuple[Path, ...]  # in the order of the input
    made: int  # parts that this call has made; the others were there
    tokens: int  # of the parts that this call has made

    def __repr__(self) -> str:
        return f"<TaggedFiles {self.folder}: {len(self.files)} parts, {self.made} of them new>"


@check_arguments
def tag_dataset(
    model: Model | str | os.PathLike[str],
    data: Any,
    output: str | os.PathLike[str] | None = None,
    *,
    to: str | None = None,
    format: str | None = None,  # noqa: A002
    columns: str | None = None,
    tokenizer: Any = None,
    confidence: bool = False,
    nbest: int | None = None,
    workers: int | None = None,
    part_bytes: int = PART_BYTES,
    ray: bool | str = True,
    on_progress: Callable[[Progress], None] | None = None,
    **search: Any,
) -> Any:
    """Tag files, or a data set of Ray, by the workers of a Ray cluster.

    Every worker loads the model once. Files are read and written by the workers themselves, in parts of some megabytes:
    they must see the same folders. The parts, one after the other, are byte by byte what ``tagloom tag`` writes. Parts
    that are finished stay, and the same call goes on with the others. Ctrl-C leaves what is finished.

    Args:
        model: A model, or its file.
        data: Files (JSONL, text, parquet or a corpus format), folders of them, or names with wildcards; or a
            ``ray.data.Dataset`` whose rows have ``tokens`` or a ``text``.
        output: Folder that takes the parts; for files only.
        to: Format of the parts: jsonl, parquet, conll or conllu. Default: that of the files.
        format: As for :func:`tagloom.read`.
        columns: As for :func:`tagloom.read`.
        tokenizer: What cuts text, if not the tokenizer of the model: a tokenizer, or its name.
        confidence: Also write the probability of every label.
        nbest: Write this many best labellings.
        workers: Number of workers, of one core each; as many as the cluster has cores if None. Does not change the
            result.
        part_bytes: Size of a part in bytes. Parquet files are cut by their row groups.
        ray: The address of a cluster, or True for the cluster of RAY_ADDRESS or workers on this machine.
        on_progress: Function that is called with a :class:`Progress` for every finished part.
        **search: Options of the search, as ``Model.annotate`` takes them.

    Returns:
        For files :class:`TaggedFiles`; for a data set another one, with the annotations as columns.
    """
    opened = model if isinstance(model, Model) else load(model)
    annotator = _check(opened, to, confidence, nbest, search)
    if workers is not None:
        check_whole_number("workers", workers, 1, MOST_THREADS)
    check_whole_number("part_bytes", part_bytes, _LEAST_PART)
    if not _is_path(data):
        return _tag_rows(annotator, data, output, workers, ray)
    if output is None:
        raise ConfigError("output: name the folder that takes the tagged parts")
    paths = [data] if isinstance(data, (str, os.PathLike)) else data
    reading = Reading(format, columns, _open_tokenizer(tokenizer))
    return _Tagging(annotator, reading, on_progress or (lambda _: None)).run(
        list_files(paths), Path(output), part_bytes, workers, ray
    )


def tag_files(
    annotator: Annotator, source: Input, output: Path, ray: bool | str, report: Callable[[Progress], None]
) -> TaggedFiles:
    """Tag the file of an input into a folder of parts."""
    if annotator.to is not None and annotator.to not in OUTPUTS:
        raise unknown_name("format of parts (to)", annotator.to, OUTPUTS)
    reading = Reading(source.format, source.columns, source.tokenizer)
    tagging = _Tagging(replace(annotator, threads=1), reading, report)
    return tagging.run(list_files([source.path]), output, PART_BYTES, None, ray)


def join_parts(found: TaggedFiles, output: str) -> None:
    """Write all parts into one file, and remove their folder."""
    with open_writer(output) as writer:
        for file in found.files:
            writer.write(file.read_bytes())
    shutil.rmtree(found.folder)


def _check(model: Model, to: str | None, confidence: bool, nbest: int | None, search: dict[str, Any]) -> Annotator:
    if to is not None and to not in OUTPUTS:
        raise unknown_name("format of parts (to)", to, OUTPUTS)
    if confidence:
        model.require(base.CONFIDENCE, "confidence")
    if nbest is not None:
        model.require(base.NBEST, "nbest")
        check_whole_number("nbest", nbest, 1, MOST_CANDIDATES)
    model.check_search(search)
    return Annotator(model, 1, search, confidence, nbest, to)


def _is_path(data: object) -> bool:
    if isinstance(data, (list, tuple)):
        return all(map(_is_path, data))
    return isinstance(data, (str, os.PathLike))


def _open_tokenizer(tokenizer: Any) -> Any:
    from tagloom.systems.provide import choose_tokenizer

    return None if tokenizer is None else choose_tokenizer(tokenizer)


def _tag_rows(annotator: Annotator, data: Any, output: object, workers: int | None, ray: bool | str) -> Any:
    """Tag a data set."""
    module = connect(ray)
    from ray import data as ray_data

    from tagloom.scale.worker import TableTagger

    if not isinstance(data, ray_data.Dataset):
        raise ConfigError(f"data: expected paths or a ray.data.Dataset, got a {type(data).__name__}")
    if output is not None or annotator.to is not None:
        raise ConfigError("output, to: a data set is returned, not written; write it with its own methods")
    shipped = [module.put(annotator)]
    # What comes before in the data set needs cores, too: workers are added as far as it leaves some.
    strategy = ray_data.ActorPoolStrategy(min_size=1, max_size=_choose_workers(workers))
    return data.map_batches(
        TableTagger, fn_constructor_args=(shipped,), batch_format="pyarrow", compute=strategy,
        num_cpus=1 if count_cores() > 1 else 0.5,
    )  # fmt: skip


def _choose_workers(workers: int | None) -> int:
    """Choose the number of workers: as many as asked for, and no more than there are cores."""
    return min(workers or count_cores(), count_cores())


@dataclass(frozen=True)
class _Tagging:
    """The tagging of files."""

    annotator: Annotator
    reading: Reading
    report: Callable[[Progress], None]

    def run(
        self, files: Sequence[str], output: Path, size: int, workers: int | None, ray: bool | str
    ) -> TaggedFiles:  # fmt: skip
        """Tag the parts that the folder does not have."""
        notes: list[str] = []
        pieces = plan_pieces(files, self.annotator, self.reading, size, notes)
        folder = Folder.open(output, describe_plan(files, self.annotator, self.reading, pieces))
        missing = folder.select_missing(pieces)
        for note in [*notes, *self.annotator.list_notes()]:
            self.report(Progress("note", note))
        if len(missing) < len(pieces):
            text = f"{len(pieces) - len(missing)} of {len(pieces)} parts are there"
            self.report(Progress("resumed", text, epochs=len(pieces)))
        tokens = sum(self._tag(missing, folder, set(notes), workers, ray)) if missing else 0
        if tokens == 0 and len(missing) == len(pieces):
            raise DataError(f"{', '.join(files)}: no tokens found")
        return TaggedFiles(output, tuple(output / piece.name for piece in pieces), len(missing), tokens)

    def _tag(
        self, missing: Sequence[Piece], folder: Folder, told: set[str], workers: int | None, ray: bool | str
    ) -> Iterator[int]:
        """Tag parts on the workers; give the tokens of each as it is finished."""
        module = connect(ray)
        from tagloom.scale.worker import PartTagger

        module.data.DataContext.get_current().enable_progress_bars = False
        logging.getLogger("ray.data").setLevel(logging.ERROR)  # what it tells of its plans is of no use here
        given = [module.put(self.annotator)], self.reading, missing, folder.path.resolve()
        numbers = module.data.from_items(list(range(len(missing))), override_num_blocks=len(missing))
        done = numbers.map_batches(
            PartTagger, fn_constructor_args=given, batch_size=1, batch_format="numpy", num_cpus=1,
            compute=module.data.ActorPoolStrategy(size=min(_choose_workers(workers), len(missing))),
        )  # fmt: skip
        for number, row in zip(itertools.count(1), done.iter_rows()):
            if row["error"]:
                kind, line = row["error"].split("\n", 1)
                raise getattr(errors, kind, DataError)(line)
            for note in filter(None, row["notes"].split("\n")):
                if note not in told:
                    told.add(note)
                    self.report(Progress("note", note))
            text = f"{number} of {len(missing)} parts, {row['tokens']:,} tokens in {row['seconds']:.1f} s"
            self.report(Progress("part", text, epochs=len(missing), seconds=row["seconds"]))
            yield int(row["tokens"])
