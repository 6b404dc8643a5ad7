"""`make bench`: tagloom beside python-crfsuite on CoNLL-2000, with one thread; writes docs/results/rivals.*."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench import RESULTS, ROOT, find_conll2000

RIVALS = {"ours": "tagloom", "crfsuite": "python-crfsuite"}
ROUNDS = 5
START = "import sys, tagloom; print(tagloom.load(sys.argv[1]).tag([('He', 'PRP'), ('left', 'VBD')]))"


def run(rival: str, job: str, file: Path, model: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.rivals.measure", rival, job, str(file), str(model)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    result: dict[str, float] = json.loads(done.stdout)
    return result


def measure_start(model: Path) -> float:
    """Return the seconds of a first sentence; byte code is cached, as in an installed package."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", START, str(model)], check=True, capture_output=True, env=environment)
    return time.perf_counter() - started


def measure() -> dict[str, Any]:
    """Return the medians of all rounds. Rounds alternate between the tools, so that a busy machine slows both."""
    data = find_conll2000()
    rows: dict[str, list[dict[str, float]]] = {rival: [] for rival in RIVALS}
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "train.txt"  # both read the same plain text
        plain.write_bytes(subprocess.run(["xz", "-dc", data / "train.txt.xz"], check=True, capture_output=True).stdout)
        for _ in range(ROUNDS):
            for rival in RIVALS:
                model = Path(folder) / f"{rival}.model"
                training = run(rival, "train", plain, model)
                tagging = run(rival, "tag", data / "test.txt", model)
                rows[rival].append({**{f"train_{k}": v for k, v in training.items()}, **tagging})
        start = statistics.median(measure_start(Path(folder) / "ours.model") for _ in range(7))
    medians = {rival: {k: statistics.median(r[k] for r in found) for k in found[0]} for rival, found in rows.items()}
    return {
        "rivals": medians,
        "start_seconds": start,
        "ratios": compute_ratios(medians),
        "machine": platform.processor(),
    }


def compute_ratios(medians: dict[str, dict[str, float]]) -> dict[str, float]:
    ours, theirs = medians["ours"], medians["crfsuite"]
    return {
        "train": theirs["train_seconds"] / ours["train_seconds"],
        "epoch": theirs["train_epoch"] / ours["train_epoch"],
        "tag": ours["tokens_per_second"] / theirs["tokens_per_second"],
        "training_memory": ours["train_peak_megabytes"] / theirs["train_peak_megabytes"],
    }


def build_table(result: dict[str, Any]) -> str:
    ours, theirs, ratio = result["rivals"]["ours"], result["rivals"]["crfsuite"], result["ratios"]
    rows = [
        ("file to saved model, s", "train_seconds", ".2f", f"{ratio['train']:.1f} x faster"),
        ("one epoch, s", "train_epoch", ".3f", f"{ratio['epoch']:.1f} x faster"),
        ("test F1", "f1", ".2f", ""),
        ("tagging token lists, tokens/s", "tokens_per_second", ",.0f", f"{ratio['tag']:.1f} x faster"),
        ("peak memory of training, MB", "train_peak_megabytes", ".0f", f"{ratio['training_memory']:.2f} x"),
        ("model file, bytes", "train_model_bytes", ",.0f", ""),
    ]
    lines = ["| CoNLL-2000, one thread | tagloom | python-crfsuite | |", "|---|---|---|---|"]
    lines += [f"| {name} | {ours[key]:{form}} | {theirs[key]:{form}} | {note} |" for name, key, form, note in rows]
    return "\n".join([*lines, f"| start Python, load, tag one sentence, s | {result['start_seconds']:.3f} | | |"])


def main() -> None:
    result = measure()
    (RESULTS / "rivals.json").write_text(json.dumps(result, indent=2) + "\n")
    head = f"`make bench`, medians of {ROUNDS} rounds; tagloom makes 5 passes, python-crfsuite 10:"
    (RESULTS / "rivals.md").write_text(f"{head}\n\n{build_table(result)}\n")
    print(build_table(result))


if __name__ == "__main__":
    main()
