"""Faults of the disk: every call that changes a file fails once, with every error that a disk can have.

Whichever call fails: the command ends with one line, or does without the call; every output is the old file or the new
one; no temporary file is left; and the same command, with a sound disk, succeeds afterwards.
"""

from __future__ import annotations

import errno
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import tagloom
from tagloom.errors import TagloomError
from tests.faults.commands import TRAININGS, Outcome, fill_in, run
from tests.faults.shim import Mode, Shim

ERRORS = (errno.ENOSPC, errno.EIO, errno.EROFS, errno.EACCES)
_OLD = b"an older file of this name"
_NER = ["--columns", "form pos ner"]

#: Fewer passes: the files of a pass are written as those of every other one.
_FEWER = {"pipeline": [], "rerank": []}
#: Commands that write, by what they write; outputs are found by running them once.
COMMANDS: dict[str, list[str]] = {
    **{f"training of {name}": [*command, *_FEWER.get(name, ["--epochs", "2"])] for name, command in TRAININGS.items()},
    "annotated corpus": ["tag", "DATA/tagger", "DATA/dev.txt", *_NER, "-o", "OUT/tagged.txt"],
    "compressed corpus": ["convert", "DATA/dev.txt", "OUT/corpus.jsonl.gz", *_NER],
    "corpus in xz": ["convert", "DATA/dev.txt", "OUT/corpus.txt.xz", *_NER],
    "clusters of words": ["clusters", "DATA/text.txt", "-c", "3", "-o", "OUT/clusters.txt"],
    "page": ["tag", "DATA/words", "DATA/text.txt", "--to", "html", "-o", "OUT/page.html"],
    "standoff annotation": ["tag", "DATA/words", "DATA/text.txt", "--to", "brat", "--format", "text", "-o",
                            "OUT/text.ann"],
    "drawing": ["draw", "DATA/trees.conllu", "--sentence", "1", "--svg", "OUT/tree.svg"],
    "jackknifed corpus": ["jackknife", "DATA/train.txt", "-o", "OUT/tagged.txt", *_NER, "--folds", "2",
                          "--cache", "OUT/folds", "--epochs", "1"],
    "report of a model": ["report", "DATA/tagger", "DATA/dev.txt", *_NER, "-o", "OUT/report.html", "--bootstrap", "20"],
    "report": ["compare", "DATA/train.txt", "--test", "DATA/dev.txt", *_NER, "-o", "OUT/report", "--epochs", "1",
               "--learners", "perceptron"],
    "trials": ["tune", "DATA/train.txt", "--dev", "DATA/dev.txt", *_NER, "--learner", "pa", "--epochs", "2",
               "--grid", "C=0.1,1", "--jobs", "1", "-o", "OUT/trials", "--save", "OUT/best"],
    "model of CRF++": ["crfpp-learn", "DATA/patterns", "DATA/train.txt", "OUT/model", "-m", "3"],
    "commands of CRF++": ["crfpp-learn", "--install-aliases", "OUT"],
    "model folder": ["card", "DATA/words", "-o", "OUT/card"],
}  # fmt: skip


def _run_function(act: Callable[[Path, Path], Any], data: Path, out: Path) -> Outcome:
    """Run a function as a command is run."""
    try:
        act(data, out)
    except TagloomError as error:
        return Outcome(2, (f"tagloom: error: {error}",))
    except OSError as error:
        return Outcome(1, (f"raw {error!r}",))
    return Outcome(0, ())


def _save(data: Path, out: Path) -> None:
    tagloom.load(data / "tagger").save(out / "model")


def _write_corpus(data: Path, out: Path) -> None:
    tagloom.write(tagloom.read(data / "dev.txt", columns="form pos ner"), out / "corpus.jsonl")


def _store_fold(_: Path, out: Path) -> None:
    from tagloom.files.cache import FoldFiles

    FoldFiles.open(out / "folds").store({"name": "fold"}, {"numbers": np.arange(1000)})


def _store_row(_: Path, out: Path) -> None:
    from tagloom.recipes.recipe import Finished, Point, Row
    from tagloom.recipes.run import RowCache

    row = Row("table", "corpus", "system", "F1", 90.0, 91.0, 1.0, "signature")
    RowCache(out / "rows").store(Finished(row, (Point(1, 2.0, 91.0),)))


def _dump_weights(data: Path, out: Path) -> None:
    from tagloom.compat.crfsuite import Tagger

    tagger = Tagger()
    tagger.open(str(data / "items"))
    try:
        tagger.dump(out / "weights.txt")
    except OSError as error:  # what users of python-crfsuite expect
        raise TagloomError(str(error)) from None


def _save_spacy(data: Path, out: Path) -> None:
    import spacy

    pipe: Any = spacy.blank("en")
    pipe.add_pipe("tagloom_ner", config={"path": str(data / "words")}).to_disk(out / "component")


FUNCTIONS: Mapping[str, Callable[[Path, Path], Any]] = {
    "model.save": _save,
    "tagloom.write": _write_corpus,
    "fold of a cache": _store_fold,
    "row of a paper": _store_row,
    "weights in the format of CRFsuite": _dump_weights,
    "component of spaCy": _save_spacy,
}


def _list_operations() -> dict[str, Callable[[Path, Path], Outcome]]:
    def command(arguments: Sequence[str]) -> Callable[[Path, Path], Outcome]:
        return lambda data, out: run(fill_in(arguments, data, out))

    def function(act: Callable[[Path, Path], Any]) -> Callable[[Path, Path], Outcome]:
        return lambda data, out: _run_function(act, data, out)

    made = {name: command(arguments) for name, arguments in COMMANDS.items()}
    return made | {name: function(act) for name, act in FUNCTIONS.items()}


OPERATIONS = _list_operations()


@dataclass
class Sweep:
    """All faults of one operation."""

    name: str
    data: Path
    out: Path
    shim: Shim
    failures: list[str] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)  # by what came of them
    expected: dict[str, bytes] = field(default_factory=dict)  # outputs of an undisturbed run, by path
    calls: int = 0

    def run(self, every: int = 1) -> None:
        """Let every call fail; ``every`` leaves out all but each so-manieth one."""
        outcome = self._begin(Mode.COUNT, 0, 0)
        if outcome.code != 0:
            self.failures.append(f"{self.name}: does not succeed without faults: {outcome}")
            return
        self.expected = self._read_outputs()
        self._begin(Mode.COUNT, 0, 0)  # once more, because there are older files now
        for chosen in range(1, self.calls + 1, every):
            for error in ERRORS:
                self._check(chosen, error, Mode.FAIL_ONCE)
            self._check(chosen, errno.ENOSPC, Mode.FAIL_FROM)
            self._check_again(f"{self.name}: after a full disk from call {chosen} on")

    def _begin(self, mode: Mode, chosen: int, error: int) -> Outcome:
        """Run the operation where older files of its outputs are."""
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir()
        for name in self._list_replaced():
            path = self.out / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(self._make_old(name))
        self.shim.arm(self.out, mode, chosen, error)
        try:
            return OPERATIONS[self.name](self.data, self.out)
        finally:
            calls = self.shim.disarm()
            self.calls = calls if mode is Mode.COUNT else self.calls

    def _make_old(self, name: str) -> bytes:
        """Make the older file of an output; the commands of CRF++ replace none but their own."""
        return self.expected[name] + b"# older\n" if name.startswith("crf_") else _OLD

    def _list_replaced(self) -> Iterator[str]:
        """List the outputs that stand for themselves; files of caches are found by their content."""
        return (name for name in self.expected if not name.startswith(("folds", "rows", "trials/trials")))

    def _read_outputs(self) -> dict[str, bytes]:
        files = sorted(file for file in self.out.rglob("*") if file.is_file())
        return {str(file.relative_to(self.out)): file.read_bytes() for file in files}

    def _check(self, chosen: int, error: int, mode: Mode) -> None:
        outcome = self._begin(mode, chosen, error)
        name = f"{self.name}: {mode.name} {errno.errorcode[error]} at call {chosen}"
        found = self._read_outputs()
        self.faults["one line" if outcome.code else "done without"] += 1
        if not outcome.is_clear:
            self.failures.append(f"{name}: exit code {outcome.code}, {outcome.lines[-3:]}")
        if left := [file for file in found if file.endswith(".tmp")]:
            self.failures.append(f"{name}: {left} is left")
        for file in self._list_replaced():
            allowed = (self.expected[file],) if outcome.code == 0 else (self._make_old(file), self.expected[file])
            if found.get(file) not in allowed and not _has_times(file):
                self.failures.append(f"{name}: {file} is neither old nor new")

    def _check_again(self, name: str) -> None:
        """The same operation succeeds afterwards."""
        again = OPERATIONS[self.name](self.data, self.out)
        found = self._read_outputs()
        if again.code != 0:
            self.failures.append(f"{name}: the same again fails: {again.lines[-1:]}")
        elif any(found.get(file) != self.expected[file] for file in self._list_replaced() if not _has_times(file)):
            self.failures.append(f"{name}: the same again has other outputs")


def _has_times(file: str) -> bool:
    """Whether an output tells how long something took, so that no two are equal."""
    return file.startswith(("report/", "trials/"))


def run_sweep(name: str, every: int, data: Path, out: Path, shim: Shim, tell: Callable[[str], None]) -> bool:
    """Let the calls of one operation fail, and tell the counts."""
    sweep = Sweep(name, data, out, shim)
    sweep.run(every)
    counts = ", ".join(f"{count} {outcome}" for outcome, count in sorted(sweep.faults.items()))
    tell(f"{name}: {sweep.calls} calls, {sweep.faults.total()} faults: {counts}")
    for failure in sweep.failures:
        tell(f"FAILED {failure}")
    return not sweep.failures
