"""Word segmentation of SIGHAN 2005: word counts and out-of-vocabulary rates are the published ones."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from tagloom.corpus.corpus import Column
from tagloom.evaluate import SegmentationScore, score

DATA = Path(os.environ.get("TAGLOOM_DATA", Path(__file__).parents[2] / ".." / "shared" / "data")) / "sighan2005"


def read_lines(name: str) -> list[str]:
    if not (DATA / name).exists():
        pytest.skip(f"no {name} under {DATA}; set TAGLOOM_DATA")
    return (DATA / name).read_text(encoding="utf-8-sig").splitlines()


@pytest.mark.parametrize(("name", "words", "oov_rate"), [("pku", 104_372, 5.75), ("cityu", 40_936, 7.40)])
def test_words_out_of_vocabulary(name: str, words: int, oov_rate: float):
    sentences = [line.split() for line in read_lines(f"{name}_test_gold.utf8")]
    lexicon = set(read_lines(f"{name}_training_words.utf8"))
    labels = ["S" if len(w) == 1 else f"B{'M' * (len(w) - 2)}E" for sentence in sentences for w in sentence]
    column = Column.from_strings("".join(labels))
    characters = Column.from_strings("".join(w for sentence in sentences for w in sentence))
    offsets = np.cumsum([0, *(sum(map(len, sentence)) for sentence in sentences)])
    result = score(column, column, offsets, forms=characters, lexicon=lexicon)
    assert isinstance(result, SegmentationScore)
    assert (result.overall.correct, result.overall.gold, result.oov_recall) == (words, words, 100)
    assert result.oov_rate == pytest.approx(oov_rate, abs=0.005)
