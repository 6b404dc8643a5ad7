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
Scores = dict[str, list[tuple[float, float]]]


def f1_of(learner: str, ambiguity: float, seed: int, documents: int = DOCUMENTS) -> float:
    """Test F1 of a learner after the pass that is best on development data."""
    import tagloom

    data = tagloom.datasets.newswire_split(documents, seed, ambiguity=ambiguity)
    model = tagloom.train(data.train, dev=data.dev, learner=learner, **SYSTEMS[learner], **OPTIONS)
    return float(model.evaluate(data.test).value)


def curves() -> Scores:
    """(share of ambiguous names, mean test F1) of every learner."""
    found: Scores = {learner: [] for learner in SYSTEMS}
    for ambiguity in AMBIGUITIES:
        for learner, points in found.items():
            scores = [f1_of(learner, ambiguity, seed) for seed in SEEDS]
            points.append((ambiguity, statistics.mean(scores)))
            print(f"{ambiguity} {learner}: {' '.join(f'{score:.2f}' for score in scores)}", flush=True)
    return found


def same_word(document: Any, labels: Any) -> list[str]:
    """The function of docs/documents.md: labels of two mentions of a word, one after the other."""
    last: dict[str, str] = {}
    found = []
    for word, label in zip(document.words, labels):
        if word in last and label != "O":
            found.append(f"{last[word]}|{label}")
        last[word] = label
    return found


def seconds_a_pass() -> dict[str, float]:
    """The middle one of ten passes, one thread."""
    import tagloom

    train = tagloom.datasets.newswire_split(DOCUMENTS).train
    systems: dict[str, dict[str, Any]] = {
        "margin-perceptron": {"learner": "margin-perceptron", "sequences": "documents"},
        "nonlocal-perceptron": {"learner": "nonlocal-perceptron"},
        "nonlocal-perceptron with a function": {
            "learner": "nonlocal-perceptron",
            "document_functions": {"same_word": same_word},
        },
    }
    found = {}
    for name, options in systems.items():
        ends: list[float] = []

        def note(progress: Any, ends: list[float] = ends) -> None:
            ends.append(time.perf_counter())

        tagloom.train(train, on_progress=note, **{**OPTIONS, "epochs": 10}, **options)
        found[name] = statistics.median(after - before for before, after in itertools.pairwise(ends))
    return found


def table(scores: Scores, seconds: dict[str, float]) -> str:
    heads = ["learner", *(f"{ambiguity:.0%}" for ambiguity in AMBIGUITIES)]
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "---:|" * len(AMBIGUITIES)]
    for learner, points in scores.items():
        lines.append("| " + " | ".join([f"`{learner}`", *(f"{score:.2f}" for _, score in points)]) + " |")
    gains = [nonlocal_ - local for (_, nonlocal_), (_, local) in zip(*map(scores.get, _CONTEST))]  # type: ignore[arg-type]
    lines.append("| " + " | ".join(["gain of non-local features", *(f"{gain:+.2f}" for gain in gains)]) + " |")
    costs = ["| training, one thread | seconds a pass |", "|---|---:|"]
    costs += [f"| {name} | {value:.2f} |" for name, value in seconds.items()]
    seeds = ", ".join(map(str, SEEDS))
    return f"""# Documents made by rule

`make figures`. Test F1 by the share of recurring names that do not show their type: `newswire_split({DOCUMENTS})`, mean
of the data of seeds {seeds}; templates `ner-basic`, defaults, at most {OPTIONS["epochs"]} passes, the pass chosen on
development data.

{chr(10).join(lines)}

![F1 by the share of ambiguous names](documents.svg)

A pass over {DOCUMENTS * 8 // 10} documents (`same_word`: the function of [documents.md](../documents.md)):

{chr(10).join(costs)}
"""


_CONTEST = ("nonlocal-perceptron", "margin-perceptron")


def drawing(scores: Scores) -> bytes:
    from tagloom.report.panels import Panel, draw_panels

    panel = Panel("newswire made by rule", scores)
    return draw_panels([panel], "share of names that do not show their type; y: test F1")


def main() -> None:
    seconds, scores = seconds_a_pass(), curves()
    folder = Path(ROOT) / "docs" / "results"
    (folder / "documents.json").write_text(json.dumps({"f1": scores, "seconds_a_pass": seconds}, indent=2) + "\n")
    (folder / "documents.md").write_text(table(scores, seconds))
    (folder / "documents.svg").write_bytes(drawing(scores))


if __name__ == "__main__":
    main()
