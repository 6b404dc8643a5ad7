"""The progress of a training on stderr, as a bar on a terminal and as lines otherwise; and seconds by phase."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tagloom.cli.console import log

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from tagloom.systems.learning import Progress

Show = Callable[["Progress"], None]
ShowLearner = Callable[[str | None, "Progress"], None]


class Clock:
    """Adds up the wall-clock seconds of named phases, for the ``seconds`` of --json."""

    def __init__(self) -> None:
        self._started = time.perf_counter()
        self._phases: dict[str, float] = {}

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Count the seconds of a block as those of a phase."""
        begun = time.perf_counter()
        try:
            yield
        finally:
            self._phases[name] = self._phases.get(name, 0.0) + time.perf_counter() - begun

    def split(self, name: str, part: str, seconds: float) -> None:
        """Count some seconds of one phase as a phase of their own."""
        rest = self._phases.pop(name) - seconds
        self._phases |= {part: seconds, name: rest}

    def seconds(self) -> dict[str, float]:
        """Return the seconds of every phase so far, and ``total`` since the clock was made."""
        return {**self._phases, "total": time.perf_counter() - self._started}


class Watch:
    """Takes the reports of a training: shows them, and keeps what is asked for afterwards."""

    def __init__(self, show: Show, notes: Sequence[str] = ()) -> None:
        self._show, self._notes = show, list(notes)
        self._is_read = False  # until the input is read without an error, notes wait
        self.encode_seconds = 0.0
        self.interrupted = False

    def __call__(self, progress: Progress) -> None:
        """Take a report."""
        if progress.phase == "note" and not self._is_read:
            self._notes.append(progress.message)
            return
        log(*self._notes)
        self._notes.clear()
        self._is_read = True
        if progress.phase == "encoded":
            self.encode_seconds = progress.seconds
        self.interrupted |= progress.phase == "interrupted"
        self._show(progress)


@contextmanager
def _open_bars(*columns: str) -> Iterator[Bars]:
    """Open bars on a terminal: texts of some fields, the bar, counts, time, and a description."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    texts = [TextColumn(template, markup=False) for template in (*columns, "{task.description}")]
    parts = [*texts[:-1], BarColumn(30), MofNCompleteColumn(), TimeElapsedColumn(), texts[-1]]
    with Bars(*parts, console=Console(file=sys.stderr)) as bars:
        yield bars


def _print(bars: Bars, *lines: str) -> None:
    for line in lines:
        bars.console.print(line, highlight=False, markup=False)


@contextmanager
def show_training() -> Iterator[Show]:
    """Yield a function that shows the reports of a training: a bar on a terminal, or lines."""
    if not sys.stderr.isatty():
        yield lambda progress: log(progress.message)
        return
    with _open_bars() as bars:
        task = bars.add_task("encoding", total=None)

        def show(progress: Progress) -> None:
            if progress.phase == "encoded":
                bars.update(task, total=progress.epochs, description="learning")
            if progress.phase in ("encoded", "note"):
                _print(bars, progress.message)
            elif progress.record is not None:
                bars.update(task, completed=progress.record.epoch, description=progress.message)
            else:
                bars.update(task, description=progress.message)

        yield show


@contextmanager
def show_learners(notes: Sequence[str]) -> Iterator[ShowLearner]:
    """Yield a function that shows the reports of several learners: one bar per learner, or lines."""

    def list_lines(learner: str | None, progress: Progress) -> list[str]:
        if learner is None:
            return [*(notes if progress.phase == "encoded" else ()), progress.message]
        return [] if progress.phase == "started" else [f"{learner}: {progress.message}"]

    if not sys.stderr.isatty():
        yield lambda learner, progress: log(*list_lines(learner, progress))
        return
    with _open_bars("{task.fields[learner]}") as bars:
        tasks: dict[str, TaskID] = {}

        def show(learner: str | None, progress: Progress) -> None:
            if learner is None:
                _print(bars, *list_lines(learner, progress))
            elif progress.phase == "started":
                tasks[learner] = bars.add_task(progress.message, total=progress.epochs, learner=learner)
            elif progress.record is not None:
                bars.update(tasks[learner], completed=progress.record.epoch, description=progress.message)
            else:
                bars.update(tasks[learner], description=progress.message)
                bars.stop_task(tasks[learner])

        yield show


@contextmanager
def show_trials(notes: Sequence[str]) -> Iterator[ShowLearner]:
    """Yield a function that shows the reports of a search: a bar for the trials of a rung, or lines."""
    untold = list(notes)

    def list_lines(trial: str | None, progress: Progress) -> list[str]:
        """List the lines for a report; once a corpus is encoded, notes about the input come first."""
        if trial is not None:
            return [] if progress.phase in ("started", "epoch") else [f"{trial}: {progress.message}"]
        told = [untold.pop(0) for _ in range(len(untold))] if progress.phase == "encoded" else []
        return [*told, progress.message]

    if not sys.stderr.isatty():
        yield lambda trial, progress: log(*list_lines(trial, progress))
        return
    with _open_bars() as bars:
        task = bars.add_task("encoding", total=None)

        def show(trial: str | None, progress: Progress) -> None:
            if progress.phase == "rung":
                bars.reset(task, total=progress.epochs, description=progress.message)
            elif progress.phase == "round":
                bars.update(task, description=progress.message)
            elif trial is None or progress.phase == "stopped":
                _print(bars, *list_lines(trial, progress))
            else:
                done = progress.phase in ("paused", "finished")
                bars.update(task, advance=int(done), description=f"{trial}: {progress.message}")

        yield show


@contextmanager
def show_parts(notes: Sequence[str]) -> Iterator[Show]:
    """Yield a function that shows the reports of a tagging in parts: a bar on a terminal, or lines."""
    log(*notes)
    if not sys.stderr.isatty():
        yield lambda progress: log(progress.message)
        return
    with _open_bars() as bars:
        task = bars.add_task("tagging", total=None)

        def show(progress: Progress) -> None:
            if progress.phase == "note":
                _print(bars, progress.message)
            else:
                step = int(progress.phase == "part")
                bars.update(task, total=progress.epochs, advance=step, description=progress.message)

        yield show
