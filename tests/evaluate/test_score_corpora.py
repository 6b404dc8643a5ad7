"""Word segmentation of SIGHAN 2005: word counts and out-of-vocabulary rates are the published ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tagloom.corpus.corpus import Column
from tagloom.evaluate import SegmentationScore, score


def read_lines(path: Path) -> list[str]:
    if not path.exists():
        pytest.skip(f"no {path}; set TAGLOOM_DATA")
    return path.read_text(encoding="utf-8-sig").splitlines()


@pytest.mark.parametrize(("name", "words", "oov_rate"), [("pku", 104_372, 5.75), ("cityu", 40_936, 7.40)])
def test_words_out_of_vocabulary(data_dir: Path, name: str, words: int, oov_rate: float):
    sentences = [line.split() for line in read_lines(data_dir / "sighan2005" / f"{name}_test_gold.utf8")]
    lexicon = set(read_lines(data_dir / "sighan2005" / f"{name}_training_words.utf8"))
    labels = ["S" if len(w) == 1 else f"B{'M' * (len(w) - 2)}E" for sentence in sentences for w in sentence]
    column = Column.from_strings("".join(labels))
    characters = Column.from_strings("".join(w for sentence in sentences for w in sentence))
    offsets = np.cumsum([0, *(sum(map(len, sentence)) for sentence in sentences)])
    result = score(column, column, offsets, forms=characters, lexicon=lexicon)
    assert isinstance(result, SegmentationScore)
    assert (result.overall.correct, result.overall.gold, result.oov_recall) == (words, words, 100)
    assert result.oov_rate == pytest.approx(oov_rate, abs=0.005)
