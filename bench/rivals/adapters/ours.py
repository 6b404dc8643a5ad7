"""tagloom: the same features as the tools that take features, the same labels, one thread.

The row ``tagloom`` is a CRF with L2 (learner ``madf``), because that is what most of the other tools are by default, or
a parser with its defaults. ``tagloom, ap`` is the averaged perceptron, the fastest learner.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from bench.rivals.adapters.adapter import Adapter, Rows, Tagger
from bench.rivals.adapters.crfsuite import TASKS
from bench.rivals.tasks import LAS, Files, Task

PARSING = "parsing"


@dataclass(frozen=True)
class OwnTagger(Tagger):
    """A tagger of tagloom."""

    model: Any
    splits: ClassVar[bool] = True

    def tag(self, sentence: Rows) -> list[str]:
        return self.model.tag(sentence)  # type: ignore[no-any-return]

    def tag_all(self, sentences: Sequence[Rows]) -> list[list[str]]:
        return self.model.tag_many(sentences)  # type: ignore[no-any-return]

    def extract_all(self, sentences: Sequence[Rows]) -> Any:
        from tagloom.corpus.objects import rows_to_corpus

        corpus = rows_to_corpus(sentences, self.model.columns)
        return *self.model.encode_chains(corpus), corpus.sentences

    def tag_extracted(self, features: Any) -> object:
        chains, allowed, offsets = features
        labels, _ = chains.decode_allowed(self.model.parameters.weights, allowed, 1)
        return self.model._writer.write_lists(labels, offsets)


@dataclass(frozen=True)
class OwnParser(Tagger):
    """A parser of tagloom, which reads words and tags."""

    model: Any

    def tag(self, sentence: Rows) -> list[str]:
        tree = self.model.parse([row[:2] for row in sentence])
        return [f"{head}\t{relation}" for head, relation in zip(tree.heads, tree.relations)]

    def tag_all(self, sentences: Sequence[Rows]) -> list[list[str]]:
        trees = self.model.parse_many([[row[:2] for row in sentence] for sentence in sentences])
        return [[f"{head}\t{relation}" for head, relation in zip(each.heads, each.relations)] for each in trees]


@dataclass(frozen=True)
class Ours(Adapter):
    """A learner of tagloom."""

    learner: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)  # of the training

    @property
    def version(self) -> str:
        return read_own_version()

    def train(self, task: Task, files: Files, model: Path) -> dict[str, Any]:
        marks: list[float] = []
        self._train(task, files, lambda progress: _mark(progress, marks), **self.options).save(model)
        passes = len(marks) - 1
        return {"passes": passes, "learning_seconds": marks[-1] - marks[0]} if passes > 0 else {}

    def _train(self, task: Task, files: Files, report: Any, **options: Any) -> Any:
        import tagloom

        if task.metric == LAS:
            own: dict[str, Any] = {"system": "parser", "format": "conllu", "tags": "gold"}
        else:
            own = {"columns": [*task.columns, "label"], "templates": task.templates, "scheme": "data",
                   "learner": self.learner}  # fmt: skip
        return tagloom.train(files.train, on_progress=report, **own, **options)

    def open(self, task: Task, model: Path) -> Tagger:
        import tagloom

        opened: Any = tagloom.load(model)
        return OwnParser(opened) if task.metric == LAS else OwnTagger(opened)

    def trace(self, task: Task, files: Files, epochs: int, model: Path) -> dict[str, Any]:
        """Train once for the CPU seconds after every pass, and once more for the scores of the same passes.

        The same seed gives the same weights, so that scoring costs no time in the first training. The scores are
        those on the test data: they say when a score was reached, and nothing is chosen by them.

        Returns:
            ``trace_seconds``, CPU seconds of a process from its start to the saved model, if training ended with the
            pass, and ``trace_scores``.
        """
        marks: list[float] = []
        self._train(task, files, lambda progress: _mark(progress, marks), epochs=epochs).save(model)
        rest = time.process_time() - marks[-1]  # to freeze and save the model
        scores: list[float] = []
        scored = {"dev": files.test, "patience": epochs + 1, "epochs": epochs}
        self._train(task, files, lambda progress: _keep_score(progress, scores), **scored)
        return {"trace_seconds": [mark + rest for mark in marks[1:]], "trace_scores": scores}


def read_own_version() -> str:
    """Return the version of tagloom."""
    from tagloom._version import __version__

    return __version__


def _mark(progress: Any, marks: list[float]) -> None:
    """Note the CPU time when the features are encoded and after every pass."""
    if progress.phase in ("encoded", "epoch"):
        marks.append(time.process_time())


def _keep_score(progress: Any, scores: list[float]) -> None:
    if progress.phase == "epoch":
        scores.append(progress.record.dev_score)


ADAPTERS = [
    Ours("tagloom", (*TASKS, PARSING), "CRF with L2 (madf), defaults; parser: defaults", "tagloom", features=True,
         is_ours=True, learner="madf"),
    Ours("tagloom, ap", TASKS, "averaged perceptron, defaults", "tagloom", features=True, is_ours=True,
         learner="averaged-perceptron"),
]  # fmt: skip
