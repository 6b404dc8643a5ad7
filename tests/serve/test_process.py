"""A server in its own process: slow and broken clients, signals, workers."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tagloom.corpus.replace import replace_file
from tests.serve.processes import ServerProcess, find_children, read_all, wait_for

HEAD = b"POST /v1/annotate HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n"
BODY = b'{"text": "Peter visited Bonn."}'


@pytest.fixture(scope="module")
def server(models: dict[str, Path]) -> Iterator[ServerProcess]:
    """A server that is patient for half a second, and takes 20 connections."""
    options = ("--read-timeout", 0.5, "--idle-timeout", 0.6, "--max-connections", 20)
    with ServerProcess(models["ner"], *options) as found:
        yield found
        assert found.get("/health")["status"] == "ok"  # whatever happened
        assert found.end() == 0


def refusal(connection: socket.socket) -> tuple[int, str]:
    """Read an answer that ends the connection: its status, and what is wrong."""
    head, _, body = read_all(connection).partition(b"\r\n\r\n")
    connection.close()
    found = json.loads(body)
    assert int(head.split()[1]) == found["status"]
    return found["status"], found["error"]


BEGINNINGS = {
    "nothing": b"",
    "a byte": b"P",
    "a line": b"POST /v1/annotate HTTP/1.1\r\nhost:",
    "a header": HEAD,
    "a body": HEAD + b"content-length: 31\r\n\r\n" + BODY[:10],
    "a chunk": HEAD + b'transfer-encoding: chunked\r\n\r\n5\r\n{"tex',
}


def test_slow_clients_are_sent_away(server: ServerProcess) -> None:
    started = time.monotonic()
    connections = {name: server.connect() for name in BEGINNINGS}
    for name, connection in connections.items():
        connection.sendall(BEGINNINGS[name])
    answers = {name: refusal(connection) for name, connection in connections.items()}
    assert answers == dict.fromkeys(BEGINNINGS, (408, "the request did not arrive within 0.5 seconds"))
    assert 0.4 < time.monotonic() - started < 10


def test_a_client_that_sends_a_byte_now_and_then_is_sent_away(server: ServerProcess) -> None:
    with server.connect() as connection:
        for byte in HEAD:
            try:
                connection.sendall(bytes([byte]))
            except OSError:
                break
            time.sleep(0.02)
        else:
            pytest.fail("the server waited")


def test_requests_follow_each_other_on_a_connection(server: ServerProcess) -> None:
    with server.connect() as connection:
        for _ in range(3):
            connection.sendall(HEAD + f"content-length: {len(BODY)}\r\n\r\n".encode() + BODY)
            answer = b""
            while not answer.endswith(b"}]}"):
                answer += connection.recv(65536)
            assert answer.startswith(b"HTTP/1.1 200 OK")
            time.sleep(0.3)  # three are longer than a request may take, one is shorter than a connection may be idle
        assert connection.recv(10) == b""  # after some time without requests


def test_what_is_not_http_is_refused(server: ServerProcess) -> None:
    with server.connect() as connection:
        connection.sendall(b"\x16\x03\x01 hello\r\n\r\n")
        assert refusal(connection) == (400, "this is not a request of HTTP/1.1")


def test_endless_headers_are_refused(server: ServerProcess) -> None:
    with server.connect() as connection:
        connection.sendall(HEAD)
        line = b"x-filler: " + b"a" * 1000 + b"\r\n"
        with suppress(OSError):
            for _ in range(200):
                connection.sendall(line)
        with suppress(json.JSONDecodeError, OSError):  # reset before the answer was read, because we were still sending
            assert refusal(connection)[0] == 431


def test_a_large_body_is_refused_while_it_is_sent(server: ServerProcess) -> None:
    with server.connect() as connection:
        connection.sendall(HEAD + b"content-length: 10000000\r\n\r\n")
        answer = b""
        while not answer.endswith(b"}"):
            answer += connection.recv(65536)
        assert answer.startswith(b"HTTP/1.1 413 ")
        assert b"at most 1,000,000 are allowed, got 10,000,000" in answer


def test_clients_that_go_away_do_no_harm(server: ServerProcess) -> None:
    request = HEAD + f"content-length: {len(BODY)}\r\n\r\n".encode()
    for sent in (request, request + BODY[:5], request + BODY, (request + BODY) * 3):
        for _ in range(3):
            connection = server.connect()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # a reset, not an end
            connection.sendall(sent)
            connection.close()
    assert len(server.post("/v1/annotate", {"text": "Bonn"})["annotations"]) == 1


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_broken_connection_is_no_signal(server: ServerProcess) -> None:
    lines = Path(f"/proc/{server.process.pid}/status").read_text().splitlines()
    ignored = next(int(line.split()[1], 16) for line in lines if line.startswith("SigIgn"))
    assert ignored >> (signal.SIGPIPE - 1) & 1


def test_connections_are_limited(server: ServerProcess) -> None:
    time.sleep(0.2)
    connections = [server.connect() for _ in range(21)]
    status, message = refusal(connections[-1])
    for connection in connections:
        connection.close()
    assert (status, message) == (503, "more than 20 connections; ask again later")
    server.wait_until_ready()


def test_a_request_under_way_is_finished(models: dict[str, Path]) -> None:
    found: list[int] = []
    message = {"text": "Peter Miller visited Bonn . " * 300, "top": 1}
    with ServerProcess(models["ner"], "--max-explained", 20_000) as server:

        def ask() -> None:
            found.append(len(server.post("/v1/explain", message)["results"][0]["layers"][0]["decisions"]))

        thread = threading.Thread(target=ask)
        thread.start()
        wait_for(lambda: "tagloom_requests_under_way 2" in server.get("/metrics"))
        code = server.end()
        thread.join(60)
        assert (found, code) == ([1500], 0)
        assert [each["event"] for each in server.list_events()].count("end") == 1


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds workers in /proc")
def test_workers_share_metrics_and_are_replaced(models: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "m.tagloom"
    shutil.copy(models["ner"], path)
    with ServerProcess(path, "--workers", 2, "--reload", 0.1) as server:
        wait_for(lambda: "tagloom_workers 2\n" in server.get("/metrics"))  # a later one would begin with the new model
        answers = ask_while(server, lambda: swap_models(server, path, [models["pos"], models["ner"]]))
        asked = f'tagloom_requests_total{{endpoint="/v1/annotate",status="200"}} {answers}\n'
        wait_for(lambda: asked in server.get("/metrics"))

        workers = list_workers(server)
        assert len(workers) == 2
        os.kill(workers[0], signal.SIGKILL)
        wait_for(lambda: len(list_workers(server)) == 2 and workers[0] not in list_workers(server))
        wait_for(lambda: "tagloom_workers 2\n" in server.get("/metrics"))
        assert asked in server.get("/metrics")  # counters do not fall
        assert server.end(signal.SIGINT) == 0


def ask_while(server: ServerProcess, act: Callable[[], None]) -> int:
    """Ask on and on while something happens; nothing may be refused. Returns the number of answers."""
    stop, failures, answers = threading.Event(), list[Exception](), list[Any]()

    def ask() -> None:
        while not stop.is_set():
            try:
                answers.append(server.post("/v1/annotate", {"text": "Peter visited Bonn."}))
            except Exception as error:
                failures.append(error)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        act()
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert not failures
    return len(answers)


def swap_models(server: ServerProcess, path: Path, files: list[Path]) -> None:
    """Put one model after another in the place of a file; wait until both workers have loaded each."""
    for count, file in enumerate(files, 1):
        replace_file(path, file.read_bytes())
        wait_for(lambda count=count: sum(each["event"] == "reload" for each in server.list_events()) == 2 * count)  # type: ignore[misc]


def list_workers(server: ServerProcess) -> list[int]:
    children = find_children(server.process.pid)
    return [each for each in children if b"spawn_main" in Path(f"/proc/{each}/cmdline").read_bytes()]


def test_what_cannot_be_served_is_said_in_one_line(
    models: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from tagloom.cli.main import run

    damaged = tmp_path / "damaged.tagloom"
    damaged.write_bytes(models["ner"].read_bytes()[:-5])
    taken = socket.create_server(("127.0.0.1", 0))
    port = taken.getsockname()[1]
    for arguments, message in (
        ([damaged], "damaged.tagloom"),
        ([tmp_path / "missing.tagloom"], "missing.tagloom"),
        ([models["ner"], "--port", port], f"cannot listen on 127.0.0.1, port {port}: address already in use"),
        ([models["ner"], "--host", "256.0.0.1"], "cannot listen on 256.0.0.1"),
        ([models["ner"], models["ner"]], "there are two models called 'ner'"),
        ([models["ner"], "--max-tokens", "0"], "--max-tokens"),
    ):
        assert run(["serve", *map(str, arguments)]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert message in line
    taken.close()
