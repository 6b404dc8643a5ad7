"""Objects that the workers of a cluster hold, one per shard, and calls of all of them at once.

A call brings everything that it needs, so that a worker that died and was started again does it as the first one would
have done: the objects keep nothing between calls that a later result depends on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tagloom.cluster.connection import RETRIES, build_death, count_cores, import_ray


class Holder:
    """An actor that holds some of the objects, by their numbers; it takes them when they are first called."""

    def __init__(self) -> None:
        self._held: dict[int, Any] = {}

    def call(self, number: int, shipped: Sequence[Any], method: str, *arguments: Any) -> Any:
        """Call a method of an object that was shipped."""
        if number not in self._held:
            self._held[number] = import_ray().get(shipped[0])
        return getattr(self._held[number], method)(*arguments)


class Shards:
    """Objects on the workers of a cluster, in their order."""

    def __init__(self, objects: Sequence[Any]) -> None:
        """Ship every object to a worker, of which there are no more than cores."""
        ray = import_ray()
        actor = ray.remote(Holder).options(num_cpus=1, max_restarts=RETRIES, max_task_retries=RETRIES)
        holders = [actor.remote() for _ in range(count_workers(len(objects)))]
        self._holders = [holders[number % len(holders)] for number in range(len(objects))]
        # in lists, so that a worker gets them when it asks; kept, because one that is started again asks once more
        self._shipped = [[ray.put(each)] for each in objects]

    def __len__(self) -> int:
        return len(self._holders)

    def call(self, method: str, shared: Any, own: Sequence[tuple[Any, ...]] | None = None) -> list[Any]:
        """Call a method of all objects with an argument that they share, and with arguments of their own."""
        ray = import_ray()
        given = ray.put(shared)
        places = zip(self._holders, self._shipped, own or [()] * len(self), strict=True)
        calls = [
            holder.call.remote(number, shipped, method, given, *rest)
            for number, (holder, shipped, rest) in enumerate(places)
        ]
        try:
            return list(ray.get(calls))
        except ray.exceptions.RayActorError as error:
            raise build_death(error) from None


def count_workers(most: int) -> int:
    """Count the workers for at most so many objects: no more than there are cores."""
    return min(most, count_cores())
