"""The command ``wapiti`` (https://wapiti.limsi.fr): patterns over columns, defaults.

Debian has another program of this name, a scanner of web sites; it is told apart by its help text.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.rivals.adapters.adapter import Adapter, CommandTagger, Rows, run_command, split_labels
from bench.rivals.adapters.crfsuite import TASKS
from bench.rivals.adapters.wapiti import write_block
from bench.rivals.tasks import Files, Task, read_sentences


def write_blocks(path: Path, task: Task, sentences: Sequence[Rows], labels: Sequence[Sequence[str]] | None) -> None:
    """Write a file of columns."""
    pairs = zip(sentences, [None] * len(sentences) if labels is None else labels)
    path.write_text("".join(f"{write_block(task, rows, own)}\n\n" for rows, own in pairs), "utf-8")


@dataclass(frozen=True)
class ColumnTagger(CommandTagger):
    """A command that reads a file of columns and prints it with the labels as the last column."""

    task: Task
    command: tuple[str, ...]

    def tag_all(self, sentences: Sequence[Rows]) -> list[list[str]]:
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "input.txt"
            write_blocks(source, self.task, sentences, None)
            return split_labels(run_command([*self.command, str(source)]).splitlines())


class WapitiCommand(Adapter):
    """``wapiti train`` and ``wapiti label``."""

    def find_reason(self) -> str | None:
        if shutil.which("wapiti") is None:
            return "no command wapiti on PATH"
        done = subprocess.run(["wapiti", "--help"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        return None if "l-bfgs" in done.stdout + done.stderr else "the wapiti on PATH is another program"

    def train(self, task: Task, files: Files, model: Path) -> dict[str, Any]:
        sentences = read_sentences(files.train)
        rows = [[task.hide_label(row) for row in sentence] for sentence in sentences]
        with tempfile.TemporaryDirectory() as folder:
            patterns, data = Path(folder) / "patterns.txt", Path(folder) / "train.txt"
            patterns.write_text(task.features.write_patterns("u", "b"), "utf-8")
            write_blocks(data, task, rows, [[row[-1] for row in sentence] for sentence in sentences])
            run_command(["wapiti", "train", "-p", str(patterns), str(data), str(model)])
        return {}

    def open(self, task: Task, model: Path) -> ColumnTagger:
        return ColumnTagger(task, ("wapiti", "label", "-m", str(model)))


ADAPTERS = [WapitiCommand("wapiti", TASKS, "L-BFGS with elastic net, defaults", command="wapiti", features=True)]
