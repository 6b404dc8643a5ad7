"""Lapos: ``lapos-learn`` and ``lapos``, part-of-speech tags with lookahead and its own features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.rivals.adapters.adapter import Adapter, CommandTagger, Rows, run_command
from bench.rivals.tasks import Files, Task, read_sentences


@dataclass(frozen=True)
class LaposTagger(CommandTagger):
    """One sentence per line in, ``word/TAG`` out."""

    model: Path

    def tag_all(self, sentences: Sequence[Rows]) -> list[list[str]]:
        text = "".join(" ".join(row[0] for row in rows) + "\n" for rows in sentences)
        tagged = run_command(["lapos", "-t", "-m", str(self.model)], text)
        return [[token.rpartition("/")[2] for token in line.split()] for line in tagged.splitlines()]


class Lapos(Adapter):
    """A folder is the model."""

    def train(self, task: Task, files: Files, model: Path) -> dict[str, Any]:
        model.mkdir()
        text = "".join(" ".join(map("/".join, sentence)) + "\n" for sentence in read_sentences(files.train))
        source = model.with_suffix(".train")
        source.write_text(text, "utf-8")
        run_command(["lapos-learn", "-m", str(model), str(source)])
        source.unlink()
        return {}

    def open(self, task: Task, model: Path) -> LaposTagger:
        return LaposTagger(model)


ADAPTERS = [Lapos("Lapos", ("pos",), "perceptron with lookahead, defaults", command="lapos")]
