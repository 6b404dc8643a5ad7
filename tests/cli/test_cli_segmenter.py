"""A segmenter as the tokenizer of another model."""

from __future__ import annotations

from pathlib import Path

import tagloom as library
from tests.cli.outcome import Tagloom


def test_words_of_a_segmenter_are_tagged(tagloom: Tagloom, tmp_path: Path) -> None:
    segmenter = tmp_path / "words.tagloom"
    (tmp_path / "words.txt").write_text("你好  世界\n大家  好\n" * 3)
    library.train(tmp_path / "words.txt", format="segmented").save(segmenter)
    (tmp_path / "train.txt").write_text("你好 A\n世界 B\n\n世界 B\n你好 A\n\n" * 4)
    model = tmp_path / "pos.tagloom"
    done = tagloom("train", tmp_path / "train.txt", "-o", model, "--tokenizer", segmenter, "--epochs", 3)
    assert done.code == 0
    (tmp_path / "raw.txt").write_text("你好世界\n")
    found = tagloom("tag", model, tmp_path / "raw.txt", "--text")
    assert found.out.split() == ["你好", "A", "世界", "B"]
