"""Tagging of generated JSONL by 1, 2 and 4 Ray workers, beside ``tagloom tag --threads 2``; the lines must be the same.

    python -m bench.scale.ray_workers [--tokens 10000000] [--workers 1 2 4] [--rounds 3]

Writes docs/results/ray.json, and the page of `make bench-scale` anew. The seconds of Ray include the start of its
processes. All take turns, and the round with the least seconds counts.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench import RESULTS, ROOT
from bench.machine import describe_machine
from bench.scale.page import write_page
from bench.scale.process import Record, run_command, run_module
from bench.scale.text import iterate_copies
from bench.usage import list_descendants, read_cpu, read_cpu_of
from tagloom.datasets import newswire

TOKENS = 10_000_000
BASE_DOCUMENTS = 400  # a hundred thousand tokens
TRAINING = {"label": "chunk", "templates": "chunking", "learner": "averaged-perceptron", "epochs": 1}


def write_records(path: Path, tokens: int) -> int:
    """Write about so many tokens as JSONL, with words and tags; return how many there are."""
    written = 0
    with path.open("w", encoding="utf-8") as file:
        for part in iterate_copies(newswire(BASE_DOCUMENTS, seed=5)):
            if written >= tokens:
                return written
            for number in range(len(part)):
                record = {"tokens": part.sentence(number, "form"), "pos": part.sentence(number, "pos")}
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
            written += part.token_count
    return written


def tag_by_workers(model: str, source: str, folder: str, workers: int) -> Record:
    """Tag on so many workers of this machine, and return what it took; called in a process of its own."""
    import ray

    from tagloom.scale import tag_dataset

    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 - as important as the command beside it
    started = time.perf_counter()
    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    connected = time.perf_counter()
    found = tag_dataset(model, source, folder, part_bytes=1 << 22)
    tagged = time.perf_counter()
    cpu = read_cpu() + sum(map(read_cpu_of, list_descendants(os.getpid())))
    ray.shutdown()
    return {
        "seconds": tagged - started, "start_seconds": connected - started, "cpu_seconds": cpu,
        "tokens": found.tokens, "parts": len(found.files),
    }  # fmt: skip


def are_equal(parts: Sequence[Path], whole: Path) -> bool:
    """Compare the parts, one after the other, with a file."""
    with whole.open("rb") as file:
        return all(part.read_bytes() == file.read(part.stat().st_size) for part in parts) and not file.read(1)


def measure(folder: Path, tokens: int, workers: Sequence[int], rounds: int) -> Record:
    """Measure threads and workers on the same file, in turns."""
    import tagloom

    folder.mkdir(parents=True, exist_ok=True)
    source, model, whole = folder / f"in-{tokens}.jsonl", folder / "model.tagloom", folder / "whole.jsonl"
    size = write_records(source, tokens)
    tagloom.train(newswire(BASE_DOCUMENTS, seed=5), **TRAINING).save(model)
    threads: list[Record] = []
    found: dict[str, list[Record]] = {str(count): [] for count in workers}
    for _ in range(rounds):
        threads.append(run_command(["tag", str(model), str(source), "-o", str(whole), "--threads", "2"]))
        for count, runs in found.items():
            runs.append(_run_workers(folder, model, source, whole, count))
    best = min(threads, key=_get_seconds)
    rows = {count: min(runs, key=_get_seconds) for count, runs in found.items()}
    compared = {
        count: {
            **row,
            "ratio": best["seconds"] / row["seconds"],
            "same_lines": all(run["same_lines"] for run in found[count]),
        }
        for count, row in rows.items()
    }
    return {"tokens": size, "threads": best, "workers": compared}


def _run_workers(folder: Path, model: Path, source: Path, whole: Path, count: str) -> Record:
    with tempfile.TemporaryDirectory(dir=folder) as output:
        parts = Path(output) / "parts"
        record = run_module("bench.scale.ray_workers", ["--one", str(model), str(source), str(parts), count])
        return {**record, "same_lines": are_equal(sorted(parts.glob("part-*")), whole)}


def _get_seconds(record: Record) -> float:
    return float(record["seconds"])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.scale.ray_workers")
    parser.add_argument("--tokens", type=int, default=TOKENS)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "bench-ray", help="texts, models and parts")
    parser.add_argument("--output", type=Path, default=RESULTS, help="folder of ray.json")
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        *paths, count = options.one
        print(json.dumps(tag_by_workers(*paths, int(count))), file=sys.stderr)
        return
    record = {
        "command": "make bench-ray" + (f' RAY="--tokens {options.tokens}"' if options.tokens != TOKENS else ""),
        "machine": describe_machine(),
        **measure(options.folder, options.tokens, options.workers, options.rounds),
    }
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "ray.json").write_text(json.dumps(record, indent=1) + "\n")
    print(json.dumps(record, indent=1))
    whole = options.output / "scale.json"
    if whole.exists():
        (options.output / "scale.md").write_text(write_page(json.loads(whole.read_text()), record))


if __name__ == "__main__":
    main()
