"""One pass of a tool over a text, in a process of its own: `python -m bench.scale.rival_tools NAME TEXT TEST MODEL`.

CPU seconds are those from the text to the saved model, of the process and of the commands that it runs. The other tools
take features, which Python writes for them; the seconds of their own code are listed beside. Memory is that of the
command, if there is one, else of the process. Nothing of tagloom is imported for other tools.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.rivals.adapters.adapter import Adapter
from bench.rivals.adapters.crfsuite import Crfsuite
from bench.rivals.adapters.ours import Ours
from bench.rivals.adapters.vowpal_wabbit import VowpalWabbit
from bench.rivals.measure import read_memory
from bench.rivals.tasks import TASKS, Files, read_sentences
from bench.scale.process import Record
from bench.usage import read_cpu

_TASK = "chunking"
#: Our own trainings: in memory, with limited memory, and with about as many weights as Vowpal Wabbit has with 22 bits.
_OWN = {
    "tagloom": {},
    "tagloom, --memory 200MB": {"memory": "200MB"},
    "tagloom, --memory 100MB --buckets 131072": {"memory": "100MB", "buckets": 1 << 17},
}
ADAPTERS: tuple[Adapter, ...] = (
    *(
        Ours(name, (_TASK,), "averaged perceptron", "tagloom", is_ours=True, learner="averaged-perceptron",
             options={"epochs": 1, "names": False, **options})
        for name, options in _OWN.items()
    ),
    Crfsuite("CRFsuite", (_TASK,), "averaged perceptron", "python-crfsuite", algorithm="averaged-perceptron",
             options={"max_iterations": 1}),
    VowpalWabbit("Vowpal Wabbit", (_TASK,), "search, 22 bits", "vowpalwabbit", passes=1),
)  # fmt: skip


def train_once(adapter: Adapter, text: Path, test: Path, model: Path) -> Record:
    """Train in this process; return what it took, and the share of labels that are right on other text."""
    _remove(model)
    task = TASKS[_TASK]
    os.environ.setdefault("TMPDIR", str(model.parent))  # examples of Vowpal Wabbit are some gigabytes
    details = adapter.train(task, Files(text, test, test), model)
    own = details.get("command_seconds", details.get("learning_seconds"))
    found = {"cpu_seconds": read_cpu(), "own_seconds": own, "megabytes": read_memory()}
    gold = read_sentences(test)
    tagged = adapter.open(task, model).tag_all([[row[:-1] for row in sentence] for sentence in gold])
    _remove(model)
    return {**found, "accuracy": _count_right(gold, tagged)}


def _count_right(gold: Sequence[Any], tagged: Sequence[Sequence[str]]) -> float:
    """Return the percentage of labels that are right."""
    pairs = [(row[-1], label) for rows, labels in zip(gold, tagged, strict=True) for row, label in zip(rows, labels)]
    return 100 * sum(right == label for right, label in pairs) / len(pairs)


def _remove(model: Path) -> None:
    if model.is_dir():
        shutil.rmtree(model)
    model.unlink(missing_ok=True)


def main(name: str, text: str, test: str, model: str) -> None:
    adapter = next(each for each in ADAPTERS if each.name == name)
    print(json.dumps(train_once(adapter, Path(text), Path(test), Path(model))), file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
