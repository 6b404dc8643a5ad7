"""From 3 to 200 labels: time per token and pass, and peak memory, of the averaged perceptron and of a CRF.

The labels of generated text are refined: the letter of the chunk label, and a number that follows from the word.

    python -m bench.scale.labels TEXT LEARNER PASSES        one training, in a process of its own
"""

from __future__ import annotations

import itertools
import json
import statistics
import sys
import time
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from bench.scale.fit import fit_exponent
from bench.scale.keeper import Keeper
from bench.scale.process import Record, run_module
from bench.scale.text import hash_text
from bench.usage import read_cpu, read_peak

LABELS = (3, 10, 30, 100, 200)
#: Learner, tokens, and passes or iterations.
TRAININGS = (("averaged-perceptron", 1_000_000, 3), ("lbfgs", 100_000, 3))
_LETTERS = "BIO"


def measure_labels(keeper: Keeper, largest: int) -> list[Record]:
    """Train every learner on every number of labels; texts are no larger than asked for."""
    found = []
    for learner, size, passes in TRAININGS:
        rows = [_measure(keeper, learner, min(size, largest), passes, labels) for labels in LABELS]
        exponent = fit_exponent(LABELS, [row["pass_seconds"] for row in rows])
        found.append({"learner": learner, "rows": rows, "exponent": exponent, "last_exponent": _fit_last(rows)})
    return found


def _fit_last(rows: list[Record]) -> float:
    """Fit the exponent over the last two numbers of labels."""
    return fit_exponent(LABELS[-2:], [row["pass_seconds"] for row in rows[-2:]])


def _measure(keeper: Keeper, learner: str, size: int, passes: int, labels: int) -> Record:
    text, tokens = keeper.make_text(size)
    refined = keeper.folder / f"labels-{size}-{labels}.conll"
    if not refined.exists():
        with text.open(encoding="utf-8") as lines:
            refined.write_text("".join(refine_labels(lines, labels)), "utf-8")
    arguments = [str(refined), learner, str(passes)]
    record = keeper.measure(f"{learner} {size}, {labels} labels", partial(run_module, __name__, arguments))
    return {"labels": labels, "tokens": tokens, **record}


def refine_labels(lines: Iterable[str], count: int) -> Iterator[str]:
    """Replace the labels of chunks by ``count`` labels that follow from them and from the words.

    >>> list(refine_labels(["dog NN B-NP\\n", "\\n"], 3))
    ['dog NN L0\\n', '\\n']
    """
    parts = -(-count // len(_LETTERS))
    for line in lines:
        fields = line.split()
        if fields:
            number = _LETTERS.index(fields[-1][0]) + len(_LETTERS) * (hash_text(fields[0], 1) % parts)
            fields[-1] = f"L{number % count}"
        yield f"{' '.join(fields)}\n"


def train_once(text: str, learner: str, passes: int) -> Record:
    """Train in this process, and return the CPU seconds of a pass, those of all, and the peak memory."""
    import tagloom

    marks: list[float] = []

    def mark(progress: tagloom.Progress) -> None:
        if progress.phase in ("encoded", "epoch"):
            marks.append(time.process_time())

    model = tagloom.train(
        Path(text), columns="form pos chunk", label="chunk", scheme="none", templates="chunking", learner=learner,
        epochs=passes, names=False, on_progress=mark,
    )  # fmt: skip
    seconds = [after - before for before, after in itertools.pairwise(marks)]
    return {
        "label_count": len(model.labels), "pass_seconds": statistics.median(seconds), "cpu_seconds": read_cpu(),
        "megabytes": read_peak(),
    }  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(train_once(sys.argv[1], sys.argv[2], int(sys.argv[3]))), file=sys.stderr)
