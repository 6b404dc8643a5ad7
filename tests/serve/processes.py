"""A server as a process of its own."""

from __future__ import annotations

import json
import os
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

_ADDRESS = re.compile(r"tagloom serves .* on http://127\.0\.0\.1:(\d+)/ ")


class ServerProcess:
    """``tagloom serve`` on a free port of this machine."""

    def __init__(self, *arguments: object) -> None:
        command = [sys.executable, "-m", "tagloom.cli", "serve", *map(str, arguments), "--port", "0"]
        own = {name: value for name, value in os.environ.items() if name != "TAGLOOM_SERVE_TOKEN"}
        self.process = subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, env={**own, "PYTHONFAULTHANDLER": "1"}
        )
        self.lines: list[str] = []
        found: queue.Queue[int] = queue.Queue()
        self._reader = threading.Thread(target=self._read, args=(found,), daemon=True)
        self._reader.start()
        try:
            self.port = found.get(timeout=60)
            self.wait_until_ready()
        except BaseException:
            self.end()
            raise

    def __enter__(self) -> ServerProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def _read(self, found: queue.Queue[int]) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as stream:
            for line in stream:
                self.lines.append(line)
                if address := _ADDRESS.match(line):
                    found.put(int(address[1]))

    def wait_until_ready(self, seconds: float = 60.0) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if self.get("/ready")["status"] == "ready":
                    return
            except (OSError, urllib.error.HTTPError):
                time.sleep(0.05)
        raise AssertionError(f"not ready: {self.lines}")

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=30) as answer:
            content = answer.read()
        return json.loads(content) if answer.headers["content-type"] == "application/json" else content.decode()

    def post(self, path: str, message: Any) -> Any:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", json.dumps(message).encode(), {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read())

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def end(self, number: int = signal.SIGTERM) -> int:
        """End the server with a signal, and return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(timeout=60)
        self._reader.join(10)
        return code

    def list_events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines if line.startswith("{")]


def wait_for(holds: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait until something holds; machines under load take their time."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def read_all(connection: socket.socket) -> bytes:
    """Read until the other side ends the connection."""
    parts = []
    while True:
        try:
            part = connection.recv(65536)
        except ConnectionResetError:
            break
        if not part:
            break
        parts.append(part)
    return b"".join(parts)


def find_children(process: int) -> list[int]:
    """List the processes that a process has started."""
    found = Path(f"/proc/{process}/task/{process}/children")
    return [int(child) for child in found.read_text().split()] if found.exists() else []
