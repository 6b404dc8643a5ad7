"""Parts of a long measurement: each is a process whose files are kept, so that a run that was stopped goes on."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import ROOT

USAGE, LOG, OUTPUT = "usage.json", "log.txt", "output"


class PartError(Exception):
    """A part that has failed; the text is the last line of its log."""


@dataclass(frozen=True)
class Part:
    """A command, the files it reads, and where its output and usage are kept.

    Attributes:
        name: Names the folder, with a checksum of everything below.
        module: The module to run.
        arguments: Its arguments after the usage file; ``OUTPUT`` stands for the file to write.
        inputs: Files or folders that decide what comes out.
        program: What else decides it: the version, or a checksum of the sources.
    """

    name: str
    module: str
    arguments: tuple[str, ...]
    inputs: tuple[Path, ...]
    program: str

    @property
    def key(self) -> str:
        """Twelve digits that change with the command, its inputs and the program."""
        names = {str(path): path.name for path in self.inputs}  # the folder of the inputs does not matter
        digest = hashlib.sha256(" ".join([self.program, *(names.get(each, each) for each in self.arguments)]).encode())
        for path in self.inputs:
            for each in [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file()):
                digest.update(hashlib.sha256(each.read_bytes()).digest())
        return digest.hexdigest()[:12]

    def run(self, cache: Path, python: str = sys.executable) -> tuple[Path, dict[str, Any]]:
        """Run the command unless it has finished before; return its output and its usage."""
        folder = cache / f"{self.name}-{self.key}"
        output, usage = folder / OUTPUT, folder / USAGE
        if not usage.exists():
            shutil.rmtree(folder, ignore_errors=True)  # what a part that was stopped has left
            folder.mkdir(parents=True)
            filled = [str(output) if each == OUTPUT else each for each in self.arguments]
            command = [python, "-m", self.module, str(usage), *filled]
            print(f"{self.name}-{self.key}", file=sys.stderr)
            with (folder / LOG).open("w") as log:
                print(shlex.join(command), file=log, flush=True)
                done = subprocess.run(command, cwd=ROOT, stdout=log, stderr=log, env=get_environment())
            if done.returncode:
                lines = (folder / LOG).read_text("utf-8", "replace").split("\n")
                raise PartError(next((line for line in reversed(lines) if line.strip()), f"code {done.returncode}"))
        return output, {**json.loads(usage.read_text("utf-8")), "bytes": output.stat().st_size}


def get_environment() -> dict[str, str]:
    """Return the environment with compiled modules allowed, which installed packages have, too."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def checksum_sources() -> str:
    """Compute a checksum of the package and its core: a training by other code is another training."""
    return checksum_files(
        each
        for folder in (ROOT / "src" / "tagloom", ROOT / "cpp")
        for each in folder.rglob("*")
        if each.suffix in (".py", ".templates", ".states", ".hpp", ".cpp")
    )


def checksum_files(paths: Iterable[Path]) -> str:
    """Compute a checksum of files of this repository."""
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:12]
