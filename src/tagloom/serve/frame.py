"""What every request goes through: who may ask, how many at once, what is logged and counted, header fields."""

from __future__ import annotations

import asyncio
import itertools
import os
import re
import time
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tagloom.serve.access import Gatekeeper
from tagloom.serve.logs import EventLog
from tagloom.serve.messages import ProblemRecord
from tagloom.serve.metrics import GONE, OTHER, Metrics
from tagloom.serve.problems import RefusalError, refuse_for_now
from tagloom.serve.work import encode

_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_SAFE_HEADERS = [(b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer")]
JSON = "application/json"


class Frame:
    """The outer application.

    Attributes:
        under_way: Number of requests that wait for their answers.
    """

    def __init__(
        self, app: ASGIApp, *, gatekeeper: Gatekeeper, metrics: Metrics, log: EventLog, endpoints: frozenset[str],
        guarded: frozenset[str], most_requests: int, log_requests: bool,
    ) -> None:  # fmt: skip
        self._app, self._gatekeeper, self._metrics, self._log = app, gatekeeper, metrics, log
        self._endpoints, self._guarded = endpoints, guarded
        self._most, self._logs = most_requests, log_requests
        self._numbers = itertools.count(1)
        self._prefix = f"{os.getpid():x}-{time.time_ns() // 10**6 & 0xFFFFFFFF:x}-"
        self.under_way = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        visit = _Visit(send, self._identify(scope))
        scope["visit"] = visit.facts
        self.under_way += 1
        self._metrics.add("tagloom_requests_under_way")
        try:
            await self._answer(scope, receive, visit)
        finally:
            self.under_way -= 1
            self._metrics.add("tagloom_requests_under_way", -1)
            self._record(scope, visit)

    async def _answer(self, scope: Scope, receive: Receive, visit: _Visit) -> None:
        try:
            if scope["path"] in self._guarded:
                self._gatekeeper.check(_find_header(scope, b"authorization"))
                if self.under_way > self._most:
                    raise refuse_for_now(f"more than {self._most:,} requests at the same time; ask again later")
        except RefusalError as problem:
            await build_refusal(problem)(scope, receive, visit.send)
            return
        await self._app(scope, receive, visit.send)

    def _identify(self, scope: Scope) -> bytes:
        """The id that the client gave, or a new one."""
        given = _find_header(scope, b"x-request-id")
        if given is not None and _ID.fullmatch(given):
            return given
        return f"{self._prefix}{next(self._numbers):x}".encode()

    def _record(self, scope: Scope, visit: _Visit) -> None:
        seconds, path = time.perf_counter() - visit.started, scope["path"]
        self._metrics.count_request(path if path in self._endpoints else OTHER, visit.status, seconds)
        if self._logs:
            fields = {
                "id": visit.id.decode(), "method": scope["method"], "path": path[:200], "status": visit.status,
                "milliseconds": round(seconds * 1000, 3), **visit.facts,
            }  # fmt: skip
            self._log.tell_request(asyncio.get_running_loop(), fields)


class _Visit:
    """One request: when it came, its id, and the status of its answer."""

    __slots__ = ("_send", "facts", "id", "started", "status")

    def __init__(self, send: Send, name: bytes) -> None:
        self._send, self.id = send, name
        self.started = time.perf_counter()
        self.status = GONE
        self.facts: dict[str, Any] = {}  # what endpoints tell the log

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = [*message["headers"], *_SAFE_HEADERS, (b"x-request-id", self.id)]
        await self._send(message)


def _find_header(scope: Scope, name: bytes) -> bytes | None:
    return next((value for key, value in scope["headers"] if key == name), None)


def build_refusal(problem: RefusalError) -> Response:
    """Build the answer to a request that is refused."""
    body = encode(ProblemRecord(problem.message, problem.status))
    headers = {**problem.headers, "cache-control": "no-store"}
    return Response(body, problem.status, headers, JSON)


def require_json(headers: Headers) -> None:
    """Raise a problem unless the content type is JSON, which also keeps forms of other sites out."""
    kind = headers.get("content-type", "")
    if kind.partition(";")[0].strip().lower() != JSON:
        raise RefusalError(415, f"content-type: expected {JSON}, got {kind[:60] or 'none'}")
