"""Parameter mixing on two threads: the time until it reaches the scores of the serial learner.

Two scores are to be reached: that of the default number of passes, and the best one of twenty passes. Mixing may take
twice as many passes, because each should take half the time. Scores are the same in every round, because the seed is;
rounds take turns, and the one that took the least time counts. Nothing is chosen by the scores.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import ROOT

PASSES, ROUNDS = 20, 3
LEARNERS = ("averaged-perceptron", "pa", "adf")
Trace = list[tuple[float, float]]  # seconds of learning so far and the score, after every pass


def measure_mixing() -> list[dict[str, Any]]:
    """Measure both corpora, as far as they are there."""
    data = Path(os.environ.get("TAGLOOM_DATA", ROOT.parent / "shared" / "data"))
    corpora = (
        ("CoNLL-2000", data / "conll2000" / "train.txt.xz", data / "conll2000" / "test.txt", "chunking",
         {"columns": "form pos chunk"}),
        ("PFR, segmentation", data / "pfr199801" / "199801.seg.utf8.xz", None, "segmentation",
         {"format": "segmented"}),
    )  # fmt: skip
    found = []
    for name, train, test, templates, reading in corpora:
        if train.exists():
            corpus, held_out = _read(train, test, reading)
            for learner in LEARNERS:
                options = {"templates": templates, "learner": learner}
                found.append({"corpus": name, "learner": learner, **_compare(corpus, held_out, options)})
    return found


def _read(train: Path, test: Path | None, reading: dict[str, Any]) -> tuple[Any, Any]:
    """Read training data and held-out data, which is the last tenth where there is no other."""
    import tagloom

    corpus = tagloom.read(train, **reading)
    if test is not None:
        return corpus, tagloom.read(test, **reading)
    cut = len(corpus) * 9 // 10
    return corpus.slice(0, cut), corpus.slice(cut, len(corpus))


def _compare(corpus: Any, held_out: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Train both on the same data, scoring every pass on held-out text; seconds of scoring do not count."""
    from tagloom.learners import LEARNERS as TABLE

    ways = {**options, "threads": 1, "epochs": PASSES}, {**options, "threads": 2, "mix": 2, "epochs": 2 * PASSES}
    rounds = [[_trace(corpus, held_out, way) for way in ways] for _ in range(ROUNDS)]
    serial, mixed = (min(traces, key=lambda trace: trace[-1][0]) for traces in zip(*rounds))
    default = TABLE[options["learner"]].epochs
    targets = {"default": serial[default - 1], "best": max(serial, key=lambda point: point[1])}
    return {
        "passes": default, "mixed_score": max(score for _, score in mixed), "serial": serial, "mixed": mixed,
        **{name: _reach(mixed, *point) for name, point in targets.items()},
    }  # fmt: skip


def _reach(mixed: Sequence[tuple[float, float]], seconds: float, score: float) -> dict[str, Any]:
    """Find when mixing reaches a score that the serial learner has reached after so many seconds."""
    reached = next((time for time, found in mixed if found >= score), None)
    return {"score": score, "serial_seconds": seconds, "mixed_seconds": reached}


def _trace(corpus: Any, held_out: Any, options: dict[str, Any]) -> Trace:
    """Return the seconds of learning and the score after every pass."""
    from tagloom.systems.learning import Learning
    from tagloom.systems.registry import get_system

    row = get_system("tagger")
    training = row.load_training().prepare(corpus, row.load_options().parse(options))
    scorer, found = training.build_scorer(held_out), []

    def observe(done: Any, seconds: float, total: Any) -> None:
        found.append((seconds, scorer(done.weights(), total)))

    Learning(training, None, lambda _: None, time.perf_counter(), observe=observe).run()
    return found
