"""tagloom tag: the input comes back with labels, whatever its format."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import tagloom as library
from tests.cli.outcome import Files, Tagloom

Make = Callable[..., Path]


@pytest.fixture(scope="module")
def pos_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "pos.tagloom"
    sentences = [(["the", "dog", "barks"], ["DT", "NN", "VB"]), (["a", "cat", "sleeps"], ["DT", "NN", "VB"])]
    library.train(sentences * 3, dev=sentences).save(path)
    return path


@pytest.fixture(scope="module")
def segmenter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("segmenter")
    (folder / "train").write_text("你好  世界\n大家  好\n" * 3, encoding="utf-8")
    library.train(folder / "train", format="segmented", learner="dca").save(folder / "model")
    return folder / "model"


def test_columns_are_kept_and_the_label_comes_last(tagloom: Tagloom, files: Files) -> None:
    result = tagloom("tag", files.model, files.test)
    rows = [line for line in result.out.splitlines() if not line.startswith("-DOCSTART-")]
    before = [line for line in files.test.read_text().splitlines() if not line.startswith("-DOCSTART-")]
    labels = library.load(files.model).tag_corpus(library.read(files.test, columns="form pos chunk")).texts()
    assert [line.rpartition(" ")[0] for line in rows] == before
    assert [line.rpartition(" ")[2] for line in rows if line] == labels


def test_output_scores_as_the_model_does(tagloom: Tagloom, files: Files) -> None:
    tagged = tagloom("tag", files.model, files.test).out
    alone = tagloom("eval", "-", "--json", stdin=tagged).json
    assert alone["f1"] == tagloom("eval", files.model, files.test, "--json").json["f1"]


def test_tabs_stay_tabs_and_comments_stay(tagloom: Tagloom, pos_model: Path) -> None:
    result = tagloom("tag", pos_model, stdin="# 1\nthe\tX\ndog\tY\n\n# 2\na\tX\ncat\tY\n\n")
    assert result.out == "# 1\nthe\tX\tDT\ndog\tY\tNN\n\n# 2\na\tX\tDT\ncat\tY\tNN\n\n"


def test_unnamed_columns_are_the_models(tagloom: Tagloom, files: Files) -> None:
    needed = "the DT\ndog NN\nbarks VBZ\n\n"
    result = tagloom("tag", files.model, stdin=needed)
    assert [line.rpartition(" ")[0] for line in result.out.splitlines()] == [*needed.splitlines()[:-1], ""]
    assert "columns taken as the model's: form pos" in result.err
    assert tagloom("tag", files.model, "--columns", "form pos", stdin=needed).out == result.out


def test_two_lines_are_enough_for_a_model_of_two_columns(tagloom: Tagloom, files: Files) -> None:
    result = tagloom("tag", files.model, stdin="the DT\ndog NN\n")
    assert [line.rpartition(" ")[0] for line in result.out.splitlines()] == ["the DT", "dog NN", ""]
    assert "missing column: pos" in tagloom("tag", files.model, stdin="the dog\n").error


def test_a_column_too_few_is_one_line(tagloom: Tagloom, files: Files) -> None:
    error = tagloom("tag", files.model, stdin="the\ndog\nbarks\n\n").error
    assert error == "<stdin>: missing column: pos (the model reads form pos, found form); add or name the columns"
    error = tagloom("tag", files.model, "--columns", "form tag", stdin="the DT\ndog NN\na DT\n\n").error
    assert error == "<stdin>: missing column: pos (the model reads form pos, found form tag); add or name the columns"


def test_plain_text(tagloom: Tagloom, pos_model: Path) -> None:
    assert tagloom("tag", pos_model, "-", stdin="the cat barks\n").out == "the DT\ncat NN\nbarks VB\n\n"


def test_word_slash_tag_lines(tagloom: Tagloom, pos_model: Path) -> None:
    assert tagloom("tag", pos_model, stdin="the/X cat/Y\n").out == "the X DT\ncat Y NN\n\n"


def test_jsonl_keeps_all_keys(tagloom: Tagloom, pos_model: Path) -> None:
    records = [
        {"id": 1, "tokens": ["the", "cat"], "tags": ["?", "?"], "source": {"a": [None, 1.5]}},
        {"id": 2, "tokens": [], "tags": []},
        {"id": 3, "tokens": ["ä", "dog"], "tags": ["?", "?"]},
    ]
    result = tagloom("tag", pos_model, stdin="\n".join(map(json.dumps, records)))
    tagged = [json.loads(line) for line in result.out.splitlines()]
    assert [record.pop("tags") for record in tagged] == [["DT", "NN"], [], ["DT", "NN"]]
    assert tagged == [{key: value for key, value in record.items() if key != "tags"} for record in records]


def test_jsonl_text_gets_tokens(tagloom: Tagloom, pos_model: Path) -> None:
    result = tagloom("tag", pos_model, stdin='{"text": "the cat"}\n')
    assert json.loads(result.out) == {"text": "the cat", "tokens": ["the", "cat"], "tags": ["DT", "NN"]}


def test_jsonl_columns_by_name(tagloom: Tagloom, files: Files) -> None:
    result = tagloom("tag", files.model, stdin='{"tokens": ["the", "dog"], "pos": ["DT", "NN"]}\n')
    assert len(json.loads(result.out)["tags"]) == 2
    assert "'pos'" in tagloom("tag", files.model, stdin='{"tokens": ["the", "dog"]}\n').error


def test_segmenter_writes_words(tagloom: Tagloom, segmenter: Path) -> None:
    assert tagloom("tag", segmenter, stdin="你好世界\n").out == "你好  世界\n"
    assert tagloom("tag", segmenter, stdin="你 好世 界\n").out == "你好  世界\n"
    assert tagloom("tag", segmenter, "--format", "text", stdin="你\n").out.startswith("你 ")


def test_conllu_with_a_label_of_its_own(tagloom: Tagloom, pos_model: Path) -> None:
    row = "1\tthe\t_\t_\t_\t_\t0\t_\t_\t{}\n\n"
    result = tagloom("tag", pos_model, stdin=row.format("_") + row.format("A=b"))
    assert result.out == row.format("label=DT") + row.format("A=b|label=DT")


def test_crfsuite_attributes(tagloom: Tagloom, tmp_path: Path, corpus_file: Make) -> None:
    path = corpus_file("N\tw=dog\tx=1:2.5\nV\tw=barks\n\nN\tw=cat\tx=1\nV\tw=sleeps\n\n")
    assert tagloom("train", path, "-o", tmp_path / "m").code == 0
    result = tagloom("tag", tmp_path / "m", path)
    assert result.out == "N N\nV V\n\nN N\nV V\n\n"
    assert tagloom("eval", "-", "--json", stdin=result.out).json["accuracy"] == 100


def test_output_file_and_threads(tagloom: Tagloom, files: Files, tmp_path: Path) -> None:
    expected = tagloom("tag", files.model, files.test).out
    result = tagloom("tag", files.model, files.test, "-o", tmp_path / "out.txt", "--threads", 2)
    assert (result.code, result.out) == (0, "")
    assert (tmp_path / "out.txt").read_text() == expected


def test_confidence_stands_before_the_label(tagloom: Tagloom, pos_model: Path) -> None:
    model = library.load(pos_model)
    marginals = model.marginals(["the", "dog"])
    shown = [f"{marginals[t][model.labels.index(y)]:.4f}" for t, y in enumerate(("DT", "NN"))]
    tagged = tagloom("tag", pos_model, "--confidence", stdin="the\tX\ndog\tY\n\n")
    assert tagged.out == f"the\tX\t{shown[0]}\tDT\ndog\tY\t{shown[1]}\tNN\n\n"
    assert f"confidence: {model.confidence_note}" in tagged.err.splitlines()
    record = json.loads(tagloom("tag", pos_model, "--confidence", stdin='{"tokens": ["the", "dog"]}\n').out)
    assert record["confidence"] == [float(text) for text in shown]
    row = tagloom("tag", pos_model, "--confidence", stdin="1\tdog\t_\t_\t_\t_\t0\troot\t_\t_\n\n").out
    assert "Confidence=0." in row or "Confidence=1." in row


def test_confidence_of_scores_that_are_not_probabilities_is_refused(tagloom: Tagloom, files: Files) -> None:
    error = tagloom("tag", files.model, files.test, "--confidence").error
    assert "the scores of averaged-perceptron are not probabilities" in error


def test_a_decoder_is_chosen_by_name(tagloom: Tagloom, pos_model: Path) -> None:
    assert tagloom("tag", pos_model, "--decoder", "posterior", stdin="the dog\n").out == "the DT\ndog NN\n\n"
    failed = tagloom("tag", pos_model, "--decoder", "best", stdin="the dog\n")
    assert (failed.code, "unknown decoder 'best'" in failed.err) == (2, True)


def test_words_have_no_place_for_confidence(tagloom: Tagloom, segmenter: Path) -> None:
    failed = tagloom("tag", segmenter, "--confidence", stdin="你好世界\n")
    assert (failed.code, "no place for confidence" in failed.err) == (2, True)
