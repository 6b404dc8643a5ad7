"""Parallel work: several trainings at once, in threads (the core releases the GIL) or on workers of a Ray cluster."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from tagloom.systems.options import MOST_THREADS, check_whole_number

if TYPE_CHECKING:
    from tagloom.systems.learning import Progress

Item = TypeVar("Item")
Result = TypeVar("Result")
#: Called while work runs, with the name of a part of it (None: all of it) and its progress. Calls never overlap.
PoolReport = Callable[[str | None, "Progress"], None]


class Watch(Protocol):
    """How work that runs beside other work tells of its progress, and hears that all must end."""

    def tell(self, name: str | None, progress: Progress) -> None:
        """Report the progress of a part of the work, or of all of it."""

    def stop(self) -> None:
        """Ask all work to end."""

    @property
    def is_stopped(self) -> bool:
        """Whether work must end: raise KeyboardInterrupt, or return."""


class Pool:
    """Threads of this process; it is what they watch, too."""

    def __init__(self, on_progress: PoolReport | None = None) -> None:
        self._on_progress: PoolReport = on_progress or (lambda _, __: None)
        self._stop, self._telling = threading.Event(), threading.Lock()

    def tell(self, name: str | None, progress: Progress) -> None:
        """Report the progress of a part of the work, or of all of it."""
        with self._telling:
            self._on_progress(name, progress)

    def stop(self) -> None:
        """Ask all work to end."""
        self._stop.set()

    @property
    def is_stopped(self) -> bool:
        """Whether work must end."""
        return self._stop.is_set()

    def count_jobs(self, jobs: int | None, threads: int, count: int) -> int:
        """Count the jobs to run at once: by default as many as fill the cores, and never more than ``count``."""
        if jobs is None:
            jobs = max(1, self._count_cores() // threads)
        check_whole_number("jobs", jobs, 1, MOST_THREADS)
        return min(jobs, count)

    def _count_cores(self) -> int:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

    def run(
        self, work: Callable[[Item, Watch], Result], items: Sequence[Item], jobs: int, threads: int = 1
    ) -> list[Result | None]:
        """Run ``work`` on every item, ``jobs`` at a time; return the results, None for items that Ctrl-C prevented.

        An interrupt or an error asks all work to end. ``threads`` is the number of threads that each job uses.
        """

        def start(item: Item) -> Result:
            if self.is_stopped:
                raise KeyboardInterrupt
            try:
                return work(item, self)
            except BaseException:
                self.stop()  # at once: this thread may take the next item before the main thread wakes
                raise

        futures: list[Future[Result]] = []
        with ThreadPoolExecutor(jobs) as pool:
            try:
                for item in items:
                    futures.append(pool.submit(start, item))
                wait(futures, return_when=FIRST_EXCEPTION)
            except KeyboardInterrupt:  # signals reach the main thread only
                self.stop()
        return [*map(_result, futures), *[None] * (len(items) - len(futures))]


def _result(future: Future[Result]) -> Result | None:
    """Return the result of a thread, None if it was interrupted; raise its error if it failed."""
    try:
        return future.result()
    except KeyboardInterrupt:
        return None


class RayPool(Pool):
    """Workers of a Ray cluster. Work and items are sent to them, and results come back."""

    _crew: Any = None  # the workers that hold the latest work, because they keep what they have encoded

    def _count_cores(self) -> int:
        from tagloom.cluster.connection import count_cores

        return count_cores()

    def count_jobs(self, jobs: int | None, threads: int, count: int) -> int:
        """Count the jobs to run at once: at most as many as fill the cores of the cluster."""
        return min(super().count_jobs(jobs, threads, count), max(1, self._count_cores() // threads))

    def run(
        self, work: Callable[[Item, Watch], Result], items: Sequence[Item], jobs: int, threads: int = 1
    ) -> list[Result | None]:
        """Run ``work`` on every item, on ``jobs`` workers."""
        from tagloom.cluster.work import Crew

        if self._crew is None or self._crew.work is not work or len(self._crew) < jobs:
            self._crew = Crew(work, jobs, threads)
        outcomes = self._crew.run(items, self)
        for outcome in outcomes:
            if outcome.error is not None:
                raise outcome.error
        return [outcome.result for outcome in outcomes]


def open_pool(ray: bool | str | None, on_progress: Any = None) -> Pool:
    """Open threads of this process or, with the address of a cluster or True, workers of Ray."""
    if ray is None or ray is False:
        return Pool(on_progress)
    from tagloom.cluster.connection import connect

    connect(ray)
    return RayPool(on_progress)
