"""Work on the workers of a cluster: the same function for many items, with progress and a way to end it.

A worker receives the function once and keeps what the function keeps. If a worker dies, Ray starts another one and does
its item again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from tagloom.cluster.connection import RETRIES, build_death, import_ray
from tagloom.errors import TagloomError

_POLL = 0.2  # seconds between two looks at what workers tell


@dataclass(frozen=True)
class Outcome:
    """What became of an item."""

    result: Any = None
    error: TagloomError | None = None
    is_interrupted: bool = False


class Board:
    """What workers tell, and whether all must end; an actor between them and the caller."""

    def __init__(self) -> None:
        self._told: list[tuple[Any, ...]] = []
        self._is_stopped = False

    def tell(self, *message: Any) -> None:
        """Take a message of a worker."""
        self._told.append(message)

    def take(self) -> tuple[list[tuple[Any, ...]], bool]:
        """Return the messages since the last call, and whether a worker has asked all to end."""
        told, self._told = self._told, []
        return told, self._is_stopped

    def stop(self) -> None:
        """Ask all workers to end."""
        self._is_stopped = True

    def is_stopped(self) -> bool:
        """Whether all must end."""
        return self._is_stopped


class RemoteWatch:
    """The board, as work on a worker sees it."""

    def __init__(self, board: Any) -> None:
        self._board = board

    def tell(self, *message: Any) -> None:
        """Tell the caller."""
        self._board.tell.remote(*message)

    def stop(self) -> None:
        """Ask all workers to end."""
        import_ray().get(self._board.stop.remote())

    @property
    def is_stopped(self) -> bool:
        """Whether all must end."""
        return bool(import_ray().get(self._board.is_stopped.remote()))


class Worker:
    """An actor that holds the work, from the first item on, and does it for one item after the other."""

    def __init__(self) -> None:
        self._work: Callable[[Any, Any], Any] | None = None

    def run(self, shipped: Sequence[Any], board: Any, number: int, item: Any) -> tuple[int, Outcome]:
        """Do one item."""
        watch = RemoteWatch(board)
        if watch.is_stopped:
            return number, Outcome(is_interrupted=True)
        if self._work is None:
            self._work = import_ray().get(shipped[0])
        try:
            return number, Outcome(self._work(item, watch))
        except KeyboardInterrupt:
            return number, Outcome(is_interrupted=True)
        except TagloomError as error:
            return number, Outcome(error=error)


class Crew:
    """Workers of so many cores each that hold the same work."""

    def __init__(self, work: Callable[[Any, Any], Any], workers: int, cores: int) -> None:
        ray = import_ray()
        self.work = work
        self._board = ray.remote(Board).options(num_cpus=0).remote()
        # in a list, so that a worker gets it when it asks; kept, because one that is started again asks once more
        self._shipped = [ray.put(work)]
        actor = ray.remote(Worker).options(num_cpus=cores, max_restarts=RETRIES, max_task_retries=RETRIES)
        self._actors = [actor.remote() for _ in range(workers)]

    def __len__(self) -> int:
        return len(self._actors)

    def run(self, items: Sequence[Any], watch: Any) -> list[Outcome]:
        """Do the work for every item, and return what became of the items.

        The work is called with an item and a watch like the one that is given, to which everything is passed on. An
        error or Ctrl-C asks all workers to end.
        """
        ray = import_ray()
        from ray.util import ActorPool

        pool: Any = ActorPool(self._actors)
        found: dict[int, Outcome] = {}
        for numbered in enumerate(items):
            pool.submit(lambda actor, value: actor.run.remote(self._shipped, self._board, *value), numbered)
        is_over = False
        while not is_over:
            try:
                is_over = not self._take_next(pool, found, watch)
                self._relay(watch)
            except ray.exceptions.RayActorError as error:
                raise build_death(error) from None
            except KeyboardInterrupt:  # the second one ends the wait for items in work
                if watch.is_stopped:
                    raise
                watch.stop()
        return [found.get(number, Outcome(is_interrupted=True)) for number in range(len(items))]

    def _take_next(self, pool: Any, found: dict[int, Outcome], watch: Any) -> bool:
        """Wait a moment for the next item that is done; return whether there are more."""
        if not pool.has_next():
            return False
        with suppress(TimeoutError):
            number, outcome = pool.get_next_unordered(timeout=_POLL)
            found[number] = outcome
            if outcome.error is not None:
                watch.stop()
        return True

    def _relay(self, watch: Any) -> None:
        """Pass on what workers told, and the wish to end in either direction."""
        ray = import_ray()
        told, wants_end = ray.get(self._board.take.remote())
        for message in told:
            watch.tell(*message)
        if wants_end and not watch.is_stopped:
            watch.stop()
        if watch.is_stopped and not wants_end:
            ray.get(self._board.stop.remote())
