"""libwapiti: patterns over columns; L-BFGS with its defaults (elastic net), one thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from bench.rivals.adapters.adapter import Adapter, Rows, Tagger
from bench.rivals.adapters.crfsuite import TASKS
from bench.rivals.tasks import Files, Task, stream_sentences


def write_block(task: Task, rows: Rows, labels: Sequence[str] | None = None) -> str:
    """Write a sentence as lines of columns, with or without labels."""
    lines = task.features.write_columns(rows)
    return "\n".join(lines if labels is None else [f"{line}\t{label}" for line, label in zip(lines, labels)])


@dataclass(frozen=True)
class WapitiTagger(Tagger):
    """Labels blocks of columns. The patterns are applied inside of Wapiti, so that only columns can be made before."""

    write: Callable[[Rows], str]
    model: Any
    splits: ClassVar[bool] = True

    def tag(self, sentence: Rows) -> list[str]:
        return self._label(self.write(sentence))

    def _label(self, block: str) -> list[str]:
        return self.model.label_sequence(block).decode().split()  # type: ignore[no-any-return]

    def extract_all(self, sentences: Sequence[Rows]) -> Any:
        return [self.write(sentence) for sentence in sentences]

    def tag_extracted(self, features: Any) -> object:
        return [self._label(block) for block in features]


class Wapiti(Adapter):
    """``wapiti.Model`` of the package libwapiti."""

    def train(self, task: Task, files: Files, model: Path) -> dict[str, Any]:
        import wapiti

        trained = wapiti.Model(patterns=task.features.write_patterns("u", "b"), nthread=1)
        for sentence in stream_sentences(files.train):
            rows = [task.hide_label(row) for row in sentence]
            trained.add_training_sequence(write_block(task, rows, [row[-1] for row in sentence]))
        trained.train()
        trained.save(str(model))
        return {}

    def open(self, task: Task, model: Path) -> WapitiTagger:
        import wapiti

        return WapitiTagger(lambda rows: write_block(task, rows), wapiti.Model(model=str(model), nthread=1))


ADAPTERS = [Wapiti("libwapiti", TASKS, "L-BFGS with elastic net, defaults", "libwapiti", features=True)]
