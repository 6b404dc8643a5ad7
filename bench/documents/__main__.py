"""`make figures`: by how much non-local features win on documents made by rule, and what a function of the user's
costs; writes docs/results/documents.*

Names recur in the generator's documents. The more of them do not show their type, the more there is to learn from
where else in the document they stand.
"""

from __future__ import annotations

import itertools
import json
import statistics
import time
from pathlib import Path
from typing import Any

from bench.rivals.__main__ import ROOT

DOCUMENTS, SEEDS = 400, (1, 2, 3)
AMBIGUITIES = (0.0, 0.25, 0.5, 0.75, 1.0)
OPTIONS: dict[str, Any] = {"label": "ner", "templates": "ner-basic", "epochs": 30}
SYSTEMS: dict[str, dict[str, Any]] = {
    "margin-perceptron": {"sequences": "documents"},
    "candidate-perceptron": {},
    "nonlocal-perceptron": {},
    "reranking-2": {},
}
AVERAGINGS = {"lazy": "averaged weights (default)", "none": "last weights (averaging=none, as in the paper)"}
#: averaging -> learner -> a row an ambiguity: test F1 by seed of the data
Scores = dict[str, dict[str, list[list[float]]]]


def f1_of(learner: str, averaging: str, ambiguity: float, seed: int) -> float:
    """Test F1 of a learner after the pass that is best on development data."""
    import tagloom

    data = tagloom.datasets.newswire_split(DOCUMENTS, seed, ambiguity=ambiguity)
    options = {**OPTIONS, **SYSTEMS[learner], "averaging": averaging}
    model = tagloom.train(data.train, dev=data.dev, learner=learner, **options)
    return round(model.evaluate(data.test).value, 2)


def scores_by_ambiguity(averaging: str) -> dict[str, list[list[float]]]:
    found: dict[str, list[list[float]]] = {learner: [] for learner in SYSTEMS}
    for ambiguity, learner in itertools.product(AMBIGUITIES, SYSTEMS):
        scores = [f1_of(learner, averaging, ambiguity, seed) for seed in SEEDS]
        found[learner].append(scores)
        print(f"{ambiguity} {learner}: {' '.join(f'{score:.2f}' for score in scores)}", flush=True)
    return found


def same_word(document: Any, labels: Any) -> list[str]:
    """The function of docs/documents.md: labels of two mentions of a word, one after the other."""
    last: dict[str, str] = {}
    found = []
    for word, label in zip(document.words, labels, strict=True):
        if word in last and label != "O":
            found.append(f"{last[word]}|{label}")
        last[word] = label
    return found


def seconds_a_pass() -> dict[str, float]:
    """Of the processor, which others that run beside do not lengthen much; the middle one of ten passes, one thread."""
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


def row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def score_table(found: dict[str, list[list[float]]]) -> str:
    """Means over the seeds; below, what non-local features add to local ones."""
    means = {learner: list(map(statistics.mean, rows)) for learner, rows in found.items()}
    gains = [a - b for a, b in zip(means["nonlocal-perceptron"], means["margin-perceptron"], strict=True)]
    lines = [row(["learner", *(f"{ambiguity:.0%}" for ambiguity in AMBIGUITIES)]), "|---|" + "---:|" * len(AMBIGUITIES)]
    lines += [row([f"`{learner}`", *(f"{mean:.2f}" for mean in row_)]) for learner, row_ in means.items()]
    lines.append(row(["`nonlocal-perceptron` − `margin-perceptron`", *(f"{gain:+.2f}" for gain in gains)]))
    return "\n".join(lines)


def page(scores: Scores, seconds: dict[str, float]) -> str:
    tables = "\n\n".join(f"{AVERAGINGS[name]}:\n\n{score_table(found)}" for name, found in scores.items())
    costs = "\n".join(["| training, one thread | processor seconds a pass |", "|---|---:|"])
    costs += "".join("\n" + row([name, f"{value:.2f}"]) for name, value in seconds.items())
    return f"""# Documents made by rule

`make figures`. Test F1 by the share of recurring names that do not show their type: `newswire_split({DOCUMENTS})`, mean
of data of the seeds {", ".join(map(str, SEEDS))} (each in documents.json); templates `ner-basic`, defaults, at most
{OPTIONS["epochs"]} passes, the pass chosen on development data.

![F1 by the share of ambiguous names](documents.svg)

{tables}

A pass over {DOCUMENTS * 8 // 10} documents (`same_word`: the function of [documents.md](../documents.md)):

{costs}
"""


def drawing(scores: Scores) -> bytes:
    from tagloom.report import Panel, draw_panels

    panels = [
        Panel(AVERAGINGS[name], {learner: _curve(rows) for learner, rows in found.items()})
        for name, found in scores.items()
    ]
    return draw_panels(panels, "share of ambiguous names (test F1)")


def _curve(rows: list[list[float]]) -> list[tuple[float, float]]:
    return [(ambiguity, statistics.mean(row_)) for ambiguity, row_ in zip(AMBIGUITIES, rows, strict=True)]


def main() -> None:
    seconds = seconds_a_pass()
    scores = {averaging: scores_by_ambiguity(averaging) for averaging in AVERAGINGS}
    write(scores, seconds)


def write(scores: Scores, seconds: dict[str, float]) -> None:
    folder = Path(ROOT) / "docs" / "results"
    found = {"ambiguities": AMBIGUITIES, "f1": scores, "seconds_a_pass": seconds}
    (folder / "documents.json").write_text(json.dumps(found, indent=1) + "\n")
    (folder / "documents.md").write_text(page(scores, seconds))
    (folder / "documents.svg").write_bytes(drawing(scores))


if __name__ == "__main__":
    main()
