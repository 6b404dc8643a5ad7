"""One measurement in this process: `python -m bench.rivals.measure RIVAL train|tag FILE MODEL`; prints JSON."""

from __future__ import annotations

import importlib
import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

REPEATS = 5


def measure_train(rival: Any, train_file: Path, model_file: Path) -> dict[str, float]:
    """Measure from the file to the saved model."""
    started = time.perf_counter()
    details: dict[str, float] = rival.train(train_file, model_file)
    seconds = time.perf_counter() - started
    return {"seconds": seconds, **details, "model_bytes": model_file.stat().st_size}


def measure_tag(rival: Any, test_file: Path, model_file: Path) -> dict[str, float]:
    """Measure the tagging of token lists, and its F1."""
    import numpy as np

    from bench.rivals.chunking import read_sentences
    from tagloom.corpus import Column
    from tagloom.evaluate import score

    gold = list(read_sentences(test_file))
    sentences = [[(form, pos) for form, pos, _ in sentence] for sentence in gold]
    tokens = sum(map(len, sentences))
    tagger = rival.Tagger(model_file)
    labels = tagger.tag(sentences)
    times = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        tagger.tag(sentences)
        times.append(time.perf_counter() - started)
    offsets = np.cumsum([0, *map(len, sentences)])
    truth = Column.from_strings(chunk for sentence in gold for _, _, chunk in sentence)
    guess = Column.from_strings(label for sentence in labels for label in sentence)
    return {"tokens_per_second": tokens / min(times), "f1": score(truth, guess, offsets).overall.f1}


def main(rival_name: str, job: str, file: str, model_file: str) -> None:
    rival = importlib.import_module(f"bench.rivals.{rival_name}")
    result = {"train": measure_train, "tag": measure_tag}[job](rival, Path(file), Path(model_file))
    result["peak_megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
