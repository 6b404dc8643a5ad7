"""chaine: feature dicts; stochastic gradient descent with its defaults."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.rivals.adapters.adapter import Adapter, FeatureTagger
from bench.rivals.adapters.crfsuite import TASKS
from bench.rivals.tasks import Files, Task, stream_sentences


class Chaine(Adapter):
    """``chaine.Trainer()`` and ``chaine.Model``."""

    def train(self, task: Task, files: Files, model: Path) -> dict[str, Any]:
        import chaine

        features = map(task.features.extract_dicts, stream_sentences(files.train))
        labels = ([row[-1] for row in sentence] for sentence in stream_sentences(files.train))
        chaine.Trainer().train(features, labels, model_filepath=str(model))
        return {}

    def open(self, task: Task, model: Path) -> FeatureTagger:
        import chaine

        return FeatureTagger(task.features.extract_dicts, chaine.Model(str(model)).predict_single)


ADAPTERS = [Chaine("chaine", TASKS, "SGD with L2, defaults", "chaine", features=True)]
