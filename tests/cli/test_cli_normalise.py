"""--normalise: what the model reads is normalised, what tag writes is the text as it was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.cli.outcome import Tagloom

TRAIN = "1998年 元旦\n19年 到 来\n我 等 ...\n他 说 : 1998年 好\n" * 5


def test_a_segmenter_of_plain_digits_cuts_full_width_text(
    tagloom: Tagloom, corpus_file: Callable[..., Path], tmp_path: Path
) -> None:
    model = tmp_path / "model"
    arguments = ("--format", "segmented", "--normalise", "NFKC", "--epochs", 3)
    assert tagloom("train", corpus_file(TRAIN), "-o", model, *arguments).code == 0
    raw = corpus_file("１９９８年元旦\n我等…\n", "raw.txt")
    assert tagloom("tag", model, raw, "--normalise", "NFKC").out == "１９９８年  元旦\n我  等  …\n"
    explained = tagloom("explain", model, "１９年", "--normalise", "NFKC", "--json").json
    assert [token["token"] for token in explained["tokens"]] == ["1", "9", "年"]
    gold = corpus_file("１９９８年 元旦\n我 等 …\n", "gold.txt")
    scored = tagloom("eval", model, gold, "--format", "segmented", "--normalise", "NFKC", "--json").json
    assert scored["f1"] == 100


def test_columns_keep_their_words(tagloom: Tagloom, corpus_file: Callable[..., Path], tmp_path: Path) -> None:
    model, train = tmp_path / "model", corpus_file("19 CD\nA DT\n\n98 CD\nB NN\n\n" * 3)
    assert tagloom("train", train, "-o", model, "--epochs", 3).code == 0
    tagged = tagloom("tag", model, corpus_file("１９\nＡ\n\nＢ\n９８\n", "raw.txt"), "--normalise", "NFKC").out
    assert tagged.split() == ["１９", "CD", "Ａ", "DT", "Ｂ", "NN", "９８", "CD"]


def test_convert_writes_normalised_text(tagloom: Tagloom, corpus_file: Callable[..., Path]) -> None:
    source = corpus_file("１９９８年 元旦\n")
    assert tagloom("convert", source, "-", "--from", "segmented", "--normalise", "NFKC").out == "1998年  元旦\n"


def test_an_unknown_form_is_one_line(tagloom: Tagloom, files: object, corpus_file: Callable[..., Path]) -> None:
    outcome = tagloom("convert", corpus_file("a b\n"), "-", "--from", "text", "--normalise", "nfkc")
    assert outcome.error == "unknown normal form 'nfkc' (known: NFC, NFKC)"
