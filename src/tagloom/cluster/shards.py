"""Objects that the workers of a cluster hold, one per shard, and calls of all of them at once.

A call brings everything that it needs, so that a worker that died and was started again does it as the first one would
have done: the objects keep nothing between calls that a later result depends on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tagloom.cluster.connection import RETRIES, build_death, count_cores, import_ray


class Holder:
    """An actor that holds some of the objects, by their numbers."""

    def __init__(self, *numbered: tuple[int, Any]) -> None:
        ray = import_ray()
        self._held = {number: ray.get(held) for number, held in numbered}

    def call(self, number: int, method: str, *arguments: Any) -> Any:
        """Call a method of an object."""
        return getattr(self._held[number], method)(*arguments)


class Shards:
    """Objects on the workers of a cluster, in their order."""

    def __init__(self, objects: Sequence[Any]) -> None:
        """Ship every object to a worker, of which there are no more than cores."""
        ray = import_ray()
        actor = ray.remote(Holder).options(num_cpus=1, max_restarts=RETRIES, max_task_retries=RETRIES)
        # kept, because a worker that is started again takes its objects from there
        self._shipped, workers = [(n, ray.put(each)) for n, each in enumerate(objects)], count_workers(len(objects))
        holders = [actor.remote(*self._shipped[first::workers]) for first in range(workers)]
        self._holders = [holders[number % workers] for number in range(len(objects))]

    def __len__(self) -> int:
        return len(self._holders)

    def call(self, method: str, shared: Any, own: Sequence[tuple[Any, ...]] | None = None) -> list[Any]:
        """Call a method of all objects with an argument that they share, and with arguments of their own."""
        ray = import_ray()
        given = ray.put(shared)
        calls = [
            holder.call.remote(number, method, given, *rest)
            for number, (holder, rest) in enumerate(zip(self._holders, own or [()] * len(self), strict=True))
        ]
        try:
            return list(ray.get(calls))
        except ray.exceptions.RayActorError as error:
            raise build_death(error) from None


def count_workers(most: int) -> int:
    """Count the workers for at most so many objects: no more than there are cores."""
    return min(most, count_cores())
