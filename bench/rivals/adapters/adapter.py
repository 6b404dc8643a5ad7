"""What every tool is asked: is it here, which tasks it can do, train a model, open it, tag."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, ClassVar

from bench.rivals.tasks import Files, Row, Task

Rows = Sequence[Row]  # a sentence without its labels


class Tagger(ABC):
    """An opened model. Labels are texts; for trees, head and relation with a tab between them."""

    #: Whether features can be extracted once and tagged many times.
    splits: ClassVar[bool] = False

    @abstractmethod
    def tag(self, sentence: Rows) -> list[str]:
        """Label one sentence, feature extraction included."""

    def tag_all(self, sentences: Sequence[Rows]) -> list[list[str]]:
        """Label many sentences, as a user of the tool does."""
        return [self.tag(sentence) for sentence in sentences]

    def extract_all(self, sentences: Sequence[Rows]) -> Any:
        """Extract the features of many sentences."""
        raise NotImplementedError

    def tag_extracted(self, features: Any) -> object:
        """Label sentences whose features were extracted."""
        raise NotImplementedError


@dataclass(frozen=True)
class FeatureTagger(Tagger):
    """A tagger of a tool that takes lists of features."""

    extract: Callable[[Rows], Any]
    label: Callable[[Any], Iterable[str]]
    splits: ClassVar[bool] = True

    def tag(self, sentence: Rows) -> list[str]:
        return list(self.label(self.extract(sentence)))

    def extract_all(self, sentences: Sequence[Rows]) -> Any:
        return [self.extract(sentence) for sentence in sentences]

    def tag_extracted(self, features: Any) -> object:
        return [self.label(each) for each in features]


class CommandTagger(Tagger):
    """A tagger that is a command: a file in, a file out. There is no way to tag one sentence without starting it."""

    def tag(self, sentence: Rows) -> list[str]:
        return self.tag_all([sentence])[0]

    @abstractmethod
    def tag_all(self, sentences: Sequence[Rows]) -> list[list[str]]: ...


@dataclass(frozen=True)
class Adapter(ABC):
    """One way to use a tool.

    Attributes:
        name: What the table and ``--only`` call it.
        tasks: Names of the tasks that it can do.
        settings: How it is trained, in a few words.
        package: The distribution that it needs; None for commands.
        command: The command that it needs; None for packages.
        features: Whether it takes the features of the task. Otherwise it has its own.
        limits: Training sentences by task, where all of them would take too long.
        is_ours: Whether it is tagloom.
        opens: The adapter whose models it opens; empty if it trains its own.
    """

    name: str
    tasks: tuple[str, ...]
    settings: str
    package: str | None = None
    command: str | None = None
    features: bool = False
    limits: Mapping[str, int] = field(default_factory=dict)
    is_ours: bool = False
    opens: str = ""

    @property
    def module(self) -> str:
        """The module that has the adapter."""
        return type(self).__module__.rpartition(".")[2]

    def find_reason(self) -> str | None:
        """Return why the tool cannot be measured here, or None."""
        if self.command is not None:
            return None if shutil.which(self.command) else f"no command {self.command} on PATH"
        return None if self.version else f"package {self.package} is not installed"

    @property
    def version(self) -> str:
        """The version of the package, or what the command says of itself; empty if it is not here."""
        if self.command is not None:
            return read_version(self.command)
        try:
            return metadata.version(self.package or "")
        except (metadata.PackageNotFoundError, ValueError):
            return ""

    @abstractmethod
    def train(self, task: Task, files: Files, model: Path) -> dict[str, Any]:
        """Train on the files and save the model.

        Returns:
            What is known of the training: ``passes`` and ``learning_seconds`` of all passes, if the tool tells.
        """

    @abstractmethod
    def open(self, task: Task, model: Path) -> Tagger:
        """Open a model."""


#: Runs a command and prints its peak memory. A command that is started by a large process counts the memory of that
#: process as its own; started by a small one, it does not.
_SHIM = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[2:]).returncode
with open(sys.argv[1], "w") as stream:
    stream.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(code)
"""
#: Peak megabytes of the commands that ran so far.
command_peaks: list[float] = []


def run_command(command: Sequence[str], text: str | None = None) -> str:
    """Run a command with an input, note its peak memory, and return what it printed."""
    with tempfile.NamedTemporaryFile("r") as peak:
        shim = [sys.executable, "-S", "-c", _SHIM, peak.name, *command]
        done = subprocess.run(shim, check=True, stdout=subprocess.PIPE, text=True, input=text)
        command_peaks.append(int(peak.read()) / 1024)
    return done.stdout


def read_version(command: str) -> str:
    """Return the first line that ``command --version`` prints, if it is short."""
    if shutil.which(command) is None:
        return ""
    done = subprocess.run([command, "--version"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    line = ((done.stdout or done.stderr).strip().splitlines() or [""])[0]
    return line if 0 < len(line) < 60 else "unknown"


def split_labels(lines: Iterable[str]) -> list[list[str]]:
    """Split the lines of a tool into sentences and keep the last field of each."""
    found: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            found[-1].append(line.split()[-1])
        elif found[-1]:
            found.append([])
    return found if found[-1] else found[:-1]
