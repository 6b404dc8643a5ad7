"""The server: one process, or several workers behind one address."""

from __future__ import annotations

import signal
import socket
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import uvicorn
from uvicorn.supervisors import Multiprocess

from tagloom.arguments import check_arguments
from tagloom.errors import ConfigError
from tagloom.serve.app import PATHS, create_app
from tagloom.serve.logs import EventLog, capture_logging
from tagloom.serve.metrics import Metrics, Rows, list_families
from tagloom.serve.protocol import ServeConfig, TimedProtocol
from tagloom.serve.settings import Settings
from tagloom.serve.shelf import Shelf

_BACKLOG = 2048
_ALIVE_SECONDS = 30  # within which a worker must show that it is alive


@dataclass(frozen=True)
class AppFactory:
    """Creates the application in every worker, with the numbers that all of them share."""

    settings: Settings
    rows: Rows | None

    def __call__(self) -> Any:
        """Create the application."""
        return create_app(self.settings, rows=self.rows)


@check_arguments
def run_server(
    settings: Settings, *, host: str = "127.0.0.1", port: int = 8000, workers: int = 1, shutdown_seconds: float = 30.0,
    on_start: Any = None,
) -> None:  # fmt: skip
    """Serve models until a signal ends it; requests that are under way are finished first.

    Args:
        settings: What to serve, and how.
        host: Address to listen on.
        port: Port to listen on; 0 for any that is free.
        workers: Number of processes.
        shutdown_seconds: How long requests that are under way may take after the signal.
        on_start: Called with the address once connections are accepted by the system.

    Raises:
        ConfigError: The address is in use, or not one of this machine.
        ModelFileError: A model cannot be loaded.
    """
    if workers < 1:
        raise ConfigError(f"workers: expected 1 or more, got {workers}")
    Shelf(settings).load_all()  # what is wrong with a model is said before anything is started
    listener = bind_socket(host, port)
    config = build_config(settings, workers, shutdown_seconds)
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # a client that went away must not end the server
    if on_start is not None:
        on_start(*listener.getsockname()[:2])
    try:
        if workers == 1:
            uvicorn.Server(config).run(sockets=[listener])
        else:
            capture_logging(EventLog())
            Multiprocess(config, sockets=[listener]).run()
    except KeyboardInterrupt:
        pass  # the signal that ended the server, raised once more after everything was finished
    finally:
        listener.close()


def build_config(settings: Settings, workers: int, shutdown_seconds: float) -> ServeConfig:
    """Build the configuration of uvicorn."""
    families = list_families(PATHS, list(settings.models))
    rows = Rows.share(Metrics.measure_width(families), workers) if workers > 1 else None
    return ServeConfig(
        AppFactory(settings, rows),
        factory=True,
        limits=settings.limits,
        workers=workers,
        http=TimedProtocol,
        ws="none",
        lifespan="on",
        interface="asgi3",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=_BACKLOG,
        timeout_keep_alive=settings.limits.idle_seconds,
        timeout_graceful_shutdown=int(shutdown_seconds),
        timeout_worker_healthcheck=_ALIVE_SECONDS,
    )


def bind_socket(host: str, port: int) -> socket.socket:
    """Bind a socket to an address."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with ExitStack() as stack:
            found = stack.enter_context(socket.socket(family, kind, protocol))
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            found.bind(address)
            found.listen(_BACKLOG)
            stack.pop_all()  # it stays open
    except (OSError, OverflowError, UnicodeError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise ConfigError(f"cannot listen on {host}, port {port}: {reason}; choose another --host or --port") from None
    found.set_inheritable(True)
    return found
