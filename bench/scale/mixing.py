"""Parameter mixing on two threads: the time until it reaches the best score of the serial learner."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from bench import ROOT

PASSES = 20


def measure_mixing() -> list[dict[str, Any]]:
    """Measure both corpora, as far as they are there."""
    data = Path(os.environ.get("TAGLOOM_DATA", ROOT.parent / "shared" / "data"))
    found = []
    for name, train, test, options in (
        ("CoNLL-2000", data / "conll2000" / "train.txt.xz", data / "conll2000" / "test.txt",
         {"columns": "form pos chunk", "templates": "chunking", "learner": "averaged-perceptron"}),
        ("PFR, segmentation", data / "pfr199801" / "199801.seg.utf8.xz", None,
         {"format": "segmented", "templates": "segmentation", "learner": "averaged-perceptron"}),
    ):  # fmt: skip
        if train.exists():
            found.append({"corpus": name, "learner": options["learner"], **_compare(train, test, options)})
    return found


def _compare(train: Path, test: Path | None, options: dict[str, Any]) -> dict[str, Any]:
    """Train both on the same data, scoring every pass on held-out text; seconds of scoring do not count."""
    import tagloom

    given = {name: options.pop(name) for name in ("columns", "format") if name in options}
    corpus = tagloom.read(train, **given)
    cut = len(corpus) * 9 // 10
    held_out = tagloom.read(test, **given) if test else corpus.slice(cut, len(corpus))
    corpus = corpus if test else corpus.slice(0, cut)
    serial = _trace(corpus, held_out, {**options, "threads": 1})
    mixed = _trace(corpus, held_out, {**options, "threads": 2, "mix": 2})
    best = max(score for _, score in serial)
    reached = next((seconds for seconds, score in mixed if score >= best), None)
    return {
        "serial_score": best, "serial_seconds": next(seconds for seconds, score in serial if score == best),
        "mixed_score": max(score for _, score in mixed), "reached": reached, "serial": serial, "mixed": mixed,
    }  # fmt: skip


def _trace(corpus: Any, held_out: Any, options: dict[str, Any]) -> list[tuple[float, float]]:
    """Return the seconds of learning and the score after every pass."""
    from tagloom.systems.learning import Learning
    from tagloom.systems.registry import get_system

    row = get_system("tagger")
    training = row.load_training().prepare(corpus, row.load_options().parse({**options, "epochs": PASSES}))
    scorer, found = training.build_scorer(held_out), []

    def observe(done: Any, seconds: float, total: Any) -> None:
        found.append((seconds, scorer(done.weights(), total)))

    Learning(training, None, lambda _: None, time.perf_counter(), observe=observe).run()
    return found
