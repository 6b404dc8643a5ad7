"""Fenced blocks of Markdown pages: what they say, and how it is run.

- ``python``: executed, one namespace per page.
- ``sh``: its lines that begin with ``tagloom``, ``echo ... | tagloom``, ``echo ... >> FILE`` or ``curl`` are run.
  ``tagloom serve ... &`` runs until the end of the page; its address on the page stands for the port that it has.
- ``text`` right after one of these: what it must have printed; ``...`` stands for anything.
- Other languages (``py``, ``bash``, none) are shown and not run.
"""

from __future__ import annotations

import doctest
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path

from tagloom.cli.main import run
from tests.serve.processes import ServerProcess

ADDRESS = "http://127.0.0.1:8000"  # of the server on all pages

_FENCE = re.compile(r"^(?P<mark>`{3,})(?P<language>[\w-]*)[^\n]*\n(?P<text>.*?)^(?P=mark)[ ]*$", re.M | re.S)


@dataclass(frozen=True)
class Block:
    """A block that can be run, and what it must print."""

    language: str
    text: str
    line: int
    output: str | None = None


def list_blocks(text: str) -> list[Block]:
    """List the blocks of a page in their order; a ``text`` block belongs to the one right before it."""
    found: list[Block] = []
    end = 0
    for match in _FENCE.finditer(text):
        language, is_next = match["language"], not text[end : match.start()].strip()
        if language == "text" and is_next and found and found[-1].language in ("python", "sh"):
            last = found.pop()
            found.append(Block(last.language, last.text, last.line, match["text"]))
        else:
            found.append(Block(language, match["text"], text.count("\n", 0, match.start()) + 2))
        end = match.end()
    return found


def strip_blocks(text: str) -> str:
    """Return what is left of a page without its blocks."""
    return _FENCE.sub("", text)


def run_page(page: Path, *languages: str) -> int:
    """Run the blocks of a page in the current folder and compare what they print; return how many were run.

    Without languages, all that can be run.
    """
    namespace: dict[str, object] = {"__name__": "__main__"}
    chosen = languages or ("python", "sh")
    blocks = [block for block in list_blocks(page.read_text("utf-8")) if block.language in chosen]
    with _Servers() as servers:
        for block in blocks:
            where = f"{page.name}:{block.line}"
            if block.language == "python":
                printed = _run_python(replace(block, text=servers.translate(block.text)), where, namespace)
            else:
                printed = "".join(_run_line(command, where, servers) for command in list_commands(block.text))
            if block.output is not None:
                check_output(block.output, printed.replace(servers.address, ADDRESS), where)
    return len(blocks)


class _Servers(ExitStack):
    """The server of a page, on a port that is free; others may use the one that the page names."""

    address = ADDRESS

    def start(self, arguments: str) -> None:
        self.close()  # the one before
        server = self.enter_context(ServerProcess(*shlex.split(arguments)))
        self.address = f"http://127.0.0.1:{server.port}"

    def translate(self, text: str) -> str:
        return text.replace(ADDRESS, self.address)


def _run_line(command: str, where: str, servers: _Servers) -> str:
    if served := re.fullmatch(r"tagloom serve (.*)&\s*", command):
        servers.start(served[1])
        return ""
    if command.startswith("curl "):
        return _run_curl(servers.translate(command), where)
    return run_command(command, where)


def _run_curl(command: str, where: str) -> str:
    """Run a command that asks the server; ``python`` in it is the one of the tests.

    No sanitizer is loaded: curl would hang.
    """
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "LD_PRELOAD": ""}
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0, f"{where}: {command}: {done.stderr}"
    return f"{done.stdout.rstrip()}\n"


def _run_python(block: Block, where: str, namespace: dict[str, object]) -> str:
    printed = io.StringIO()
    padded = "\n" * (block.line - 1) + block.text  # tracebacks name the line of the page
    with redirect_stdout(printed):
        exec(compile(padded, where.partition(":")[0], "exec"), namespace)
    return printed.getvalue()


def list_commands(text: str) -> Iterator[str]:
    """List the commands of tagloom and curl in a block, and what is echoed to files, without comments."""
    for line in text.replace("\\\n", " ").splitlines():
        if re.match(r"tagloom |curl |echo .*(\| tagloom |>> )", line):
            yield line.split("  #")[0]


def run_command(command: str, where: str = "") -> str:
    """Run a command in this process and return what it printed; ``> FILE``, ``echo TEXT |`` and ``>> FILE`` work."""
    if command.startswith("echo ") and ">>" in (words := shlex.split(command)):
        with Path(words[-1]).open("a", encoding="utf-8") as file:
            file.write(" ".join(words[1:-2]) + "\n")
        return ""
    *before, command = command.rsplit("| tagloom ", 1) if command.startswith("echo ") else [command]
    arguments, target = shlex.split(command.removeprefix("tagloom ")), None
    if ">" in arguments:
        *arguments, _, target = arguments
    text = " ".join(shlex.split(before[0])[1:]) + "\n" if before else ""
    printed, messages = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with _stdin(text), redirect_stdout(printed), redirect_stderr(messages):
        code = run(arguments)
        printed.flush()
    assert code == 0, f"{where}: {command}: {messages.getvalue()}"
    output = printed.buffer.getvalue().decode()  # type: ignore[attr-defined]
    if target is None:
        return str(output)
    Path(target).write_text(output, "utf-8")
    return ""


@contextmanager
def _stdin(text: str) -> Iterator[None]:
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8")
    try:
        yield
    finally:
        sys.stdin = before


def check_output(expected: str, printed: str, where: str) -> None:
    """Compare what a block printed with what the page says."""
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.OutputChecker().check_output(expected, printed, options), (
        f"{where}: the page says\n{expected}\nbut it prints\n{printed}"
    )
