"""Vowpal Wabbit: the command ``vw``, or the package of that command; learning to search, features hashed to 22 bits."""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from bench.rivals.adapters.adapter import Adapter, CommandTagger, Rows, read_version, run_command
from bench.rivals.adapters.crfsuite import TASKS
from bench.rivals.tasks import Files, Task, stream_sentences
from bench.usage import read_cpu

PACKAGE = "vowpalwabbit"
PASSES = 5
_ESCAPES = {ord(" "): "_", ord(":"): "\ue000", ord("|"): "\ue001", ord("\t"): "_"}  # these have a meaning in its format


def find_command() -> list[str]:
    """Return how to run it: the command on PATH, or the module of the package."""
    return ["vw"] if shutil.which("vw") else [sys.executable, "-m", PACKAGE]


def write_examples(path: Path, task: Task, sentences: Iterable[Rows], numbers: Mapping[str, int] | None) -> None:
    """Write sentences as multiline examples, with the numbers of their labels if they have any."""
    extract = task.features.extract_strings
    with path.open("w", encoding="utf-8") as stream:
        for rows in sentences:
            own = [""] * len(rows) if numbers is None else [numbers[row[-1]] for row in rows]
            for label, features in zip(own, extract(rows)):
                stream.write(f"{label} | {' '.join(each.translate(_ESCAPES) for each in features)}\n")
            stream.write("\n")


@dataclass(frozen=True)
class VowpalTagger(CommandTagger):
    """A folder with the model and the names of the labels."""

    task: Task
    model: Path

    def tag_all(self, sentences: Sequence[Rows]) -> list[list[str]]:
        names = json.loads((self.model / "labels.json").read_text("utf-8"))
        with tempfile.TemporaryDirectory() as folder:
            source, target = Path(folder) / "input.txt", Path(folder) / "output.txt"
            write_examples(source, self.task, sentences, None)
            options = ["--quiet", "-t", "-i", str(self.model / "vw"), "-d", str(source), "-p", str(target)]
            run_command([*find_command(), *options])
            lines = [re.findall(r"\d+", line) for line in target.read_text("utf-8").splitlines()]
        return [[names[int(each) - 1] for each in line] for line in lines if line]


@dataclass(frozen=True)
class VowpalWabbit(Adapter):
    """``--search_task sequence``."""

    passes: int = PASSES

    def find_reason(self) -> str | None:
        return None if self.version else f"no command vw on PATH, and package {PACKAGE} is not installed"

    @property
    def version(self) -> str:
        if shutil.which("vw"):
            return read_version("vw")
        try:
            return metadata.version(PACKAGE)
        except metadata.PackageNotFoundError:
            return ""

    def train(self, task: Task, files: Files, model: Path) -> dict[str, Any]:
        names = sorted({row[-1] for sentence in stream_sentences(files.train) for row in sentence})
        numbers = {name: number for number, name in enumerate(names, 1)}
        model.mkdir()
        (model / "labels.json").write_text(json.dumps(names), "utf-8")
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "train.txt"
            write_examples(source, task, stream_sentences(files.train), numbers)
            options = [
                "--quiet", "--search", str(len(names)), "--search_task", "sequence", "-b", "22", "--passes",
                str(self.passes), "--holdout_off", "--random_seed", "1", "-d", str(source), "-f", str(model / "vw"),
            ]  # fmt: skip
            before = read_cpu()
            run_command([*find_command(), *options, *(["-c", "-k"] if self.passes > 1 else [])])
        return {"passes": self.passes, "command_seconds": read_cpu() - before}

    def open(self, task: Task, model: Path) -> VowpalTagger:
        return VowpalTagger(task, model)


ADAPTERS = [VowpalWabbit("Vowpal Wabbit", TASKS, f"search, 22 bits, {PASSES} passes", PACKAGE, features=True)]
