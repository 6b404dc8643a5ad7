"""Parallel work: several trainings in threads (the core releases the GIL), and the event that ends them all."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import TypeVar

from tagloom.systems.options import MOST_THREADS, check_whole_number

Item = TypeVar("Item")
Result = TypeVar("Result")


def count_jobs(jobs: int | None, threads: int, count: int) -> int:
    """Count the trainings to run at once: by default as many as fill the cores, and never more than ``count``."""
    if jobs is None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        jobs = max(1, cores // threads)
    check_whole_number("jobs", jobs, 1, MOST_THREADS)
    return min(jobs, count)


def run_parallel(
    work: Callable[[Item], Result], items: Sequence[Item], jobs: int, stop: threading.Event
) -> list[Result | None]:
    """Run ``work`` on every item, ``jobs`` at a time; return the results, None for items that Ctrl-C prevented.

    An interrupt or an error sets ``stop``; the other threads must look at it and raise KeyboardInterrupt, or return.
    """

    def start(item: Item) -> Result:
        if stop.is_set():
            raise KeyboardInterrupt
        try:
            return work(item)
        except BaseException:
            stop.set()  # at once: this thread may take the next item before the main thread wakes
            raise

    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(start, item) for item in items]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
        except KeyboardInterrupt:  # signals reach the main thread only
            stop.set()
    return [_result(future) for future in futures]


def _result(future: Future[Result]) -> Result | None:
    """Return the result of a thread, None if it was interrupted; raise its error if it failed."""
    try:
        return future.result()
    except KeyboardInterrupt:
        return None
