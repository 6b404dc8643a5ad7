"""Lanes: requests that wait at the same time become one call of the core, in a thread beside the event loop.

A lane works as long as requests wait, and takes all that have come while it was busy: alone, a request never waits for
company, and under load batches grow by themselves. Short requests have a lane of their own, so that they do not wait
behind long ones.
"""

from __future__ import annotations

import asyncio
import itertools
import queue
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress

from tagloom.serve.problems import refuse_for_now
from tagloom.serve.settings import Limits
from tagloom.serve.work import Answer, Ask, Outcome, Work, annotate_together, explain_failure

_MOST_TOKENS = 4_000  # of one batch, about; what comes after it waits for the next
_SHORT = 2_000  # tokens of a request that goes through the lane of short ones


class Job:
    """A request on its way through a lane."""

    __slots__ = ("_timer", "ask", "future", "work")

    def __init__(self, work: Work, ask: Ask, loop: asyncio.AbstractEventLoop, seconds: float) -> None:
        self.work, self.ask = work, ask
        self.future: asyncio.Future[Answer] = loop.create_future()
        self._timer = loop.call_later(seconds, self._expire, seconds)

    def finish(self, outcome: Outcome) -> None:
        """Tell the request what became of it, unless nobody waits any more."""
        self._timer.cancel()
        if self.future.done():
            return
        if isinstance(outcome, Exception):
            self.future.set_exception(outcome)
        else:
            self.future.set_result(outcome)

    def _expire(self, seconds: float) -> None:
        if not self.future.done():
            self.future.set_exception(refuse_for_now(f"no answer within {seconds:g} seconds; send less, or ask later"))


class Lane:
    """A queue of requests, and the thread that works on them."""

    def __init__(self, name: str, limits: Limits, count_batch: Callable[[int], None]) -> None:
        self._limits, self._count_batch = limits, count_batch
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[Job] = deque()
        self._is_busy = False
        self._inbox: queue.SimpleQueue[list[Job] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def submit(self, job: Job) -> None:
        """Let a request wait for its turn."""
        self._waiting.append(job)
        if not self._is_busy:
            self._is_busy = True
            self._loop.call_soon(self._dispatch)  # others that arrived at the same time come along

    def close(self) -> None:
        """End the thread after what it works on."""
        self._inbox.put(None)

    def _dispatch(self) -> None:
        batch = self._take_batch()
        self._is_busy = bool(batch)
        if batch:
            self._count_batch(len(batch))
            self._inbox.put(batch)

    def _take_batch(self) -> list[Job]:
        """Take those that wait first, up to the size of a batch; requests that expired are dropped."""
        batch: list[Job] = []
        size = 0
        while self._waiting and (not batch or size < _MOST_TOKENS):
            job = self._waiting.popleft()
            if not job.future.done():
                batch.append(job)
                size += job.ask.size
        return batch

    def _run(self) -> None:
        while (batch := self._inbox.get()) is not None:
            outcomes = run_jobs(batch, self._limits)
            with suppress(RuntimeError):  # the loop is closed, so nobody waits
                self._loop.call_soon_threadsafe(self._deliver, batch, outcomes)

    def _deliver(self, batch: Sequence[Job], outcomes: Sequence[Outcome]) -> None:
        for job, outcome in zip(batch, outcomes, strict=True):
            job.finish(outcome)
        self._dispatch()


def run_jobs(batch: Sequence[Job], limits: Limits) -> list[Outcome]:
    """Do the work of a batch, neighbours that ask for the same kind of work together; nothing is raised."""
    outcomes: list[Outcome] = []
    for work, group in itertools.groupby(batch, key=lambda job: job.work):
        asks = [job.ask for job in group]
        try:
            outcomes += work(asks, limits)
        except Exception as error:
            outcomes += [explain_failure(error)] * len(asks)
    return outcomes


class Lanes:
    """The lane of short annotations, and that of everything else."""

    def __init__(self, limits: Limits, count_batch: Callable[[int], None]) -> None:
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._short = Lane("tagloom-short", limits, count_batch)
        self._long = Lane("tagloom-long", limits, count_batch)

    def submit(self, work: Work, ask: Ask) -> asyncio.Future[Answer]:
        """Let a request be worked on; the future raises a problem if it is refused or takes too long."""
        job = Job(work, ask, self._loop, self._limits.seconds)
        lane = self._short if work is annotate_together and ask.size <= _SHORT else self._long
        lane.submit(job)
        return job.future

    def close(self) -> None:
        """End the threads."""
        self._short.close()
        self._long.close()
