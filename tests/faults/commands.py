"""Commands of tagloom on small data: trainings of every system that can be continued, and everything that writes.

Arguments name ``DATA``, a folder of inputs that stays as it is, and ``OUT``, the folder that is written to.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import tagloom
from tagloom.cli.main import run as run_command
from tagloom.corpus import Corpus
from tagloom.datasets import newswire
from tests.treebank import conllu

_NER = ["--columns", "form pos ner"]
_KEPT = ["-o", "OUT/model", "--checkpoint", "OUT/state"]

#: Trainings that continue after they were killed, by name. Each writes OUT/model.
TRAININGS: dict[str, list[str]] = {
    "tagger": ["train", "DATA/train.txt", "--dev", "DATA/dev.txt", *_KEPT, *_NER, "--epochs", "12"],
    "tagger-batch": ["train", "DATA/train.txt", *_KEPT, *_NER, "--learner", "lbfgs", "--epochs", "15"],
    "tagger-sgd": ["train", "DATA/train.txt", *_KEPT, *_NER, "--learner", "sgd", "--epochs", "12"],
    "tagger-history": ["train", "DATA/train.txt", *_KEPT, *_NER, "--learner", "lookahead-perceptron", "--epochs", "5"],
    "tagger-provided": ["train", "DATA/train.txt", *_KEPT, *_NER, "--provide", "pos", "--epochs", "4"],
    "documents": ["train", "DATA/train.txt", *_KEPT, *_NER, "--learner", "nonlocal-perceptron", "--epochs", "5"],
    "rerank": ["rerank", "DATA/tagger", "DATA/train.txt", "--dev", "DATA/dev.txt", "-o", "OUT/model", *_NER,
               "--templates", "entities", "--cache", "OUT/folds", "--folds", "3", "--cutoff", "1"],
    "parser": ["train", "DATA/trees.conllu", "--system", "parser", *_KEPT, "--epochs", "8", "--depth", "1"],
    "phrases": ["train", "DATA/train.txt", "--system", "phrases", *_KEPT, *_NER, "--epochs", "6"],
    "ensemble": ["train", "DATA/train.txt", "--system", "ensemble", "--members", "2", *_KEPT, *_NER, "--epochs", "6"],
    "tokenizer": ["train", "DATA/trees.conllu", "--system", "tokenizer", *_KEPT, "--epochs", "15"],
    "pipeline": ["train", "DATA/trees.conllu", "--system", "pipeline", *_KEPT, "--set", "upos.epochs=3",
                 "--set", "trees.epochs=3", "--set", "tokens.epochs=3"],
}  # fmt: skip


def write_data(folder: Path) -> int:
    """Write the inputs of all commands: corpora, a treebank, a text and models. Returns 0, the exit code."""
    made = newswire(4, seed=3)
    columns = {name: made.column(name) for name in ("form", "pos", "ner")}
    news = Corpus(columns, made.sentences, made.documents, made.has_documents)
    cut = len(news) * 3 // 4
    tagloom.write(news.slice(0, cut), folder / "train.txt")
    tagloom.write(news.slice(cut, len(news)), folder / "dev.txt")
    (folder / "trees.conllu").write_text(conllu(25))
    (folder / "text.txt").write_text("The old dog saw Bonn . It slept in Paris .\n" * 5)
    (folder / "patterns").write_text("U00:%x[0,0]\nU01:%x[-1,0]\nB\n")
    _write_models(folder)
    return 0


@dataclass(frozen=True)
class Outcome:
    """What a command did: its exit code, and the lines on stderr."""

    code: int
    lines: tuple[str, ...]

    @property
    def is_clear(self) -> bool:
        """Whether the command succeeded, or failed with one line that says why, as the last one."""
        if self.code == 0:
            return True
        errors = [line for line in self.lines if line.startswith("tagloom: error: ")]
        return self.code == 2 and len(errors) == 1 and self.lines[-1] == errors[0]


def fill_in(arguments: Sequence[str], data: Path, out: Path) -> list[str]:
    """Replace the names of the two folders."""
    return [each.replace("DATA", str(data)).replace("OUT", str(out)) for each in arguments]


def run(arguments: Sequence[str]) -> Outcome:
    """Run a command of tagloom in this process."""
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
        code = run_command(arguments)
    return Outcome(code, tuple(errors.getvalue().splitlines()))


def _require_success(arguments: Sequence[str]) -> None:
    """Run a command that must succeed."""
    outcome = run(arguments)
    if outcome.code != 0:
        sys.exit(f"{' '.join(arguments)}: {outcome}")


def _write_models(folder: Path) -> None:
    """Train the models that other commands read: a tagger and a parser."""
    _require_success(["train", f"{folder}/train.txt", "-o", f"{folder}/tagger", *_NER, "--epochs", "3"])
    words = ["train", f"{folder}/train.txt", "-o", f"{folder}/words", *_NER, "--templates", "words", "--epochs", "3"]
    _require_success(words)
    trees = ["train", f"{folder}/trees.conllu", "-o", f"{folder}/parser", "--system", "parser", "--epochs", "2"]
    _require_success([*trees, "--depth", "1"])
    items = [([{"word": "the"}, {"word": "dog"}], ["DT", "NN"])]
    tagloom.train(items, epochs=2).save(folder / "items")
