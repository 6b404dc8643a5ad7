"""Two threads against one: encoding, tagging, evaluation and batch gradients.

The two take turns, and the least time of each counts, because other work on the machine can only add to it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROUNDS = 5


def measure_threads(text: Path) -> list[dict[str, Any]]:
    """Measure every kind of work that threads share."""
    import tagloom
    import tagloom._core as core
    from tagloom.systems.tagger.encode import prepare_batch
    from tagloom.systems.tagger.options import TaggerOptions
    from tagloom.systems.tagger.task import Task

    corpus = tagloom.read(text, columns="form pos chunk")
    options = TaggerOptions(templates="chunking", learner="averaged-perceptron")
    task = Task.plan(corpus, options)
    store, batch = prepare_batch(task.encoder, task.corpus)
    model = tagloom.train(corpus, label="chunk", templates="chunking", learner="averaged-perceptron", epochs=1)
    sample = corpus.slice(0, 4000)
    crf = {"label": "chunk", "templates": "chunking", "learner": "lbfgs", "epochs": 3}
    work: dict[str, Callable[[int], Any]] = {
        "encoding of training data": lambda n: core.collect_features(store, batch.codes, batch.sentences, 1, 0, n),
        "tagging": lambda n: model.annotate(corpus, threads=n),
        "evaluation": lambda n: model.evaluate(corpus, threads=n),
        "three iterations of a CRF (lbfgs)": lambda n: tagloom.train(sample, threads=n, **crf),
    }
    return [{"work": name, **_take_turns(call)} for name, call in work.items()]


def _take_turns(call: Callable[[int], Any]) -> dict[str, float]:
    times: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(ROUNDS):
        for threads, found in times.items():
            started = time.perf_counter()
            call(threads)
            found.append(time.perf_counter() - started)
    return {"one": min(times[1]), "two": min(times[2])}
