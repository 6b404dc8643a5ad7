"""sklearn-crfsuite: feature dicts, as in its tutorial."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

from bench.rivals.adapters.adapter import Adapter, FeatureTagger
from bench.rivals.adapters.crfsuite import TASKS
from bench.rivals.tasks import Files, Task, read_sentences


class SklearnCrfsuite(Adapter):
    """``CRF()``, saved by pickle."""

    def train(self, task: Task, files: Files, model: Path) -> dict[str, Any]:
        import sklearn_crfsuite

        sentences = read_sentences(files.train)
        extract = task.features.extract_dicts
        crf = sklearn_crfsuite.CRF()
        crf.fit([extract(sentence) for sentence in sentences], [[row[-1] for row in each] for each in sentences])
        model.write_bytes(pickle.dumps(crf))
        last = crf.training_log_.last_iteration
        return {"passes": last["num"] if last else 0}

    def open(self, task: Task, model: Path) -> FeatureTagger:
        crf = pickle.loads(model.read_bytes())
        return FeatureTagger(task.features.extract_dicts, crf.predict_single)


ADAPTERS = [SklearnCrfsuite("sklearn-crfsuite", TASKS[:2], "L-BFGS, defaults", "sklearn-crfsuite", features=True)]
