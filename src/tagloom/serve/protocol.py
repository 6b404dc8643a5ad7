"""HTTP connections that do not wait forever: limits on the time and the size of what has not become a request yet.

uvicorn waits for slow clients as long as they like, and takes header fields of any size. Here a request must arrive as
a whole within a time, and an answer must be read within the same time.
"""

from __future__ import annotations

import asyncio
import http
import json
from typing import Any

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from tagloom.serve.settings import Limits

_MOST_HEADER_BYTES = 64 * 1024


class ServeConfig(Config):
    """The configuration of uvicorn, and the limits of the server."""

    def __init__(self, *args: Any, limits: Limits, **options: Any) -> None:
        super().__init__(*args, **options)
        self.limits = limits


class TimedProtocol(HttpToolsProtocol):
    """A connection with a clock: from the first byte of a request to its last, and until an answer has been read."""

    config: ServeConfig

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._seconds = self.config.limits.read_seconds
        self._clock: asyncio.TimerHandle | None = None
        self._header_bytes = 0  # that came since the last request began; -1 after its header

    # -- the connection ----------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, unless there are too many."""
        super().connection_made(transport)
        most = self.config.limits.connections
        if len(self.connections) > most:
            self._refuse(503, f"more than {most:,} connections; ask again later")
        else:
            self._start_clock()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        self._stop_clock()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read what came, up to the largest header."""
        if self._header_bytes >= 0:
            self._header_bytes += len(data)
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self._header_bytes > _MOST_HEADER_BYTES:
            self._refuse(431, f"more than {_MOST_HEADER_BYTES:,} bytes of header fields")

    def send_400_response(self, msg: str) -> None:
        """Answer what is not HTTP."""
        self._refuse(400, "this is not a request of HTTP/1.1")

    def timeout_keep_alive_handler(self) -> None:
        """End a connection without requests; one that still has to read its answer has its own time for that."""
        if self.transport.get_write_buffer_size():
            self.loop.call_later(self._seconds, self.transport.abort)
        super().timeout_keep_alive_handler()

    # -- requests ----------------------------------------------------------------------------------------------------

    def on_message_begin(self) -> None:
        """Start the clock."""
        self._header_bytes = max(self._header_bytes, 0)
        self._start_clock()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Stop counting the bytes of the header."""
        self._header_bytes = -1
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Stop the clock."""
        self._stop_clock()
        self._header_bytes = 0
        super().on_message_complete()

    def _start_clock(self) -> None:
        self._stop_clock()
        self._clock = self.loop.call_later(self._seconds, self._expire)

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _expire(self) -> None:
        """Answer a client that took too long; one that has an answer already is left alone."""
        if self.transport.is_closing():
            return
        if self.cycle is not None and not self.cycle.response_complete and self.cycle.response_started:
            self.transport.abort()
        elif self.cycle is not None and self.cycle.response_complete and self._header_bytes < 0:
            self.transport.abort()  # answered before its body was complete, and still sending
        else:
            self._refuse(408, f"the request did not arrive within {self._seconds:g} seconds")

    def _refuse(self, status: int, message: str) -> None:
        """Answer without an application, and end the connection."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.write(build_raw_refusal(status, message))
        self.transport.close()


def build_raw_refusal(status: int, message: str) -> bytes:
    """Build the bytes of an answer to a client that has not sent a request."""
    body = json.dumps({"error": message, "status": status}).encode()
    head = (
        f"HTTP/1.1 {status} {http.HTTPStatus(status).phrase}\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
    )
    return head.encode() + body
