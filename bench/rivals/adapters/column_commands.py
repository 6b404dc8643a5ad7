"""Commands that read patterns and columns: ``crf_learn`` (CRF++) and ``wapiti``, with their defaults and one thread.

Debian has another program called wapiti, a scanner of web sites; it is told apart by its help text.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.rivals.adapters.adapter import Adapter, CommandTagger, Rows, run_command, split_labels
from bench.rivals.adapters.crfsuite import TASKS
from bench.rivals.adapters.wapiti import write_block
from bench.rivals.tasks import Files, Task, stream_sentences


@dataclass(frozen=True)
class ColumnTagger(CommandTagger):
    """A command that reads a file of columns and prints it with the labels as the last column."""

    task: Task
    command: tuple[str, ...]

    def tag_all(self, sentences: Sequence[Rows]) -> list[list[str]]:
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "input.txt"
            source.write_text("".join(f"{write_block(self.task, rows)}\n\n" for rows in sentences), "utf-8")
            return split_labels(run_command([*self.command, str(source)]).splitlines())


@dataclass(frozen=True)
class ColumnCommand(Adapter):
    """A pair of commands.

    Attributes:
        letters: How lines of patterns begin, of labels and of label pairs.
        learn: The command that trains, before the options and files.
        label: The command that tags, before the model.
        sign: A word of the help text that tells the program from others of the same name.
    """

    letters: tuple[str, str] = ("U", "B")
    learn: tuple[str, ...] = ()
    label: tuple[str, ...] = ()
    sign: str = ""

    def find_reason(self) -> str | None:
        reason = super().find_reason()
        if reason is not None or not self.sign:
            return reason
        done = subprocess.run([str(self.command), "--help"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        known = self.sign in done.stdout + done.stderr
        return None if known else f"the {self.command} on PATH is another program"

    def train(self, task: Task, files: Files, model: Path) -> dict[str, Any]:
        with tempfile.TemporaryDirectory() as folder:
            patterns, data = Path(folder) / "patterns.txt", Path(folder) / "train.txt"
            patterns.write_text(task.features.write_patterns(*self.letters), "utf-8")
            with data.open("w", encoding="utf-8") as stream:
                for sentence in stream_sentences(files.train):
                    rows, labels = [task.hide_label(row) for row in sentence], [row[-1] for row in sentence]
                    stream.write(f"{write_block(task, rows, labels)}\n\n")
            run_command([*self.learn, str(patterns), str(data), str(model)])
        return {}

    def open(self, task: Task, model: Path) -> ColumnTagger:
        return ColumnTagger(task, (*self.label, "-m", str(model)))


ADAPTERS = [
    ColumnCommand("wapiti", TASKS, "L-BFGS with elastic net, defaults", command="wapiti", features=True,
                  letters=("u", "b"), learn=("wapiti", "train", "-p"), label=("wapiti", "label"), sign="l-bfgs"),
    ColumnCommand("CRF++", TASKS, "L-BFGS with L2, defaults", command="crf_learn", features=True,
                  learn=("crf_learn", "-p", "1"), label=("crf_test",)),
]  # fmt: skip
