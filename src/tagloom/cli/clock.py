"""Seconds a phase, for the ``seconds`` of --json."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Clock:
    """Adds up the wall-clock seconds of named phases."""

    def __init__(self) -> None:
        self._started = time.perf_counter()
        self._phases: dict[str, float] = {}

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
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
        """Seconds of every phase so far, and ``total`` since the clock was made."""
        return {**self._phases, "total": time.perf_counter() - self._started}
