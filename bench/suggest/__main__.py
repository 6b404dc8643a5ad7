"""`make bench-suggest`: labelled tokens that are needed for 95 % of the F1 of all data, by strategy.

The training data of CoNLL-2003 (English) and CoNLL-2000 is the pool, and its labels are the answers. Finished runs are
kept in build/bench-suggest, and a run goes on from there. Writes docs/results/suggest.json, suggest.md and suggest.svg.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tagloom
from bench import RESULTS, ROOT
from tagloom.corpus import Corpus
from tagloom.experiments.active.simulate import SENTENCES, TOKENS, Round, Simulation, simulate

CACHE = ROOT / "build" / "bench-suggest"
SEEDS = (1, 2, 3)
PART = 0.95  # of the score with all data
GROWTH = 1.4
BASE: dict[str, Any] = {"learner": "adf"}  # a CRF, so that all strategies can be compared; 3 seconds for all data
#: What a run is called, and the choices of the strategy.
RUNS: dict[str, dict[str, str]] = {
    "random": {"strategy": "random"},
    "least-confident, mean": {"strategy": "least-confident", "combine": "mean"},
    "least-confident, root": {"strategy": "least-confident", "combine": "root"},
    "least-confident, sum": {"strategy": "least-confident", "combine": "sum"},
    "margin, root": {"strategy": "margin", "combine": "root"},
    "margin, sum": {"strategy": "margin", "combine": "sum"},
    "entropy, mean": {"strategy": "entropy", "combine": "mean"},
    "disagreement of 3, mean": {"strategy": "disagreement", "combine": "mean"},
    "divergence of 3, mean": {"strategy": "disagreement", "by": "divergence", "combine": "mean"},
    "diverse, mean": {"strategy": "diverse", "combine": "mean"},
    "diverse, root": {"strategy": "diverse", "combine": "root"},
}
SHOWN = ("random", "least-confident, mean", "margin, root", "disagreement of 3, mean", "diverse, mean")  # as curves


@dataclass(frozen=True)
class Task:
    """A corpus: the pool, what is scored, and the options of training."""

    name: str
    title: str
    pool: Corpus
    test: Mapping[str, Corpus]  # the first is development data, which defaults are chosen on
    options: Mapping[str, Any]
    first: int
    most: int


def find_data() -> Path:
    """Return the folder of the corpora, or end with a line that says how to name it."""
    folder = Path(os.environ.get("TAGLOOM_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / "conll2003-en").is_dir() or not (folder / "conll2000").is_dir():
        sys.exit(f"{folder}: needs conll2003-en and conll2000; set TAGLOOM_DATA to the folder that holds them")
    return folder


def read_entities(data: Path) -> Task:
    """Read CoNLL-2003: the training data, testa and testb."""
    folder = data / "conll2003-en"
    test = {name: tagloom.read(folder / f"eng.{name}") for name in ("testa", "testb")}
    pool = tagloom.read(folder / "eng.train.xz")
    return Task("conll2003", "CoNLL-2003 entities, testa", pool, test, {**BASE, "templates": "ner"}, 2000, 60_000)


def read_chunks(data: Path) -> Task:
    """Read CoNLL-2000: the training data without its last 1,000 sentences, these as dev, and the test data."""
    folder, names = data / "conll2000", "form pos chunk"
    whole = tagloom.read(folder / "train.txt.xz", columns=names)
    cut = len(whole) - 1000
    test = {"dev": whole.slice(cut, len(whole)), "test": tagloom.read(folder / "test.txt", columns=names)}
    options = {**BASE, "templates": "chunking"}
    return Task("conll2000", "CoNLL-2000 chunks, dev", whole.slice(0, cut), test, options, 500, 25_000)


TASKS: Sequence[Callable[[Path], Task]] = (read_entities, read_chunks)


def run_cached(name: str, compute: Callable[[], Any]) -> Any:
    """Return what an earlier run has found, or compute and keep it."""
    path = CACHE / f"{name}.json"
    if not path.exists():
        begun = time.process_time()
        found = compute()
        CACHE.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(found))
        print(f"{name}: {time.process_time() - begun:.1f} s", file=sys.stderr, flush=True)
    return json.loads(path.read_text())


def score_full(task: Task) -> dict[str, float]:
    """Score models of all data: the mean of the seeds."""
    models = [tagloom.train(task.pool, seed=seed, **task.options) for seed in SEEDS]
    return {
        name: statistics.mean(float(model.evaluate(data).value) for model in models) for name, data in task.test.items()
    }


def run_task(task: Task) -> dict[str, Any]:
    """Run all simulations of a corpus."""
    full = run_cached(f"{task.name}-full", lambda: score_full(task))
    runs: dict[str, list[Any]] = {}
    for name, choice in RUNS.items():
        for seed in SEEDS:
            key = f"{task.name}-{name.replace(', ', '-').replace(' ', '-')}-{seed}"
            options = {"first": task.first, "most": task.most, "growth": GROWTH, "seed": seed, **choice, **task.options}
            found = run_cached(key, lambda options=options: simulate(task.pool, task.test, **options).to_dict())  # type: ignore[misc]
            runs.setdefault(name, []).append(found)
    sizes = {"sentences": len(task.pool), "tokens": task.pool.token_count}
    return {"title": task.title, "pool": sizes, "options": dict(task.options), "full": full, "runs": runs}


def restore(found: Mapping[str, Any]) -> Simulation:
    """Build a simulation from the values that were kept."""
    rounds = tuple(Round(**each) for each in found["rounds"])
    return Simulation(found["strategy"], found["seed"], rounds)


def measure(found: Mapping[str, Any], test: str, unit: str) -> dict[str, list[float | None]]:
    """Find what every run needs to reach its part of the score with all data, by seed."""
    goal = PART * found["full"][test]
    return {name: [restore(run).find_size(goal, test, unit) for run in runs] for name, runs in found["runs"].items()}


def write_cells(values: Sequence[float | None], base: float | None = None) -> list[str]:
    """Write the mean of the seeds with the least and the most, and the part of ``base`` that it is."""
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return ["not reached"] + ([""] if base else [])
    mean = statistics.mean(known)
    text = f"{mean:,.0f} ({min(known):,.0f}–{max(known):,.0f})"
    return [text] + ([f"{mean / base:.0%}"] if base else [])


def build_table(found: Mapping[str, Any]) -> str:
    """Return one row per strategy."""
    tests = list(found["full"])
    needs = {test: measure(found, test, TOKENS) for test in tests}
    sentences = measure(found, tests[0], SENTENCES)
    heads = [
        "strategy",
        *(cell for test in tests for cell in (f"tokens, {test}", "of random")),
        f"sentences, {tests[0]}",
    ]
    lines = [f"| {' | '.join(heads)} |", "|---|" + "---:|" * (len(heads) - 1)]
    for name in found["runs"]:
        cells = [cell for test in tests for cell in write_cells(needs[test][name], _mean(needs[test]["random"]))]
        lines.append(f"| {' | '.join([name, *cells, *write_cells(sentences[name])])} |")
    return "\n".join(lines)


def _mean(values: Sequence[float | None]) -> float:
    return statistics.mean(value for value in values if value is not None)


def build_page(found: Mapping[str, Any]) -> str:
    """Return the page as Markdown."""
    parts = []
    for task in found.values():
        full = ", ".join(f"{score:.2f} on {name}" for name, score in task["full"].items())
        sizes = f"{task['pool']['sentences']:,} sentences, {task['pool']['tokens']:,} tokens"
        parts.append(
            f"## {task['title'].partition(',')[0]}\n\nPool: {sizes}. F1 with all data: {full}.\n\n{build_table(task)}"
        )
    tables = "\n\n".join(parts)
    return f"""# Labels by suggestion and by chance

`make bench-suggest`. Labelled tokens that a CRF (`adf`, defaults) needs to reach {PART:.0%} of the F1 that it has with
all labels: the mean of the seeds {", ".join(map(str, SEEDS))}, and the least and the most of them. A simulation begins
with sentences that are drawn by chance, and every round labels {GROWTH - 1:.0%} more tokens. The last column has the
number of sentences. [suggest.json](suggest.json) has all rounds. [active-learning.md](../active-learning.md) says what
the strategies are.

![F1 by the number of labelled tokens](suggest.svg)

{tables}
"""


def draw(found: Mapping[str, Any]) -> bytes:
    """Return the figure."""
    from tagloom.report.active import ActivePanel, draw_active

    panels = []
    for task in found.values():
        runs = {name: [restore(run) for run in task["runs"][name]] for name in SHOWN}
        test = next(iter(task["full"]))
        panels.append(ActivePanel(task["title"], f"F1 on {test}", runs, task["full"][test], PART))
    return draw_active(panels)


def round_scores(found: Any) -> Any:
    """Round all scores to the digits that mean something."""
    if isinstance(found, dict):
        return {name: round_scores(value) for name, value in found.items()}
    if isinstance(found, list):
        return [round_scores(value) for value in found]
    return round(found, 3) if isinstance(found, float) else found


def main() -> None:
    data = find_data()
    found = round_scores({task.name: run_task(task) for task in (read(data) for read in TASKS)})
    (RESULTS / "suggest.json").write_text(json.dumps(found, separators=(",", ":")) + "\n")
    (RESULTS / "suggest.md").write_text(build_page(found))
    (RESULTS / "suggest.svg").write_bytes(draw(found))


if __name__ == "__main__":
    main()
