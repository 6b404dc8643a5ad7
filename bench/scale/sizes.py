"""One pass of training, and tagging, from 10^5 to 10^8 generated tokens, on one thread and on two."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial

from bench.scale.fit import fit_exponent
from bench.scale.keeper import Keeper
from bench.scale.process import Record, run_command

SIZES = (100_000, 1_000_000, 10_000_000, 100_000_000)
THREADED = SIZES[:-1]  # sizes with two threads beside one
COLUMNS = ["--columns", "form pos chunk"]
TRAINING = [
    *COLUMNS,
    "--label",
    "chunk",
    "--learner",
    "averaged-perceptron",
    "--templates",
    "chunking",
    "--epochs",
    "1",
]
MEMORY = "2GB"
_ROUNDS = {SIZES[0]: 5, SIZES[1]: 3, SIZES[2]: 2}  # more where a run is short


def measure_sizes(keeper: Keeper, sizes: Sequence[int]) -> list[Record]:
    """Train and tag every size."""
    return [_measure_size(keeper, size) for size in sizes]


def fit_exponents(rows: Sequence[Record]) -> Record:
    """Fit the exponents of CPU seconds over tokens, on one thread."""
    if len(rows) < 2:
        return {}
    tokens = [row["tokens"] for row in rows]
    return {
        what: fit_exponent(tokens, [row[what]["1"]["cpu_seconds"] for row in rows]) for what in ("training", "tagging")
    }


def _measure_size(keeper: Keeper, size: int) -> Record:
    text, tokens = keeper.make_text(size)
    threads = (1, 2) if size in THREADED else (1,)
    found: Record = {"tokens": tokens}
    for what, command in (("training", _train), ("tagging", _tag)):
        runs: dict[int, list[Record]] = {count: [] for count in threads}
        for turn in range(_ROUNDS.get(size, 1)):  # one and two threads take turns
            for count in threads:
                arguments = [*command(keeper, size, str(text)), "--threads", str(count)]
                name = f"{what} {size}, {count} threads, round {turn + 1}"
                runs[count].append(keeper.measure(name, partial(run_command, arguments)))
        found[what] = {str(count): _choose_best(each) for count, each in runs.items()}
    return found


def _train(keeper: Keeper, size: int, text: str) -> list[str]:
    return ["train", text, "-o", str(keeper.folder / f"model-{size}.tagloom"), *TRAINING, "--memory", MEMORY]


def _tag(keeper: Keeper, size: int, text: str) -> list[str]:
    return ["tag", str(keeper.folder / f"model-{SIZES[0]}.tagloom"), text, "-o", os.devnull, *COLUMNS]


def _choose_best(runs: Sequence[Record]) -> Record:
    """Take the least seconds of all rounds, because other work can only add to them, and the most memory."""
    least = {name: min(run[name] for run in runs) for name in ("seconds", "cpu_seconds")}
    return {**runs[0], **least, "megabytes": max(run["megabytes"] for run in runs)}
