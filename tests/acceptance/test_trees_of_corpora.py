"""Trees of real treebanks: all are read and written back, the crossing ones counted, lifted and restored."""

from __future__ import annotations

import lzma
import time
from pathlib import Path

import numpy as np
import pytest

from tagloom.corpus import add_trees, read, read_trees, to_string
from tagloom.structures.projective import deprojectivize, projective, projectivize

EWT = "ud-en-ewt/en_ewt-ud-{}.conllu.xz"


@pytest.mark.parametrize(
    ("part", "crossing", "restored"), [("train", 288, 274), ("dev", 31, 30), ("test", 26, 26)]
)  # fmt: skip
def test_universal_dependencies(data_dir: Path, part: str, crossing: int, restored: int) -> None:
    path = data_dir / EWT.format(part)
    corpus = read(path)
    trees = read_trees(corpus)
    assert to_string(add_trees(corpus, trees), "conllu").encode() == lzma.decompress(path.read_bytes())
    wrong = np.flatnonzero(~projective(trees))
    assert len(wrong) == crossing
    lifted = projectivize(trees)
    assert projective(lifted).all()
    again = deprojectivize(lifted)
    same = [trees.heads_of(i) == again.heads_of(i) and trees.relations_of(i) == again.relations_of(i) for i in wrong]
    assert sum(same) >= restored
    assert again.are_trees().all()


def test_penn_treebank(data_dir: Path) -> None:
    corpus = read(data_dir / "ptb-sample/wsj_sample.dep.tsv.xz", columns="form pos head")
    trees = read_trees(corpus)
    assert (len(trees), trees.relations) == (3914, None)
    assert projective(trees).all()
    assert to_string(add_trees(corpus, trees), "conll") == to_string(corpus, "conll")


def test_checks_are_fast(data_dir: Path) -> None:
    """Of 200,000 tokens: far below a third of a second, even on a busy machine."""
    corpus = read(data_dir / EWT.format("train"))
    started = time.process_time()
    projective(read_trees(corpus))
    assert time.process_time() - started < 0.3
