"""The log: one JSON object per line on stderr. Texts that clients send are never written to it."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import traceback
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any

import msgspec

_encode = msgspec.json.Encoder().encode
_MOST_BYTES = 4096  # that are written at once: a pipe takes as many without mixing them with those of other workers
_SECONDS = 0.25  # that lines of requests may wait for others
_LONGEST = 500  # characters of a line of a traceback


class EventLog:
    """Writes events as lines of JSON; those of requests wait for others, so that the system is called less often."""

    def __init__(self, write: Callable[[bytes], object] | None = None) -> None:
        self._write = write or _write_to_stderr
        self._lines: list[bytes] = []
        self._size = 0
        self._timer: asyncio.TimerHandle | None = None

    def tell(self, event: str, level: str = "info", **fields: Any) -> None:
        """Write an event at once, after those that wait."""
        self._append({"time": _get_time(), "level": level, "event": event, "process": os.getpid(), **fields})
        self.flush()

    def tell_request(self, loop: asyncio.AbstractEventLoop, fields: dict[str, Any]) -> None:
        """Write a line about a request, soon."""
        self._append({"time": _get_time(), "level": "info", "event": "request", "process": os.getpid(), **fields})
        if self._timer is None:
            self._timer = loop.call_later(_SECONDS, self.flush)

    def flush(self) -> None:
        """Write what waits."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._lines:
            self._write(b"".join(self._lines))
            self._lines, self._size = [], 0

    def _append(self, record: dict[str, Any]) -> None:
        line = _encode(record) + b"\n"
        if self._size + len(line) > _MOST_BYTES:
            self.flush()
        self._lines.append(line)
        self._size += len(line)


def _get_time() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")


def _write_to_stderr(data: bytes) -> None:
    sys.stderr.buffer.write(data)
    sys.stderr.buffer.flush()


class _Handler(logging.Handler):
    """Sends what the libraries of the server log to the event log."""

    def __init__(self, log: EventLog) -> None:
        super().__init__(logging.INFO)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        fields: dict[str, Any] = {"message": " ".join(record.getMessage().split())}
        if record.exc_info and record.exc_info[1] is not None:
            fields["error"] = repr(record.exc_info[1])[:_LONGEST]
            lines = traceback.format_tb(record.exc_info[2])
            fields["traceback"] = [line.strip()[:_LONGEST] for line in lines[-10:]]
        self._log.tell("server", record.levelname.lower(), **fields)


def capture_logging(log: EventLog) -> None:
    """Send the messages of uvicorn and asyncio to the log."""
    for name in ("uvicorn", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers = [_Handler(log)]
        logger.propagate = False
        logger.setLevel(logging.INFO if name == "uvicorn" else logging.WARNING)
