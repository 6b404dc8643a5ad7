"""A client that sends requests at a fixed rate, whether or not the server keeps up.

Latency is counted from the moment at which a request was due, so that a server that stalls is not measured by the few
requests that were sent meanwhile.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Sequence

import httptools


class Connection(asyncio.Protocol):
    """One connection, which sends one request after another."""

    def __init__(self) -> None:
        self.waiting: deque[tuple[bytes, float]] = deque()  # requests, and when they were due
        self.latencies: list[float] = []
        self.statuses: dict[int, int] = {}
        self.is_busy = False
        self._parser = httptools.HttpResponseParser(self)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember where to write."""
        self.transport: asyncio.Transport = transport  # type: ignore[assignment]

    def connection_lost(self, exc: Exception | None) -> None:
        """Count an answer that will never come."""
        if self.is_busy:
            self.statuses[0] = self.statuses.get(0, 0) + 1

    def ask(self, request: bytes, due: float) -> None:
        """Send a request as soon as the connection is free."""
        self.waiting.append((request, due))
        if not self.is_busy:
            self._send()

    def _send(self) -> None:
        request, self._due = self.waiting.popleft()
        self.is_busy = True
        self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        """Read an answer."""
        self._parser.feed_data(data)

    def on_message_complete(self) -> None:
        """Count an answer, and go on."""
        self.latencies.append(time.perf_counter() - self._due)
        status = self._parser.get_status_code()
        self.statuses[status] = self.statuses.get(status, 0) + 1
        self.is_busy = False
        if self.waiting:
            self._send()


def build_request(body: bytes, path: str = "/v1/annotate") -> bytes:
    """Build the bytes of a request."""
    fields = f"host: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: {len(body)}"
    return f"POST {path} HTTP/1.1\r\n{fields}\r\n\r\n".encode() + body


async def _send_at_rate(
    port: int, requests: Sequence[bytes], rate: float, seconds: float, connections: int
) -> tuple[list[float], dict[int, int]]:
    loop = asyncio.get_running_loop()
    opened = [(await loop.create_connection(Connection, "127.0.0.1", port))[1] for _ in range(connections)]
    started = time.perf_counter()
    total = int(rate * seconds)
    for number in range(total):
        due = started + number / rate
        if (wait := due - time.perf_counter()) > 0:
            await asyncio.sleep(wait)
        free = next((each for each in opened if not each.is_busy), opened[number % connections])
        free.ask(requests[number % len(requests)], due)
    end = time.perf_counter() + 10
    while any(each.is_busy for each in opened) and time.perf_counter() < end:
        await asyncio.sleep(0.01)
    statuses: dict[int, int] = {}
    for each in opened:
        each.transport.close()
        for status, count in each.statuses.items():
            statuses[status] = statuses.get(status, 0) + count
    return [latency for each in opened for latency in each.latencies], statuses


def send_at_rate(
    port: int, requests: Sequence[bytes], rate: float, seconds: float, connections: int = 32
) -> tuple[list[float], dict[int, int]]:
    """Send requests at a rate; returns latencies in seconds, and the number of answers by status."""
    import uvloop

    return uvloop.run(_send_at_rate(port, requests, rate, seconds, connections))
