"""python-crfsuite: lists of strings; L-BFGS with its defaults, and its averaged perceptron."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bench.rivals.adapters.adapter import Adapter, FeatureTagger
from bench.rivals.tasks import Files, Task, stream_sentences

TASKS = ("chunking", "ner", "pos", "segmentation")


@dataclass(frozen=True)
class Crfsuite(Adapter):
    """A trainer of python-crfsuite."""

    algorithm: str = "lbfgs"
    options: Mapping[str, Any] = field(default_factory=dict)  # of the algorithm

    def train(self, task: Task, files: Files, model: Path) -> dict[str, Any]:
        import pycrfsuite

        trainer = pycrfsuite.Trainer(self.algorithm, verbose=False, params=dict(self.options))
        extract = task.features.extract_strings
        for sentence in stream_sentences(files.train):
            trainer.append(extract(sentence), [row[-1] for row in sentence])
        started = time.process_time()
        trainer.train(str(model))
        last = trainer.logparser.last_iteration
        return {"learning_seconds": time.process_time() - started, "passes": last["num"] if last else 0}

    def open(self, task: Task, model: Path) -> FeatureTagger:
        import pycrfsuite

        tagger = pycrfsuite.Tagger()
        tagger.open(str(model))
        return FeatureTagger(task.features.extract_strings, tagger.tag)


class CrfsuiteDicts(Crfsuite):
    """The same models with feature dicts."""

    def open(self, task: Task, model: Path) -> FeatureTagger:
        return replace(super().open(task, model), extract=task.features.extract_dicts)


ADAPTERS = [
    Crfsuite("python-crfsuite", TASKS, "L-BFGS, defaults", "python-crfsuite", features=True),
    Crfsuite("python-crfsuite, ap", TASKS[:2], "averaged perceptron, defaults", "python-crfsuite", features=True,
             algorithm="averaged-perceptron"),
    CrfsuiteDicts("python-crfsuite, dicts", TASKS[:2], "model of python-crfsuite", "python-crfsuite", features=True,
                  opens="python-crfsuite"),
]  # fmt: skip
