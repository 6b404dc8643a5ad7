"""`make bench-scale`: training and tagging of generated text from 10^5 to 10^8 tokens, threads, and parameter mixing.

Writes docs/results/scale.json and scale.md. Finished measurements are kept in build/bench-scale, so that a run that was
stopped goes on.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench import RESULTS, ROOT
from bench.machine import describe_machine
from bench.parts import checksum_sources
from bench.scale.mixing import measure_mixing
from bench.scale.process import Record, run_command
from bench.scale.text import write_corpus
from bench.scale.threads import measure_threads

SIZES = (100_000, 1_000_000, 10_000_000, 100_000_000)
TRAINING = ["--columns", "form pos chunk", "--label", "chunk", "--learner", "averaged-perceptron", "--templates",
            "chunking", "--epochs", "1"]  # fmt: skip
MEMORY = "2GB"


class Keeper:
    """Keeps finished measurements in a file."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.path = folder, folder / f"{checksum_sources()}.json"
        self.records: dict[str, Any] = json.loads(self.path.read_text()) if self.path.exists() else {}

    def measure(self, name: str, measure: Callable[[], Any]) -> Any:
        """Return a measurement, done before or now."""
        if name not in self.records:
            print(name, file=sys.stderr)
            self.records[name] = measure()
            self.path.write_text(json.dumps(self.records, indent=1) + "\n")
        return self.records[name]


def make_text(folder: Path, tokens: int) -> tuple[Path, int]:
    """Write generated text unless it is there; return the file and its tokens."""
    path, size = folder / f"text-{tokens}.conll", folder / f"text-{tokens}.count"
    if not size.exists():
        print(f"generate {tokens:,} tokens", file=sys.stderr)
        size.write_text(str(write_corpus(path, tokens)))
    return path, int(size.read_text())


def measure_sizes(keeper: Keeper, sizes: Sequence[int]) -> list[Record]:
    """Train one pass and tag, at every size."""
    found = []
    for size in sizes:
        text, tokens = make_text(keeper.folder, size)
        model = keeper.folder / f"model-{size}.tagloom"
        train = ["train", str(text), "-o", str(model), *TRAINING, "--memory", MEMORY]
        training = keeper.measure(f"train {size}", lambda train=train: run_command(train))
        tag = ["tag", str(keeper.folder / f"model-{sizes[0]}.tagloom"), str(text), "-o", os.devnull, *TRAINING[:2]]
        tagging = keeper.measure(f"tag {size}", lambda tag=tag: run_command(tag))
        found.append({"tokens": tokens, "training": training, "tagging": tagging})
    return found


def fit_exponent(rows: Sequence[Record], what: str) -> float:
    """Fit CPU seconds ~ tokens^e by least squares on logarithms."""
    xs = [math.log(row["tokens"]) for row in rows]
    ys = [math.log(row[what]["cpu_seconds"]) for row in rows]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys)) / sum((x - mean_x) ** 2 for x in xs)


def write_page(record: Record) -> str:
    """Write the tables."""
    lines = ["# Scale", "", f"`{record['command']}` on {record['machine']['processor']}, {record['machine']['cores']} "
             f"cores, {record['machine']['memory_gigabytes']} GB. CPU seconds include reading and writing.", "",
             f"## One pass of the averaged perceptron (templates `chunking`, `--memory {MEMORY}`), and tagging", "",
             "| tokens | training, CPU s | µs per token | peak MB | tagging, CPU s | tokens/s | peak MB |",
             "|---:|---:|---:|---:|---:|---:|---:|"]  # fmt: skip
    for row in record["sizes"]:
        train, tag, tokens = row["training"], row["tagging"], row["tokens"]
        lines.append(
            f"| {tokens:,} | {train['cpu_seconds']:.1f} | {train['cpu_seconds'] / tokens * 1e6:.2f} | "
            f"{train['megabytes']:,.0f} | {tag['cpu_seconds']:.1f} | {tokens / tag['cpu_seconds']:,.0f} | "
            f"{tag['megabytes']:,.0f} |"
        )
    if len(record["sizes"]) > 1:
        lines += ["", f"Exponent of CPU seconds over tokens: training {record['exponents']['training']:.3f}, tagging "
                  f"{record['exponents']['tagging']:.3f}."]  # fmt: skip
    lines += ["", "## Two threads against one", "", "| work | one thread, s | two threads, s | ratio |",
              "|---|---:|---:|---:|"]  # fmt: skip
    for row in record["threads"]:
        lines.append(f"| {row['work']} | {row['one']:.2f} | {row['two']:.2f} | {row['one'] / row['two']:.2f} |")
    if record["mixing"]:
        lines += ["", "## Parameter mixing (`mix=2`, two threads) against the serial learner", "",
                  "| corpus | learner | F1 of the serial learner | reached by it, s | F1 with mixing | reaches the "
                  "serial F1 in, s | ratio |", "|---|---|---:|---:|---:|---:|---:|"]  # fmt: skip
        for row in record["mixing"]:
            reached = (
                f"{row['reached']:.2f} | {row['serial_seconds'] / row['reached']:.2f}" if row["reached"] else "- | -"
            )
            lines.append(
                f"| {row['corpus']} | {row['learner']} | {row['serial_score']:.2f} | {row['serial_seconds']:.2f} | "
                f"{row['mixed_score']:.2f} | {reached} |"
            )
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.scale")
    parser.add_argument("--largest", type=int, default=SIZES[-1], help="tokens of the largest text")
    parser.add_argument(
        "--folder", type=Path, default=ROOT / "build" / "bench-scale", help="texts, models, and results"
    )
    parser.add_argument("--output", type=Path, default=RESULTS, help="folder of scale.json and scale.md")
    options = parser.parse_args()
    keeper = Keeper(options.folder)
    sizes = measure_sizes(keeper, [size for size in SIZES if size <= options.largest])
    command = "make bench-scale" + (f' SCALE="--largest {options.largest}"' if options.largest != SIZES[-1] else "")
    record = {
        "command": command,
        "machine": describe_machine(),
        "sizes": sizes,
        "exponents": {what: fit_exponent(sizes, what) for what in ("training", "tagging")} if len(sizes) > 1 else {},
        "threads": keeper.measure("threads", lambda: measure_threads(make_text(options.folder, SIZES[1])[0])),
        "mixing": keeper.measure("mixing", measure_mixing),
    }
    (options.output / "scale.json").write_text(json.dumps(record, indent=1) + "\n")
    (options.output / "scale.md").write_text(write_page(record))
    print(write_page(record))


if __name__ == "__main__":
    main()
