"""`make figures`: what non-local features gain on generated documents, and what a user's function costs.

It writes docs/results/documents.*. Names recur in the generated documents. The fewer of them show their type, the more
a learner gains from their other mentions in the document.
"""

from __future__ import annotations

import itertools
import json
import statistics
import time
from typing import Any

from bench import RESULTS

DOCUMENTS, SEEDS = 400, (1, 2, 3)
AMBIGUITIES = (0.0, 0.25, 0.5, 0.75, 1.0)
OPTIONS: dict[str, Any] = {"label": "ner", "templates": "ner-basic", "scheme": "data", "epochs": 30}
SYSTEMS: dict[str, dict[str, Any]] = {
    "margin-perceptron": {"sequences": "documents"},
    "candidate-perceptron": {},
    "nonlocal-perceptron": {},
    "reranking-2": {},
}
AVERAGINGS = {"lazy": "averaged weights (default)", "none": "last weights (averaging=none, as in the paper)"}
#: averaging -> learner -> one row per ambiguity: test F1 by seed of the data
Scores = dict[str, dict[str, list[list[float]]]]


def measure_f1(learner: str, averaging: str, ambiguity: float, seed: int) -> float:
    """Return the test F1 of a learner after the pass that is best on development data."""
    import tagloom

    data = tagloom.datasets.newswire_split(DOCUMENTS, seed, ambiguity=ambiguity)
    options = {**OPTIONS, **SYSTEMS[learner], "averaging": averaging}
    model = tagloom.train(data.train, dev=data.dev, learner=learner, **options)
    return round(model.evaluate(data.test).value, 2)


def measure_scores(averaging: str) -> dict[str, list[list[float]]]:
    """Return the scores of all learners by ambiguity."""
    found: dict[str, list[list[float]]] = {learner: [] for learner in SYSTEMS}
    for ambiguity, learner in itertools.product(AMBIGUITIES, SYSTEMS):
        scores = [measure_f1(learner, averaging, ambiguity, seed) for seed in SEEDS]
        found[learner].append(scores)
        print(f"{ambiguity} {learner}: {' '.join(f'{score:.2f}' for score in scores)}", flush=True)
    return found


def same_word(document: Any, labels: Any) -> list[str]:
    """Return the labels of successive mentions of a word: the function of docs/documents.md."""
    last: dict[str, str] = {}
    found = []
    for word, label in zip(document.words, labels, strict=True):
        if word in last and label != "O":
            found.append(f"{last[word]}|{label}")
        last[word] = label
    return found


def measure_seconds() -> dict[str, float]:
    """Return the processor seconds of one pass, which other processes hardly change: the median of ten, one thread."""
    import tagloom

    train = tagloom.datasets.newswire_split(DOCUMENTS).train
    systems: dict[str, dict[str, Any]] = {
        "`margin-perceptron`": {"learner": "margin-perceptron", "sequences": "documents"},
        "`nonlocal-perceptron`": {"learner": "nonlocal-perceptron"},
        "`nonlocal-perceptron` with `same_word` too": {
            "learner": "nonlocal-perceptron",
            "document_functions": {"same_word": same_word},
        },
    }
    found = {}
    for name, options in systems.items():
        ends: list[float] = []
        tagloom.train(
            train,
            on_progress=lambda _, ends=ends: ends.append(time.thread_time()),  # type: ignore[misc]
            **{**OPTIONS, "epochs": 10, **options},
        )
        found[name] = round(statistics.median(after - before for before, after in itertools.pairwise(ends)), 2)
    return found


def format_row(cells: list[str]) -> str:
    """Return a row of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def build_table(found: dict[str, list[list[float]]]) -> str:
    """Return the means over the seeds, and below them what non-local features add to local ones."""
    means = {learner: list(map(statistics.mean, rows)) for learner, rows in found.items()}
    gains = [a - b for a, b in zip(means["nonlocal-perceptron"], means["margin-perceptron"], strict=True)]
    lines = [
        format_row(["learner", *(f"{ambiguity:.0%}" for ambiguity in AMBIGUITIES)]),
        "|---|" + "---:|" * len(AMBIGUITIES),
    ]
    lines += [format_row([f"`{learner}`", *(f"{mean:.2f}" for mean in row_)]) for learner, row_ in means.items()]
    lines.append(format_row(["`nonlocal-perceptron` − `margin-perceptron`", *(f"{gain:+.2f}" for gain in gains)]))
    return "\n".join(lines)


def build_page(scores: Scores, seconds: dict[str, float]) -> str:
    """Return the page as Markdown."""
    tables = "\n\n".join(f"{AVERAGINGS[name]}:\n\n{build_table(found)}" for name, found in scores.items())
    costs = "\n".join(["| training, one thread | processor seconds per pass |", "|---|---:|"])
    costs += "".join("\n" + format_row([name, f"{value:.2f}"]) for name, value in seconds.items())
    return f"""# Generated documents

`make figures`. Test F1 by the share of recurring names that do not show their type: `newswire_split({DOCUMENTS})`, mean
of the seeds {", ".join(map(str, SEEDS))} (documents.json has each); templates `ner-basic`, defaults, at most
{OPTIONS["epochs"]} passes, the pass chosen on development data.

![F1 by the share of ambiguous names](documents.svg)

{tables}

A pass over {DOCUMENTS * 8 // 10} documents (`same_word`: the function of [documents.md](../documents.md)):

{costs}
"""


def draw(scores: Scores) -> bytes:
    """Return the figure."""
    from tagloom.report import Panel, draw_panels

    panels = [
        Panel(AVERAGINGS[name], {learner: _average(rows) for learner, rows in found.items()}, "test F1 (%)")
        for name, found in scores.items()
    ]
    return draw_panels(panels, "share of ambiguous names")


def _average(rows: list[list[float]]) -> list[tuple[float, float]]:
    return [(ambiguity, statistics.mean(row_)) for ambiguity, row_ in zip(AMBIGUITIES, rows, strict=True)]


def main() -> None:
    seconds = measure_seconds()
    scores = {averaging: measure_scores(averaging) for averaging in AVERAGINGS}
    write(scores, seconds)


def write(scores: Scores, seconds: dict[str, float]) -> None:
    """Write the files."""
    found = {"ambiguities": AMBIGUITIES, "f1": scores, "seconds_per_pass": seconds}
    (RESULTS / "documents.json").write_text(json.dumps(found, indent=1) + "\n")
    (RESULTS / "documents.md").write_text(build_page(scores, seconds))
    (RESULTS / "documents.svg").write_bytes(draw(scores))


if __name__ == "__main__":
    main()
