"""Makes conlleval.json beside it: seeded label sequences, many of them ill formed, and what conlleval.pl prints.

Usage: python tests/golden/make_conlleval.py path/to/conlleval.pl

The script comes with the source distribution of seqeval 1.2.2 (tests/conlleval.pl). Only its output is kept here.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

Predictor = Callable[[random.Random, str, list[str]], str]


def noisy(share: float) -> Predictor:
    return lambda rng, label, labels: rng.choice(labels) if rng.random() < share else label


def wrong(rng: random.Random, label: str, labels: list[str]) -> str:
    return label.replace("PER", "LOC")


def outside(rng: random.Random, label: str, labels: list[str]) -> str:
    return "O"


# name: prefixes, types, and what is predicted for a gold label
CASES: dict[str, tuple[str, list[str], Predictor]] = {
    "iob": ("BI", ["PER", "LOC", "ORG"], noisy(1.0)),
    "iob, mostly right": ("BI", ["PER", "LOC", "ORG", "MISC"], noisy(0.2)),
    "one type": ("BI", ["NP"], noisy(0.5)),
    "no type": ("BI", [""], noisy(0.5)),
    "types with hyphens": ("BI", ["a-b", "a-c", "a"], noisy(0.6)),
    "many types": ("BI", [f"T{number}" for number in range(12)], noisy(0.4)),
    "ioe": ("IE", ["PER", "LOC"], noisy(0.5)),
    "brackets": ("[]", ["PER", "LOC"], noisy(0.5)),
    "nothing right": ("BI", ["PER"], wrong),
    "nothing predicted": ("BI", ["PER"], outside),
    "nothing there": ("", [], outside),
}


def report(script: str, gold: list[list[str]], predicted: list[list[str]]) -> str:
    blocks = ("\n".join(f"w {a} {b}" for a, b in zip(*pair)) for pair in zip(gold, predicted))
    text = "\n\n".join(blocks) + "\n"
    return subprocess.run(["perl", script], input=text, capture_output=True, text=True, check=True).stdout


def main(script: str) -> None:
    rng = random.Random(1)
    cases = []
    for name, (prefixes, types, predict) in CASES.items():
        labels = ["O", *(f"{prefix}-{kind}".rstrip("-") for prefix in prefixes for kind in types)]
        gold = [rng.choices(labels, k=rng.randint(1, 12)) for _ in range(30)]
        predicted = [[predict(rng, label, labels) for label in sentence] for sentence in gold]
        columns = {"gold": [" ".join(s) for s in gold], "predicted": [" ".join(s) for s in predicted]}
        cases.append({"name": name, **columns, "report": report(script, gold, predicted).splitlines()})
    text = json.dumps(cases, indent=0)
    Path(__file__).with_name("conlleval.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
