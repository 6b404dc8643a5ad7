"""One measurement in this process; what it found goes into the usage file.

    python -m bench.rivals.measure USAGE train MODULE ADAPTER TASK ROUND TRAIN DEV TEST MODEL
    python -m bench.rivals.measure USAGE tag MODULE ADAPTER TASK ROUND MODEL TEST LABELS
    python -m bench.rivals.measure USAGE start MODULE ADAPTER TASK ROUND MODEL TEST STARTS
    python -m bench.rivals.measure USAGE trace MODULE ADAPTER TASK ROUND TRAIN DEV TEST PASSES MODEL

CPU seconds are user and system time of this process and of the commands that it ran, so that a machine that does other
things, too, does not change them much. Nothing that is not needed is imported: memory and start count.
"""

from __future__ import annotations

import gc
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.rivals.adapters import load_adapter
from bench.rivals.adapters.adapter import Adapter, CommandTagger, Tagger, command_peaks
from bench.rivals.tasks import TASKS, Files, Row, Task, read_sentences
from bench.usage import read_cpu, read_peak, write_usage

LEAST_SECONDS = 2.0  # of repeated tagging
MOST_REPEATS = 20
SINGLE = 1000  # sentences that are tagged one by one
STARTS = 5


def measure_train(adapter: Adapter, task: Task, train: str, dev: str, test: str, model: str) -> Any:
    """Measure from the file to the saved model; imports count as well."""
    files = Files(Path(train), Path(dev), Path(test))
    details = adapter.train(task, files, Path(model))
    return {"train_cpu": read_cpu(), "train_megabytes": read_memory(), "model_bytes": measure_size(Path(model)),
            **details}  # fmt: skip


def measure_trace(adapter: Any, task: Task, train: str, dev: str, test: str, passes: str, model: str) -> Any:
    """Measure CPU seconds and test scores after every pass of tagloom."""
    found: dict[str, Any] = adapter.trace(task, Files(Path(train), Path(dev), Path(test)), int(passes), Path(model))
    return found


def measure_tag(adapter: Adapter, task: Task, model: str, test: str, target: str) -> Any:
    """Measure tagging with and without feature extraction, one sentence at a time, and memory."""
    sentences = read_test(task, test)
    tokens = sum(map(len, sentences))
    before = read_cpu()
    tagger = adapter.open(task, Path(model))
    labels = tagger.tag_all(sentences)
    found: dict[str, Any] = {"tokens": tokens, "tag_megabytes": read_memory()}
    if isinstance(tagger, CommandTagger):  # opening the model is part of every call
        found["tokens_per_second"] = tokens / (read_cpu() - before)
    else:
        found["tokens_per_second"] = tokens / repeat(lambda: tagger.tag_all(sentences))
        found["latency_microseconds"] = 1e6 * measure_latency(tagger, sentences[:SINGLE])
    if tagger.splits:
        features = tagger.extract_all(sentences)
        found["extracted_tokens_per_second"] = tokens / repeat(lambda: tagger.tag_extracted(features))
    write_labels(Path(target), labels)
    return found


def measure_start(adapter: Adapter, task: Task, model: str, test: str, target: str) -> Any:
    """Measure CPU and real seconds from the start of a process to its first tagged sentence; median of some starts."""
    names = "-", "once", adapter.module, adapter.name, task.name, "-"
    command = [sys.executable, "-m", __spec__.name, *names, model, test]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    starts: list[tuple[float, float]] = []
    for _ in range(STARTS + 1):
        started = time.time()
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
        cpu, ended = json.loads(done.stdout.splitlines()[-1])
        starts.append((cpu, ended - started))
    Path(target).write_text(json.dumps(starts), "utf-8")
    cpus, walls = zip(*starts[1:])  # the first one fills caches
    return {"start_cpu": statistics.median(cpus), "start_seconds": statistics.median(walls)}


def start_once(adapter: Adapter, task: Task, model: str, test: str) -> None:
    """Tag one sentence and print the CPU seconds of the process and the time."""
    sentence = [task.hide_label(row) for row in read_sentences(Path(test), 1)[0]]
    adapter.open(task, Path(model)).tag(sentence)
    print(json.dumps([read_cpu(), time.time()]))


def measure_latency(tagger: Tagger, sentences: list[list[Row]]) -> float:
    """Return the median seconds of one sentence."""
    seconds = []
    for sentence in sentences:
        started = time.perf_counter()
        tagger.tag(sentence)
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds)


def repeat(function: Callable[[], object]) -> float:
    """Return the median CPU seconds of a call."""
    times: list[float] = []
    gc.collect()
    while len(times) < 3 or (sum(times) < LEAST_SECONDS and len(times) < MOST_REPEATS):
        started = read_cpu()
        function()
        times.append(read_cpu() - started)
        if sum(times) > 10 * LEAST_SECONDS:
            break
    return statistics.median(times)


def read_test(task: Task, test: str) -> list[list[Row]]:
    return [[task.hide_label(row) for row in sentence] for sentence in read_sentences(Path(test))]


def read_memory() -> float:
    """Return the peak megabytes of the commands that ran, or of this process if it does the work itself."""
    return max(command_peaks) if command_peaks else read_peak()


def measure_size(path: Path) -> int:
    """Return the bytes of a file, or of all files of a folder."""
    return sum(each.stat().st_size for each in (path.rglob("*") if path.is_dir() else [path]) if each.is_file())


def write_labels(path: Path, labels: list[list[str]]) -> None:
    path.write_text("".join("\n".join(sentence) + "\n\n" for sentence in labels), "utf-8")


JOBS = {"train": measure_train, "tag": measure_tag, "start": measure_start, "trace": measure_trace}


def main(usage_file: str, job: str, module: str, name: str, task: str, _round: str, *arguments: str) -> None:
    started = time.time()
    adapter = load_adapter(module, name)
    if job == "once":
        start_once(adapter, TASKS[task], *arguments)
        return
    found = JOBS[job](adapter, TASKS[task], *arguments)  # type: ignore[operator]
    write_usage(usage_file, started, version=adapter.version, **found)


if __name__ == "__main__":
    main(*sys.argv[1:])
