"""--normalise: a model keeps the normal form of its training data; tag writes the text as it was."""

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
    assert tagloom("tag", model, raw).out == "１９９８年  元旦\n我  等  …\n"
    explained = tagloom("explain", model, "１９年", "--json").json
    assert [token["token"] for token in explained["tokens"]] == ["１", "９", "年"]
    assert "normal form: NFKC\n" in tagloom("inspect", model).out
    gold = corpus_file("１９９８年 元旦\n我 等 …\n", "gold.txt")
    scored = tagloom("eval", model, gold, "--format", "segmented", "--json").json
    assert scored["f1"] == 100
    refused = tagloom("eval", model, gold, "--normalise", "NFKC").error
    assert refused == "--normalise is for two files, a model has a normal form of its own; leave it out"


def test_columns_keep_their_words(tagloom: Tagloom, corpus_file: Callable[..., Path], tmp_path: Path) -> None:
    model, train = tmp_path / "model", corpus_file("19 CD\nA DT\n\n98 CD\nB NN\n\n" * 3)
    assert tagloom("train", train, "-o", model, "--epochs", 3, "--normalise", "NFKC").code == 0
    tagged = tagloom("tag", model, corpus_file("１９\nＡ\n\nＢ\n９８\n", "raw.txt")).out
    assert tagged.split() == ["１９", "CD", "Ａ", "DT", "Ｂ", "NN", "９８", "CD"]


def test_convert_writes_normalised_text(tagloom: Tagloom, corpus_file: Callable[..., Path]) -> None:
    source = corpus_file("１９９８年 元旦\n")
    assert tagloom("convert", source, "-", "--from", "segmented", "--normalise", "NFKC").out == "1998年  元旦\n"


def test_an_unknown_form_is_one_line(tagloom: Tagloom, files: object, corpus_file: Callable[..., Path]) -> None:
    outcome = tagloom("convert", corpus_file("a b\n"), "-", "--from", "text", "--normalise", "nfkc")
    assert outcome.error == "unknown normal form 'nfkc' (known: NFC, NFKC)"
