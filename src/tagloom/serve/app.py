"""The application: models, endpoints, page and frame, put together."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from tagloom.arguments import check_arguments
from tagloom.serve.access import Gatekeeper
from tagloom.serve.endpoints import Endpoints
from tagloom.serve.frame import JSON, Frame, build_refusal
from tagloom.serve.lanes import Lanes
from tagloom.serve.logs import EventLog, capture_logging
from tagloom.serve.metrics import Metrics, Rows, list_families
from tagloom.serve.openapi import OPERATIONS, build_document
from tagloom.serve.page import Page
from tagloom.serve.problems import RefusalError
from tagloom.serve.reload import measure_often, watch_models
from tagloom.serve.settings import Settings
from tagloom.serve.shelf import Shelf
from tagloom.serve.work import encode

DOCUMENT = "/openapi.json"
_PAGES = ("/", DOCUMENT)
#: Paths that are counted by their names.
PATHS = (*(operation.path for operation in OPERATIONS), *_PAGES)


@check_arguments
def create_app(settings: Settings, *, log: EventLog | None = None, rows: Rows | None = None) -> Starlette:
    """Create the application of a server, as ``uvicorn`` and other servers of ASGI run it.

    Models are loaded when the application starts, and again when their files change.

    Args:
        settings: What to serve, and how.
        log: Where events are written; one JSON object per line on stderr if None.
        rows: Numbers of the metrics that several workers share; those of this process if None.
    """
    return _App(settings, log or EventLog(), rows).build()


class _App:
    """The parts of an application."""

    def __init__(self, settings: Settings, log: EventLog, rows: Rows | None) -> None:
        self.settings, self.log = settings, log
        self.shelf = Shelf(settings)
        self.metrics = Metrics(list_families(PATHS, list(settings.models)), rows)
        self.endpoints = Endpoints(self.shelf, settings.limits, self.metrics)
        self.gatekeeper = Gatekeeper(settings.tokens)
        self.page = Page()

    def build(self) -> Starlette:
        """Put the parts together."""
        return Starlette(
            routes=self._list_routes(),
            middleware=[Middleware(self._frame)],
            exception_handlers={
                RefusalError: _handle(lambda error: error),
                HTTPException: _handle(_convert_exception),
                ClientDisconnect: _handle(lambda _: RefusalError(400, "the client went away")),
                Exception: _handle(lambda _: RefusalError(500, "a bug in the server; its log says more")),
            },
            lifespan=self._live,
        )

    def _list_routes(self) -> list[Route]:
        own = [
            Route(each.path, getattr(self.endpoints, each.handler), methods=[each.method.upper()])
            for each in OPERATIONS
        ]
        return [
            *own,
            Route(DOCUMENT, self._show_document, methods=["GET"]),
            Route("/", self.page.show, methods=["GET"]),
            Route("/static/{name}", self.page.show, methods=["GET"]),
        ]

    def _frame(self, app: Any) -> Frame:
        return Frame(
            app,
            gatekeeper=self.gatekeeper,
            metrics=self.metrics,
            log=self.log,
            endpoints=frozenset(PATHS),
            guarded=frozenset(operation.path for operation in OPERATIONS if operation.is_guarded),
            most_requests=self.settings.limits.requests,
            log_requests=self.settings.log_requests,
        )

    async def _show_document(self, request: Request) -> Response:
        document = build_document(
            self.shelf.list_models(), self.settings.limits, has_tokens=not self.gatekeeper.is_open
        )
        return Response(encode(document), headers={"cache-control": "no-cache"}, media_type=JSON)

    @asynccontextmanager
    async def _live(self, app: Starlette) -> AsyncIterator[None]:
        """Load the models before the first request, and end threads and watchers after the last one."""
        capture_logging(self.log)
        started = time.perf_counter()
        self.shelf.load_all()
        self.endpoints.lanes = Lanes(self.settings.limits, self._count_batch)
        tasks = [asyncio.create_task(measure_often(self.metrics))]
        if self.settings.reload_seconds:
            watch = watch_models(self.shelf, self.settings.reload_seconds, self.metrics, self.log)
            tasks.append(asyncio.create_task(watch))
        self.log.tell("start", models=self.shelf.names, seconds=round(time.perf_counter() - started, 3))
        try:
            yield
        finally:
            self.endpoints.lanes.close()
            for task in tasks:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            self.log.tell("end")

    def _count_batch(self, size: int) -> None:
        self.metrics.observe("tagloom_batch_requests", size)


def _handle(convert: Callable[[Any], RefusalError]) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def handle(request: Request, error: Exception) -> Response:
        return build_refusal(convert(error))

    return handle


def _convert_exception(error: HTTPException) -> RefusalError:
    message = {404: "there is no such page", 405: "this page does not take this method"}.get(error.status_code)
    return RefusalError(error.status_code, message or str(error.detail), error.headers)
