"""The measurements of a run: rounds that go through all tools in turn, each measurement a part that is kept."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import ROOT
from bench.parts import OUTPUT, Part, PartError, checksum_files, checksum_sources
from bench.rivals.adapters.adapter import Adapter
from bench.rivals.tasks import Files, Task

MEASURE = "bench.rivals.measure"
LONG = 60.0  # a training that takes more CPU seconds is not repeated
PASSES = 30  # of the traces of tagloom


@dataclass
class Entry:
    """A tool on a task with a number of training sentences, and what every round has found."""

    task: Task
    adapter: Adapter
    sentences: int | None  # None: all
    files: Files
    is_compared: bool = True  # whether another tool is trained on as many sentences
    rounds: list[dict[str, Any]] = field(default_factory=list)
    traces: list[dict[str, Any]] = field(default_factory=list)
    outputs: list[Path] = field(default_factory=list)  # predicted labels
    model: Path | None = None
    failure: str | None = None

    @property
    def title(self) -> str:
        return f"{self.task.name}-{self.adapter.name}-{self.sentences or 'all'}".replace(" ", "").replace(",", "-")


@dataclass(frozen=True)
class Size:
    """How much is measured: the most training and test sentences, rounds, and passes of traces."""

    train: int | None
    test: int | None
    rounds: int
    passes: int = PASSES


QUICK = Size(train=150, test=100, rounds=1, passes=5)


def list_entries(task: Task, adapters: Sequence[Adapter], size: Size, data: Path, folder: Path) -> list[Entry]:
    """List the tools that can do a task; tagloom once for every number of sentences that others are trained on."""
    able = [each for each in adapters if task.name in each.tasks]
    limits = {each.name: _cut(each.limits.get(task.name), size.train) for each in able}
    others = sorted(set(limits.values()), key=lambda number: (number is not None, number or 0))
    entries = []
    for number in others:
        files = Files.write(task, data, folder, number, size.test)
        chosen = [each for each in able if is_main(each) or limits[each.name] == number]
        is_compared = any(not each.is_ours for each in chosen)
        entries += [Entry(task, each, number, files, is_compared) for each in chosen]
    return entries


def is_main(adapter: Adapter) -> bool:
    """Whether it is a learner of tagloom that others are compared with."""
    return adapter.is_ours and hasattr(adapter, "trace")


def _cut(limit: int | None, most: int | None) -> int | None:
    known = [each for each in (limit, most) if each is not None]
    return min(known) if known else None


@dataclass(frozen=True)
class Runner:
    """Runs measurements and keeps them in a folder."""

    cache: Path
    passes: int

    def run_round(self, entry: Entry, number: int, models: dict[str, Path]) -> None:
        """Train (unless that takes too long to be repeated), tag, start; a failure is noted and ends the entry.

        ``models`` has the models of all adapters of the round so far, for adapters that open those of others.
        """
        if entry.failure is not None or (reason := entry.adapter.find_reason()) is not None:
            entry.failure = entry.failure or reason
            return
        try:
            found = self._open(entry, models) if entry.adapter.opens else self._train(entry, number)
            assert entry.model is not None
            models[entry.adapter.name] = entry.model
            labels, tagging = self._run(entry, "tag", number, entry.model, entry.files.test)
            _, start = self._run(entry, "start", number, entry.model, entry.files.test)
            if is_main(entry.adapter) and entry.is_compared:
                _, trace = self._run(entry, "trace", number, *_list_files(entry), options=(str(self.passes),))
                entry.traces.append(trace)
        except PartError as error:
            entry.failure = str(error)
            return
        entry.rounds.append({**start, **tagging, **found})
        entry.outputs.append(labels)

    def _open(self, entry: Entry, models: dict[str, Path]) -> dict[str, Any]:
        """Take the model of another adapter."""
        if entry.adapter.opens not in models:
            raise PartError(f"there is no model of {entry.adapter.opens}")
        entry.model = models[entry.adapter.opens]
        return {}

    def _train(self, entry: Entry, number: int) -> dict[str, Any]:
        """Train in this round, or return nothing if the first training took long."""
        if entry.rounds and entry.rounds[0]["train_cpu"] > LONG:
            return {}
        entry.model, found = self._run(entry, "train", number, *_list_files(entry))
        return found

    def _run(
        self, entry: Entry, job: str, number: int, *inputs: Path, options: tuple[str, ...] = ()
    ) -> tuple[Path, dict[str, Any]]:
        adapter = entry.adapter
        arguments = (job, adapter.module, adapter.name, entry.task.name, str(number), *map(str, inputs), *options)
        part = Part(f"{entry.title}-{job}-{number}", MEASURE, (*arguments, OUTPUT), inputs, describe(adapter))
        output, usage = part.run(self.cache)
        return output, {name: value for name, value in usage.items() if name not in ("bytes", "seconds")}


def _list_files(entry: Entry) -> Iterator[Path]:
    yield from (entry.files.train, entry.files.dev, entry.files.test)


def describe(adapter: Adapter) -> str:
    """Say what decides a measurement beside its inputs: the version of the tool, and our code that calls it."""
    folder = ROOT / "bench" / "rivals"
    files = ("measure.py", "templates.py", f"adapters/{adapter.module}.py")
    code = checksum_files(folder / name for name in files)
    own = checksum_sources() if adapter.is_ours else ""
    return f"{adapter.version} {code} {own} python {sys.version_info.major}.{sys.version_info.minor}"
