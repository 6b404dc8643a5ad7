"""CRF++: ``crf_learn`` and ``crf_test`` with their defaults, one thread."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from bench.rivals.adapters.adapter import Adapter, run_command
from bench.rivals.adapters.crfsuite import TASKS
from bench.rivals.adapters.wapiti_command import ColumnTagger, write_blocks
from bench.rivals.tasks import Files, Task, read_sentences


class Crfpp(Adapter):
    """Templates over columns."""

    def train(self, task: Task, files: Files, model: Path) -> dict[str, Any]:
        sentences = read_sentences(files.train)
        rows = [[task.hide_label(row) for row in sentence] for sentence in sentences]
        with tempfile.TemporaryDirectory() as folder:
            templates, data = Path(folder) / "templates.txt", Path(folder) / "train.txt"
            templates.write_text(task.features.write_patterns("U", "B"), "utf-8")
            write_blocks(data, task, rows, [[row[-1] for row in sentence] for sentence in sentences])
            run_command(["crf_learn", "-p", "1", str(templates), str(data), str(model)])
        return {}

    def open(self, task: Task, model: Path) -> ColumnTagger:
        return ColumnTagger(task, ("crf_test", "-m", str(model)))


ADAPTERS = [Crfpp("CRF++", TASKS, "L-BFGS with L2, defaults", command="crf_learn", features=True)]
