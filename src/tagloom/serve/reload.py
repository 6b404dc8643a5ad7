"""Model files are looked at every few seconds; one that has changed is loaded beside the event loop and swapped in."""

from __future__ import annotations

import asyncio

from tagloom.serve.logs import EventLog
from tagloom.serve.metrics import Metrics
from tagloom.serve.shelf import Shelf


async def watch_models(shelf: Shelf, seconds: float, metrics: Metrics, log: EventLog) -> None:
    """Reload models when their files change, until cancelled; the old model serves until the new one is there."""
    while True:
        await asyncio.sleep(seconds)
        for name in shelf.find_changed():
            await _reload(shelf, name, metrics, log)


async def _reload(shelf: Shelf, name: str, metrics: Metrics, log: EventLog) -> None:
    loop = asyncio.get_running_loop()
    try:
        await loop.run_in_executor(None, shelf.reload, name)
    except Exception as error:  # whatever it is, the next change is looked at
        metrics.add("tagloom_reloads_total", 1, (("model", name), ("outcome", "failed")))
        log.tell("reload", "error", model=name, message=str(error) or repr(error), kept="the old model serves on")
    else:
        metrics.add("tagloom_reloads_total", 1, (("model", name), ("outcome", "ok")))
        log.tell("reload", model=name, signature=shelf.get(name).record.signature)


async def measure_often(metrics: Metrics, seconds: float = 5.0) -> None:
    """Keep memory and processor time of this worker up to date, also if another one is asked for the metrics."""
    while True:
        metrics.measure_process()
        await asyncio.sleep(seconds)
