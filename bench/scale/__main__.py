"""`make bench-scale`: training and tagging of generated text of 10^5 to 10^8 tokens, threads, labels, and other tools.

Writes docs/results/scale.json and scale.md. Finished measurements are kept in build/bench-scale, so that a run that was
stopped goes on. `--only` measures some parts; the others stay as they are in scale.json.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench import RESULTS, ROOT
from bench.machine import describe_machine
from bench.scale.keeper import Keeper
from bench.scale.labels import measure_labels
from bench.scale.mixing import measure_mixing
from bench.scale.page import write_page
from bench.scale.process import ProcessError, Record
from bench.scale.rivals import measure_rivals
from bench.scale.sizes import SIZES, fit_exponents, measure_sizes
from bench.scale.threads import measure_threads

#: The parts by name: each returns what scale.json says of it.
PARTS: dict[str, Callable[[Keeper, int], Any]] = {
    "threads": lambda keeper, _: keeper.measure("threads", lambda: measure_threads(keeper.make_text(SIZES[1])[0])),
    "mixing": lambda keeper, _: keeper.measure("mixing", measure_mixing),
    "labels": measure_labels,
    "sizes": lambda keeper, largest: measure_sizes(keeper, [size for size in SIZES if size <= largest]),
    "rivals": measure_rivals,
}


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.scale")
    parser.add_argument("--largest", type=int, default=SIZES[-1], help="tokens of the largest text")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), help="parts to measure")
    parser.add_argument(
        "--folder", type=Path, default=ROOT / "build" / "bench-scale", help="texts, models, and results"
    )
    parser.add_argument("--output", type=Path, default=RESULTS, help="folder of scale.json and scale.md")
    return parser.parse_args()


def measure(options: argparse.Namespace, known: Record) -> Record:
    """Measure the parts that are asked for; parts that are known stay."""
    keeper, found = Keeper(options.folder), {name: known.get(name, []) for name in PARTS}
    for name in options.only:
        started = time.perf_counter()
        found[name] = PARTS[name](keeper, options.largest)
        print(f"{name}: {time.perf_counter() - started:.0f} s", file=sys.stderr)
    given = f' SCALE="--largest {options.largest}"' if options.largest != SIZES[-1] else ""
    head = {"command": f"make bench-scale{given}", "machine": describe_machine()}
    return {**head, **found, "exponents": fit_exponents(found["sizes"])}


def main() -> None:
    options = parse()
    file, ray = options.output / "scale.json", options.output / "ray.json"
    try:
        record = measure(options, json.loads(file.read_text()) if file.exists() else {})
    except ProcessError as error:
        sys.exit(str(error))
    file.write_text(json.dumps(record, indent=1) + "\n")
    page = write_page(record, json.loads(ray.read_text()) if ray.exists() else None)
    (options.output / "scale.md").write_text(page)
    print(page)


if __name__ == "__main__":
    main()
